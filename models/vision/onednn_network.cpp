// One oneDNN primitive a layer, created once; a run binds nothing and allocates nothing.
#include "models/vision/onednn_network.hpp"

#include <torch/torch.h>

#include <dnnl.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <unordered_map>
#include <vector>

#include "models/error.hpp"

namespace seesay::vision {
namespace {

using dnnl::memory;
using Arguments = std::unordered_map<int, memory>;

constexpr std::size_t alignment = 64;

struct Free {
    void operator()(void* bytes) const {
        std::free(bytes);
    }  // NOLINT: counterpart of aligned_alloc
};
using AlignedBytes = std::unique_ptr<void, Free>;

AlignedBytes allocate(std::size_t size) {
    AlignedBytes bytes(std::aligned_alloc(alignment, (size + alignment) / alignment * alignment));
    if (!bytes) throw std::bad_alloc();
    return bytes;
}

// Which buffers the layers' outputs share: an output that is no longer needed gives its buffer to a
// later layer.
class BufferPlan {
 public:
    // A buffer of at least `size` bytes, free until release.
    int take(std::size_t size) {
        int best = -1;
        for (int i = 0; i < static_cast<int>(buffers_.size()); ++i) {
            if (buffers_[i].used) continue;
            // The one that has to grow least; among those large enough, the smallest.
            const auto waste = [&](int k) {
                return buffers_[k].size >= size ? buffers_[k].size - size
                                                : (size - buffers_[k].size) + (1ULL << 40);
            };
            if (best < 0 || waste(i) < waste(best)) best = i;
        }
        if (best < 0) {
            best = static_cast<int>(buffers_.size());
            buffers_.push_back({});
        }
        buffers_[best].used = true;
        buffers_[best].size = std::max(buffers_[best].size, size);
        return best;
    }
    void release(int buffer) { buffers_[buffer].used = false; }

    [[nodiscard]] std::vector<AlignedBytes> allocate_all() const {
        std::vector<AlignedBytes> all;
        for (const Buffer& buffer : buffers_)
            all.push_back(allocate(buffer.size));
        return all;
    }

 private:
    struct Buffer {
        std::size_t size = 0;
        bool used = false;
    };
    std::vector<Buffer> buffers_;
};

memory::dims weight_dims(const FoldedConvolution& layer) {
    if (layer.groups == 1)
        return {layer.output_channels, layer.input_channels, layer.kernel, layer.kernel};
    return {layer.groups, layer.output_channels / layer.groups, layer.input_channels / layer.groups,
            layer.kernel, layer.kernel};
}

dnnl::primitive_attr attributes(const FoldedConvolution& layer) {
    dnnl::post_ops operations;
    if (layer.added_layer >= 0) operations.append_sum(1.F);
    if (layer.clips) operations.append_eltwise(1.F, dnnl::algorithm::eltwise_clip, 0.F, 6.F);
    dnnl::primitive_attr attribute;
    attribute.set_post_ops(operations);
    attribute.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attribute;
}

// The convolution that oneDNN thinks best; `target` fixes the output's layout where a sum goes into
// existing memory.
dnnl::convolution_forward::primitive_desc describe(const FoldedConvolution& layer,
                                                   memory::data_type type,
                                                   const memory::desc* target,
                                                   memory::data_type output_type,
                                                   const dnnl::engine& engine) {
    const auto any = memory::format_tag::any;
    const memory::desc source({1, layer.input_channels, layer.input_height, layer.input_width},
                              type, any);
    const memory::desc weight(weight_dims(layer), type, any);
    const memory::desc bias({layer.output_channels}, memory::data_type::f32, memory::format_tag::x);
    const memory::desc output =
        target != nullptr
            ? *target
            : memory::desc({1, layer.output_channels, layer.output_height, layer.output_width},
                           output_type, any);
    const memory::dims strides{layer.stride, layer.stride};
    const memory::dims before{layer.rows.before, layer.columns.before};
    const memory::dims after{layer.rows.after, layer.columns.after};
    const dnnl::convolution_forward::desc wanted(dnnl::prop_kind::forward_inference,
                                                 dnnl::algorithm::convolution_direct, source,
                                                 weight, bias, output, strides, before, after);
    return {wanted, attributes(layer), engine};
}

class OnednnNetwork : public FeatureNetwork {
 public:
    OnednnNetwork(const FoldedNetwork& network, const Preprocessing& preprocessing,
                  Precision precision)
        : preprocessing_(preprocessing),
          precision_(precision),
          engine_(dnnl::engine::kind::cpu, 0),
          stream_(engine_) {
        picture_ = memory({{1, 3, network.height, network.width},
                           memory::data_type::f32,
                           memory::format_tag::nchw},
                          engine_);
        build(network);
    }

