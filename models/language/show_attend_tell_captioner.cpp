// Show-Attend-Tell for inference: packing of the weights and the arithmetic of a step.
#include "models/language/show_attend_tell_captioner.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "models/error.hpp"

namespace seesay::language {
namespace {

const float* at(const TensorValues& values, const std::string& name) {
    return values.at(name).data();
}

/// `[outputs, inputs]` with `inputs` laid out as `stride` floats a row in the source.
PackedMatrix packed_matrix(const float* weights, int outputs, int inputs) {
    PackedMatrix matrix(outputs, inputs);
    matrix.set_rows(0, weights, outputs, inputs, inputs);
    return matrix;
}

AlignedFloats padded_vector(const float* values, int size) {
    AlignedFloats vector(static_cast<std::size_t>(padded(size)));
    std::copy_n(values, size, vector.data());
    return vector;
}

std::size_t area(int rows, int stride) {
    return static_cast<std::size_t>(rows) * static_cast<std::size_t>(stride);
}

void add(float* to, const float* addend, int count) {
    for (int i = 0; i < count; ++i) {
        to[i] += addend[i];
    }
}

/// Rows of `size` values to rows of `stride`, zero beyond.
AlignedFloats padded_rows(const float* values, int rows, int size, int stride) {
    AlignedFloats result(area(rows, stride));
    for (int r = 0; r < rows; ++r) {
        std::copy_n(values + area(r, size), size, result.row(r, stride));
    }
    return result;
}

/// LayerNorm of `size` values in place, ε = 1e-5.
void layer_norm(float* values, int size, const float* weight, const float* bias) {
    double sum = 0.0;
    double squares = 0.0;
    for (int i = 0; i < size; ++i) {
        sum += values[i];
    }
    const double mean = sum / size;
    for (int i = 0; i < size; ++i) {
        squares += (values[i] - mean) * (values[i] - mean);
    }
    const auto scale = static_cast<float>(1.0 / std::sqrt(squares / size + 1e-5));
    for (int i = 0; i < size; ++i) {
        values[i] = (values[i] - static_cast<float>(mean)) * scale * weight[i] + bias[i];
    }
}

}  // namespace

std::map<std::string, std::vector<std::int64_t>> ShowAttendTellShape::tensors() const {
    const std::int64_t d = features, p = annotation(), a = attention, h = hidden, e = embedding,
                       v = vocabulary;
    std::map<std::string, std::vector<std::int64_t>> shapes{{"attention.feature.weight", {a, p}},
                                                            {"attention.feature.bias", {a}},
                                                            {"attention.hidden.weight", {a, h}},
                                                            {"attention.score.weight", {1, a}},
                                                            {"attention.score.bias", {1}},
                                                            {"gate.weight", {1, h}},
                                                            {"gate.bias", {1}},
                                                            {"embedding.weight", {v, e}},
                                                            {"lstm.weight_ih", {4 * h, e + p}},
                                                            {"lstm.weight_hh", {4 * h, h}},
                                                            {"lstm.bias", {4 * h}},
                                                            {"output_hidden.weight", {e, h}},
                                                            {"output_context.weight", {e, p}},
                                                            {"output_bias", {e}},
                                                            {"output.bias", {v}}};
    for (const std::string name : {"initial_hidden", "initial_cell"}) {
        shapes[name + ".inner.weight"] = {p, p};
        shapes[name + ".inner.bias"] = {p};
        shapes[name + ".outer.weight"] = {h, p};
        shapes[name + ".outer.bias"] = {h};
    }
    if (projection > 0) {
        shapes["projection.weight"] = {p, d};
        shapes["projection.bias"] = {p};
        if (projection_norm) {
            shapes["projection_norm.weight"] = {p};
            shapes["projection_norm.bias"] = {p};
        }
    }
    if (!tied_output) {
        shapes["output.weight"] = {v, e};
    }
    return shapes;
}

/// Annotation vectors and what is computed from them alone, one picture after the other.
class ShowAttendTellCaptioner::Pictures final : public PreparedPictures {
 public:
    explicit Pictures(std::vector<int> attended) : PreparedPictures(std::move(attended)) {}
    struct Picture {
        AlignedFloats annotations;  ///< `[L, P]`
        AlignedFloats places;       ///< `[L, A]`: W_f a_i + b_f
        AlignedFloats hidden;       ///< `[H]`: h_0
        AlignedFloats cell;         ///< `[H]`: c_0
    };
    std::vector<Picture> pictures;
};

/// `[R, H]` each; buffers for one step beside them.
class ShowAttendTellCaptioner::State final : public DecoderState {
 public:
    std::vector<int> pictures;
    AlignedFloats hidden;
    AlignedFloats cell;
    AlignedFloats from_hidden;
    AlignedFloats context;
    AlignedFloats from_context;
    AlignedFloats deep;
    AlignedFloats spare;
    std::vector<int> spare_pictures;
};

ShowAttendTellCaptioner::ShowAttendTellCaptioner(CaptionerIdentity identity, Vocabulary vocabulary,
                                                 DecodingOptions decoding_defaults,
                                                 const ShowAttendTellShape& shape,
                                                 const TensorValues& values)
    : Captioner(std::move(identity), std::move(vocabulary), decoding_defaults, shape.features),
      shape_(shape),
      annotation_(padded(shape.annotation())),
      attention_(padded(shape.attention)),
      hidden_(padded(shape.hidden)),
      embedding_(padded(shape.embedding)),
      words_(padded(shape.vocabulary)) {
    this->vocabulary().require_size(shape.vocabulary);
    const int p = shape.annotation();
    if (shape.projection > 0) {
        projection_ = packed_matrix(at(values, "projection.weight"), p, shape.features);
        projection_bias_ = padded_vector(at(values, "projection.bias"), p);
        if (shape.projection_norm) {
            norm_weight_ = padded_vector(at(values, "projection_norm.weight"), p);
            norm_bias_ = padded_vector(at(values, "projection_norm.bias"), p);
        }
    }
    const auto initial = [&](const std::string& name) {
        return InitialState{packed_matrix(at(values, name + ".inner.weight"), p, p),
                            padded_vector(at(values, name + ".inner.bias"), p),
                            packed_matrix(at(values, name + ".outer.weight"), shape.hidden, p),
                            padded_vector(at(values, name + ".outer.bias"), shape.hidden)};
    };
    initial_hidden_ = initial("initial_hidden");
    initial_cell_ = initial("initial_cell");
    place_ = packed_matrix(at(values, "attention.feature.weight"), shape.attention, p);
    place_bias_ = padded_vector(at(values, "attention.feature.bias"), shape.attention);
    score_ = padded_vector(at(values, "attention.score.weight"), shape.attention);
    score_bias_ = *at(values, "attention.score.bias");
    gate_bias_ = *at(values, "gate.bias");
    pack_recurrence(values);
    pack_output(values);
    fold_words(values);
}

void ShowAttendTellCaptioner::pack_recurrence(const TensorValues& values) {
    const int h = shape_.hidden;
    const int p = shape_.annotation();
    const int e = shape_.embedding;
    from_hidden_ = PackedMatrix(4 * hidden_ + attention_ + 1, h);
    from_context_ = PackedMatrix(4 * hidden_ + embedding_, p);
    for (int gate = 0; gate < 4; ++gate) {
        from_hidden_.set_rows(gate * hidden_, at(values, "lstm.weight_hh") + area(gate * h, h), h,
                              h, h);
        from_context_.set_rows(
            gate * hidden_, at(values, "lstm.weight_ih") + area(gate * h, e + p) + e, h, p, e + p);
    }
    from_hidden_.set_rows(4 * hidden_, at(values, "attention.hidden.weight"), shape_.attention, h,
                          h);
    from_hidden_.set_rows(4 * hidden_ + attention_, at(values, "gate.weight"), 1, h, h);
    from_context_.set_rows(4 * hidden_, at(values, "output_context.weight"), e, p, p);
}

void ShowAttendTellCaptioner::pack_output(const TensorValues& values) {
    const int e = shape_.embedding;
    const int v = shape_.vocabulary;
    output_hidden_ = packed_matrix(at(values, "output_hidden.weight"), e, shape_.hidden);
    output_ =
        packed_matrix(at(values, shape_.tied_output ? "embedding.weight" : "output.weight"), v, e);
    output_bias_ = padded_vector(at(values, "output.bias"), v);
    word_output_ = padded_rows(at(values, "embedding.weight"), v, e, embedding_);
}

void ShowAttendTellCaptioner::fold_words(const TensorValues& values) {
    const int h = shape_.hidden;
    const int e = shape_.embedding;
    PackedMatrix word_input(4 * hidden_, e);
    AlignedFloats bias(static_cast<std::size_t>(4 * hidden_));
    for (int gate = 0; gate < 4; ++gate) {
        word_input.set_rows(gate * hidden_,
                            at(values, "lstm.weight_ih") + area(gate * h, e + shape_.annotation()),
                            h, e, e + shape_.annotation());
        std::copy_n(at(values, "lstm.bias") + gate * h, h, bias.data() + gate * hidden_);
    }
    word_gates_.resize(area(shape_.vocabulary, 4 * hidden_));
    word_input.multiply(word_output_.data(), embedding_, shape_.vocabulary, word_gates_.data(),
                        4 * hidden_);
    for (int word = 0; word < shape_.vocabulary; ++word) {
        add(word_gates_.row(word, 4 * hidden_), bias.data(), 4 * hidden_);
        add(word_output_.row(word, embedding_), at(values, "output_bias"), e);
    }
}

void ShowAttendTellCaptioner::annotate(const vision::FeatureSet& features,
                                       float* annotations) const {
    const int stride = padded(shape_.features);
    const AlignedFloats vectors =
        padded_rows(features.vectors.data(), features.count, shape_.features, stride);
    if (shape_.projection == 0) {
        std::copy_n(vectors.data(), area(features.count, stride), annotations);
        return;
    }
    projection_.multiply(vectors.data(), stride, features.count, annotations, annotation_);
    for (int i = 0; i < features.count; ++i) {
        float* vector = annotations + area(i, annotation_);
        add(vector, projection_bias_.data(), annotation_);
        if (shape_.projection_norm) {
            layer_norm(vector, shape_.projection, norm_weight_.data(), norm_bias_.data());
        }
    }
}

void ShowAttendTellCaptioner::initial_state(const InitialState& layers, const float* mean,
                                            float* state) const {
    AlignedFloats inner(static_cast<std::size_t>(annotation_));
    layers.inner.multiply(mean, annotation_, 1, inner.data(), annotation_);
    add(inner.data(), layers.inner_bias.data(), annotation_);
    for (int i = 0; i < annotation_; ++i) {
        inner.data()[i] = std::max(inner.data()[i], 0.F);
    }
    layers.outer.multiply(inner.data(), annotation_, 1, state, hidden_);
    add(state, layers.outer_bias.data(), hidden_);
    step_kernels().tanh(state, hidden_);
}

std::unique_ptr<PreparedPictures> ShowAttendTellCaptioner::prepare(
    std::span<const vision::FeatureSet* const> features) const {
    if (features.empty()) {
        throw Error("captioner " + identity().name + ": there are no features to describe");
    }
    std::vector<int> attended;
    for (const vision::FeatureSet* set : features) {
        check(*set);
        attended.push_back(set->count);
    }
    auto prepared = std::make_unique<Pictures>(std::move(attended));
    for (const vision::FeatureSet* set : features) {
        auto& picture = prepared->pictures.emplace_back();
        picture.annotations.resize(area(set->count, annotation_));
        picture.places.resize(area(set->count, attention_));
        picture.hidden.resize(static_cast<std::size_t>(hidden_));
        picture.cell.resize(static_cast<std::size_t>(hidden_));
        annotate(*set, picture.annotations.data());
        place_.multiply(picture.annotations.data(), annotation_, set->count, picture.places.data(),
                        attention_);
        for (int i = 0; i < set->count; ++i) {
            add(picture.places.row(i, attention_), place_bias_.data(), attention_);
        }
        AlignedFloats equal(static_cast<std::size_t>(padded(set->count)));
        std::fill_n(equal.data(), set->count, 1.F);
        AlignedFloats mean(static_cast<std::size_t>(annotation_));
        step_kernels().weighted_sum(picture.annotations.data(), set->count, annotation_,
                                    equal.data(), 1.F / static_cast<float>(set->count),
                                    mean.data());
        initial_state(initial_hidden_, mean.data(), picture.hidden.data());
        initial_state(initial_cell_, mean.data(), picture.cell.data());
    }
    return prepared;
}

std::unique_ptr<DecoderState> ShowAttendTellCaptioner::start(const PreparedPictures& prepared,
                                                             std::span<const int> pictures) const {
    const auto& all = dynamic_cast<const Pictures&>(prepared);
    auto state = std::make_unique<State>();
    state->pictures.assign(pictures.begin(), pictures.end());
    const int rows = static_cast<int>(pictures.size());
    state->hidden.resize(area(rows, hidden_));
    state->cell.resize(area(rows, hidden_));
    for (int row = 0; row < rows; ++row) {
        const auto& picture = all.pictures[static_cast<std::size_t>(pictures[row])];
        std::copy_n(picture.hidden.data(), hidden_, state->hidden.row(row, hidden_));
        std::copy_n(picture.cell.data(), hidden_, state->cell.row(row, hidden_));
    }
    return state;
}

void ShowAttendTellCaptioner::select(DecoderState& state, std::span<const int> rows) const {
    auto& own = dynamic_cast<State&>(state);
    const int count = static_cast<int>(rows.size());
    for (AlignedFloats* values : {&own.hidden, &own.cell}) {
        own.spare.resize(area(count, hidden_));
        for (int row = 0; row < count; ++row) {
            std::copy_n(values->row(rows[row], hidden_), hidden_, own.spare.row(row, hidden_));
        }
        values->swap(own.spare);
    }
    own.spare_pictures.clear();
    for (const int row : rows) {
        own.spare_pictures.push_back(own.pictures[static_cast<std::size_t>(row)]);
    }
    own.pictures.swap(own.spare_pictures);
}

void ShowAttendTellCaptioner::attend(const Pictures& pictures, int picture, const float* query,
                                     float* attention, float* context) const {
    const StepKernels& kernels = step_kernels();
    const auto& own = pictures.pictures[static_cast<std::size_t>(picture)];
    const int places = pictures.attended(picture);
    kernels.attention_energies(own.places.data(), places, attention_, query, score_.data(),
                               score_bias_, attention);
    kernels.softmax(attention, places);
    const float gate = sigmoid(query[attention_] + gate_bias_);
    if (shape_.most_likely_place) {
        const auto place = std::max_element(attention, attention + places) - attention;
        const float* vector = own.annotations.data() + place * annotation_;
        std::transform(vector, vector + annotation_, context,
                       [gate](float value) { return gate * value; });
        return;
    }
    kernels.weighted_sum(own.annotations.data(), places, annotation_, attention, gate, context);
}

void ShowAttendTellCaptioner::step(const PreparedPictures& prepared, DecoderState& state,
                                   std::span<const int> tokens, StepOutput& output) const {
    const auto& pictures = dynamic_cast<const Pictures&>(prepared);
    auto& own = dynamic_cast<State&>(state);
    const StepKernels& kernels = step_kernels();
    const int rows = static_cast<int>(tokens.size());
    const int gates = 4 * hidden_;
    own.from_hidden.resize(area(rows, from_hidden_.outputs()));
    own.context.resize(area(rows, annotation_));
    own.from_context.resize(area(rows, from_context_.outputs()));
    own.deep.resize(area(rows, embedding_));
    output.attention_stride = padded(pictures.longest());
    output.attention.resize(area(rows, output.attention_stride));
    output.logits_stride = words_;
    output.logits.resize(area(rows, words_));

    from_hidden_.multiply(own.hidden.data(), hidden_, rows, own.from_hidden.data(),
                          from_hidden_.outputs());
    for (int row = 0; row < rows; ++row) {
        attend(pictures, own.pictures[static_cast<std::size_t>(row)],
               own.from_hidden.row(row, from_hidden_.outputs()) + gates,
               output.attention.row(row, output.attention_stride),
               own.context.row(row, annotation_));
    }
    from_context_.multiply(own.context.data(), annotation_, rows, own.from_context.data(),
                           from_context_.outputs());
    for (int row = 0; row < rows; ++row) {
        kernels.lstm(word_gates_.row(tokens[row], gates),
                     own.from_hidden.row(row, from_hidden_.outputs()),
                     own.from_context.row(row, from_context_.outputs()), hidden_,
                     own.cell.row(row, hidden_), own.hidden.row(row, hidden_));
    }
    output_hidden_.multiply(own.hidden.data(), hidden_, rows, own.deep.data(), embedding_);
    for (int row = 0; row < rows; ++row) {
        float* deep = own.deep.row(row, embedding_);
        add(deep, own.from_context.row(row, from_context_.outputs()) + gates, embedding_);
        add(deep, word_output_.row(tokens[row], embedding_), embedding_);
        if (shape_.tanh_output) {
            kernels.tanh(deep, embedding_);
        }
    }
    output_.multiply(own.deep.data(), embedding_, rows, output.logits.data(), words_);
    for (int row = 0; row < rows; ++row) {
        add(output.logits.row(row, words_), output_bias_.data(), words_);
    }
}

}  // namespace seesay::language