    [[nodiscard]] std::string path() const override {
        return precision_ == Precision::Bf16 ? "onednn bf16" : "onednn fp32";
    }

    void forward(std::span<const Image> pictures, float* vectors) override {
        const std::size_t floats = result_.get_desc().get_size() / sizeof(float);
        for (const Image& picture : pictures) {
            normalise(picture, preprocessing_, static_cast<float*>(picture_.get_data_handle()));
            result_.set_data_handle(vectors);
            for (const Step& step : steps_)
                step.primitive.execute(stream_, step.arguments);
            stream_.wait();
            vectors += floats;
        }
    }

 private:
    struct Step {
        dnnl::primitive primitive;
        Arguments arguments;
    };
    // An output: its layout and the buffer that holds it.
    struct Output {
        memory::desc desc;
        int buffer = -1;
    };

    void build(const FoldedNetwork& network) {
        const auto type =
            precision_ == Precision::Bf16 ? memory::data_type::bf16 : memory::data_type::f32;
        std::vector<dnnl::convolution_forward::primitive_desc> convolutions;
        std::vector<Output> outputs;
        std::size_t scratch = 0;
        for (const FoldedConvolution& layer : network.layers) {
            const bool last = &layer == &network.layers.back();
            const memory::desc* target =
                layer.added_layer >= 0 ? &outputs[layer.added_layer].desc : nullptr;
            convolutions.push_back(
                describe(layer, type, target, last ? memory::data_type::f32 : type, engine_));
            outputs.push_back({convolutions.back().dst_desc(), -1});
            scratch = std::max(scratch, convolutions.back().scratchpad_desc().get_size());
        }
        plan_buffers(network, outputs);
        scratch_ = allocate(scratch);

        memory input = picture_;
        for (std::size_t i = 0; i < network.layers.size(); ++i) {
            const memory output(outputs[i].desc, engine_, buffers_[outputs[i].buffer].get());
            add_convolution(network.layers[i], convolutions[i], input, output);
            input = output;
        }
        // [1, D, rows, columns] in the blocked layout → rows · columns vectors of D.
        result_ = memory({{1, network.dimension(), network.rows(), network.columns()},
                          memory::data_type::f32,
                          memory::format_tag::nhwc},
                         engine_, nullptr);
        add_reorder(input, result_);
    }

    void plan_buffers(const FoldedNetwork& network, std::vector<Output>& outputs) {
        const int count = static_cast<int>(network.layers.size());
        // The layer after which an output is not read any more. A sum is written into what it adds
        // to.
        std::vector<int> last_use(count);
        for (int i = 0; i < count; ++i) {
            last_use[i] = i + 1;
            if (network.layers[i].added_layer >= 0) last_use[network.layers[i].added_layer] = i;
        }
        BufferPlan plan;
        for (int i = 0; i < count; ++i) {
            const int added = network.layers[i].added_layer;
            outputs[i].buffer =
                added >= 0 ? outputs[added].buffer : plan.take(outputs[i].desc.get_size());
            for (int k = 0; k < i; ++k) {
                if (last_use[k] == i && k != added) plan.release(outputs[k].buffer);
            }
        }
        buffers_ = plan.allocate_all();
    }

    void add_convolution(const FoldedConvolution& layer,
                         const dnnl::convolution_forward::primitive_desc& convolution, memory input,
                         const memory& output) {
        if (input.get_desc() != convolution.src_desc()) {
            const memory reordered(convolution.src_desc(), engine_);
            add_reorder(input, reordered);
            input = reordered;
        }
        const memory bias(convolution.bias_desc(), engine_);
        std::copy_n(layer.bias.data_ptr<float>(), layer.output_channels,
                    static_cast<float*>(bias.get_data_handle()));
        steps_.push_back({dnnl::convolution_forward(convolution),
                          {{DNNL_ARG_SRC, input},
                           {DNNL_ARG_WEIGHTS, packed_weights(layer, convolution.weights_desc())},
                           {DNNL_ARG_BIAS, bias},
                           {DNNL_ARG_DST, output},
                           {DNNL_ARG_SCRATCHPAD,
                            memory(convolution.scratchpad_desc(), engine_, scratch_.get())}}});
    }

    memory packed_weights(const FoldedConvolution& layer, const memory::desc& layout) {
        const auto plain = layer.groups == 1 ? memory::format_tag::oihw : memory::format_tag::goihw;
        memory stored({weight_dims(layer), memory::data_type::f32, plain}, engine_,
                      layer.weight.data_ptr<float>());
        memory packed(layout, engine_);
        dnnl::reorder(stored, packed).execute(stream_, stored, packed);
        stream_.wait();
        return packed;
    }

    void add_reorder(const memory& from, const memory& to) {
        steps_.push_back({dnnl::reorder(dnnl::reorder::primitive_desc(engine_, from.get_desc(),
                                                                      engine_, to.get_desc())),
                          {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}}});
    }

    Preprocessing preprocessing_;
    Precision precision_;
    dnnl::engine engine_;
    dnnl::stream stream_;
    memory picture_;  ///< normalised input, planes
    memory result_;   ///< handle set to the caller's memory for each picture
    std::vector<AlignedBytes> buffers_;
    AlignedBytes scratch_;
    std::vector<Step> steps_;
};

// A small convolution, to see whether the library has an implementation that runs here.
bool try_bf16() {
    // The values are sets of bits: a newer instruction set need not include an older one.
    constexpr int wanted = static_cast<int>(dnnl::cpu_isa::avx512_core_bf16);
    if ((static_cast<int>(dnnl::get_effective_cpu_isa()) & wanted) != wanted) return false;
    try {
        FoldedConvolution layer;
        layer.name = "probe";
        layer.weight = at::ones({16, 3, 3, 3});
        layer.bias = at::zeros({16});
        layer.input_channels = 3;
        layer.output_channels = 16;
        layer.kernel = 3;
        layer.input_height = layer.input_width = layer.output_height = layer.output_width = 8;
        layer.rows = layer.columns = {1, 1};
        layer.clips = true;
        Preprocessing preprocessing;
        preprocessing.width = preprocessing.height = 8;
        OnednnNetwork probe({8, 8, {layer}}, preprocessing, Precision::Bf16);
        const std::vector<Image> picture{{8, 8, std::vector<std::uint8_t>(8 * 8 * 3, 255)}};
        std::vector<float> vectors(8 * 8 * 16);
        probe.forward(picture, vectors.data());
        return vectors.front() == 6.F;  // 12 ones, clipped
    } catch (const dnnl::error&) {
        return false;
    }
}

}  // namespace

bool has_onednn() {
    return true;
}

bool onednn_runs_bf16() {
    static const bool runs = try_bf16();
    return runs;
}

std::string onednn_version() {
    const dnnl_version_t* version = dnnl_version();
    return std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
           std::to_string(version->patch);
}

std::unique_ptr<FeatureNetwork> make_onednn_network(const FoldedNetwork& network,
                                                    const Preprocessing& preprocessing,
                                                    Precision precision) {
    try {
        return std::make_unique<OnednnNetwork>(network, preprocessing, precision);
    } catch (const dnnl::error& error) {
        throw Error(std::string("oneDNN cannot run this network in ") +
                    (precision == Precision::Bf16 ? "bf16" : "fp32") +
                    " on this processor: " + error.message);
    }
}

}  // namespace seesay::vision
