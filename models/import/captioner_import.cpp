// One function a repository's network: which of its tensors becomes which of ours.
#include "models/import/captioner_import.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <optional>
#include <set>

#include "models/error.hpp"
#include "models/import/network_family.hpp"
#include "models/weights/finite.hpp"
#include "models/weights/printable.hpp"
#include "models/weights/torch_tensor.hpp"

namespace seesay::import {
namespace {

using Shape = std::vector<std::int64_t>;

// exp(−10000) is 0 in float32, and float16 holds the number.
constexpr double kNeverSaid = -10'000;
constexpr double kBatchNormEpsilon = 1e-5;

std::string text_of(at::IntArrayRef shape) {
    std::string text = "[";
    for (const std::int64_t side : shape) {
        text += (text.size() > 1 ? ", " : "") + std::to_string(side);
    }
    return text + "]";
}

// The file's tensors; each that is taken is noted, so that the others can be named.
class Source {
 public:
    Source(const std::vector<weights::NamedTensor>& tensors, std::string origin)
        : origin_(std::move(origin)) {
        for (const auto& tensor : tensors) {
            tensors_.emplace(tensor.name, tensor);
        }
    }

    [[nodiscard]] bool has(const std::string& name) const { return tensors_.contains(name); }

    // Side `axis` of a tensor that must be there.
    [[nodiscard]] std::int64_t side(const std::string& name, std::size_t axis) const {
        const auto& shape = find(name).shape;
        if (axis >= shape.size()) {
            fail(name, "has shape " + text_of(shape) + "; more dimensions are needed");
        }
        return shape[axis];
    }

    at::Tensor take(const std::string& name, const Shape& shape) {
        const auto& tensor = find(name);
        if (tensor.shape != shape) {
            fail(name,
                 "has shape " + text_of(tensor.shape) + ", but the others need " + text_of(shape));
        }
        if (const auto index = weights::first_non_finite(tensor)) {
            fail(name, "is not finite at element " + std::to_string(*index));
        }
        taken_.insert(name);
        return weights::to_tensor(tensor, at::kFloat);
    }

    void skip(const std::string& name) { taken_.insert(name); }

    [[nodiscard]] std::vector<std::string> unused() const {
        std::vector<std::string> names;
        for (const auto& [name, tensor] : tensors_) {
            if (!taken_.contains(name)) {
                names.push_back(name);
            }
        }
        return names;
    }

    [[noreturn]] void fail(const std::string& name, const std::string& what) const {
        throw Error(origin_ + ": tensor " + weights::printable(name) + " " + what);
    }
    [[nodiscard]] const std::string& origin() const { return origin_; }

 private:
    [[nodiscard]] const weights::NamedTensor& find(const std::string& name) const {
        const auto found = tensors_.find(name);
        if (found == tensors_.end()) {
            fail(name, "is missing");
        }
        return found->second;
    }

    std::map<std::string, weights::NamedTensor> tensors_;
    std::set<std::string> taken_;
    std::string origin_;
};

// The package in the making.
struct Target {
    ImportedCaptioner captioner;

    void put(const std::string& name, const at::Tensor& tensor) {
        captioner.tensors.push_back(
            weights::from_tensor(name, tensor.contiguous(), weights::DataType::F32));
    }
};

// `from.weight` and `from.bias` of a Linear become `to`'s.
void put_linear(Source& source, Target& target, const std::string& from, const std::string& to,
                std::int64_t out, std::int64_t in) {
    target.put(to + ".weight", source.take(from + ".weight", {out, in}));
    target.put(to + ".bias", source.take(from + ".bias", {out}));
}

// A torch.nn.LSTMCell; its two biases become one.
void put_lstm(Source& source, Target& target, const std::string& from, const std::string& to,
              std::int64_t in, std::int64_t hidden) {
    target.put(to + ".weight_ih", source.take(from + ".weight_ih", {4 * hidden, in}));
    target.put(to + ".weight_hh", source.take(from + ".weight_hh", {4 * hidden, hidden}));
    target.put(to + ".bias", source.take(from + ".bias_ih", {4 * hidden}) +
                                 source.take(from + ".bias_hh", {4 * hidden}));
}

// The embedding of vectors of ruotianluo: a Linear, with `use_bn` behind a BatchNorm1d, which is
// folded into it.
void put_feature_embedding(Source& source, Target& target, std::int64_t out, std::int64_t in) {
    if (source.has("att_embed.0.running_mean")) {
        const at::Tensor scale =
            source.take("att_embed.0.weight", {in}) /
            at::sqrt(source.take("att_embed.0.running_var", {in}) + kBatchNormEpsilon);
        const at::Tensor shift = source.take("att_embed.0.bias", {in}) -
                                 source.take("att_embed.0.running_mean", {in}) * scale;
        source.skip("att_embed.0.num_batches_tracked");
        const at::Tensor weight = source.take("att_embed.1.weight", {out, in});
        target.put("feature_embedding.weight", weight * scale);
        target.put("feature_embedding.bias",
                   source.take("att_embed.1.bias", {out}) + at::mv(weight, shift));
        if (source.has("att_embed.4.running_mean")) {
            source.fail("att_embed.4.running_mean",
                        "belongs to a normalisation behind the embedding (use_bn = 2), which has "
                        "no counterpart here");
        }
        return;
    }
    put_linear(source, target, "att_embed.0", "feature_embedding", out, in);
}

std::int64_t features_of(const Source& source) {
    return source.side(
        source.has("att_embed.0.running_mean") ? "att_embed.1.weight" : "att_embed.0.weight", 1);
}

// The words of a file in which number 0 begins, ends and pads.
struct ZeroWords {
    std::vector<std::string> tokens;  // ours, in order
    at::Tensor rows;                  // row of the file's matrices for each of ours
};

ZeroWords zero_words(const Source& source, const ForeignVocabulary& words, std::int64_t rows,
                     const std::string& matrix) {
    if (static_cast<std::int64_t>(words.words.size()) + 1 != rows) {
        throw Error(source.origin() + ": tensor " + weights::printable(matrix) + " has " +
                    std::to_string(rows) + " rows, for " + std::to_string(rows - 1) +
                    " words and the end; " + words.origin + " holds " +
                    std::to_string(words.words.size()) + " words");
    }
    ZeroWords result;
    result.tokens = {std::string(language::kPadToken), std::string(language::kStartToken),
                     std::string(language::kEndToken)};
    std::vector<std::int64_t> numbers{0, 0, 0};
    std::int64_t expected = 1;
    for (const auto& [number, word] : words.words) {
        if (number != expected++) {
            throw Error(words.origin + ": number " + std::to_string(expected - 1) +
                        " is missing: the words must be numbered from 1 without gaps");
        }
        const bool last = number + 1 == rows;
        if (last && word != "UNK") {
            throw Error(words.origin + ": the last word is " + weights::printable(word) +
                        " where these checkpoints have \"UNK\"; the list is of another order or "
                        "another model");
        }
        result.tokens.push_back(last ? std::string(language::kUnknownToken) : word);
        numbers.push_back(number);
    }
    result.rows = torch::tensor(numbers, at::kLong);
    return result;
}

// Embedding and output matrices by our order of words.
void put_words(Source& source, Target& target, const ForeignVocabulary& words,
               const std::string& embedding, const std::string& output, std::int64_t width,
               std::int64_t output_width) {
    const std::int64_t rows = source.side(output + ".weight", 0);
    const ZeroWords order = zero_words(source, words, rows, output + ".weight");
    target.put("embedding.weight",
               source.take(embedding + ".weight", {rows, width}).index_select(0, order.rows));
    at::Tensor weight =
        source.take(output + ".weight", {rows, output_width}).index_select(0, order.rows);
    at::Tensor bias = source.take(output + ".bias", {rows}).index_select(0, order.rows);
    weight.narrow(0, 0, 2).zero_();  // padding and start
    bias.narrow(0, 0, 2).fill_(kNeverSaid);
    target.put("output.weight", weight);
    target.put("output.bias", bias);
    target.captioner.sizes["vocabulary"] = static_cast<std::int64_t>(order.tokens.size());
    target.captioner.vocabulary =
        language::Vocabulary::from_tokens("en", order.tokens, words.origin);
    // As the repository's evaluation: sums of log-probabilities, the unknown word suppressed.
    auto& decoding = target.captioner.decoding;
    decoding.beam = 5;
    decoding.length_exponent = 0;
    decoding.maximum_length = 20;
    decoding.minimum_length = 0;
    decoding.suppress_unknown = true;
    decoding.forbid_repeats = false;
    decoding.block_ngrams = 0;
}

void put_attention(Source& source, Target& target, std::int64_t attended, std::int64_t hidden) {
    const std::int64_t width = source.side("ctx2att.weight", 0);
    put_linear(source, target, "ctx2att", "attention.feature", width, attended);
    put_linear(source, target, "core.attention.h2att", "attention.hidden", width, hidden);
    put_linear(source, target, "core.attention.alpha_net", "attention.score", 1, width);
    target.captioner.sizes["attention"] = width;
}

void import_up_down(Source& source, const ForeignVocabulary& words, Target& target) {
    const std::int64_t hidden = source.side("core.att_lstm.weight_hh", 1);
    const std::int64_t embedding = source.side("embed.0.weight", 1);
    const std::int64_t features = features_of(source);
    target.captioner.architecture = "up-down";
    target.captioner.sizes = {{"features", features}, {"embedding", embedding}, {"hidden", hidden}};
    target.captioner.options = {{"embedded", true}, {"attention_bias", true}};
    put_words(source, target, words, "embed.0", "logit", embedding, hidden);
    put_feature_embedding(source, target, hidden, features);
    put_linear(source, target, "fc_embed.0", "mean_embedding", hidden, features);
    put_attention(source, target, hidden, hidden);
    put_lstm(source, target, "core.att_lstm", "attention_lstm", embedding + 2 * hidden, hidden);
    put_lstm(source, target, "core.lang_lstm", "language_lstm", 2 * hidden, hidden);
}

void import_att2in(Source& source, const ForeignVocabulary& words, Target& target) {
    const bool embedded = source.has("embed.0.weight");
    const std::string words_name = embedded ? "embed.0" : "embed";
    const std::int64_t hidden = source.side("core.h2h.weight", 1);
    const std::int64_t embedding = source.side(words_name + ".weight", 1);
    const std::int64_t attended = source.side("core.a2c.weight", 1);
    const std::int64_t features = embedded ? features_of(source) : attended;
    target.captioner.architecture = "att2in";
    target.captioner.sizes = {{"features", features}, {"embedding", embedding}, {"hidden", hidden}};
    target.captioner.options = {{"embedded", embedded}};
    put_words(source, target, words, words_name, "logit", embedding, hidden);
    if (embedded) {
        put_feature_embedding(source, target, hidden, features);
    }
    put_attention(source, target, attended, hidden);
    put_linear(source, target, "core.i2h", "lstm.input", 5 * hidden, embedding);
    put_linear(source, target, "core.h2h", "lstm.hidden", 5 * hidden, hidden);
    put_linear(source, target, "core.a2c", "lstm.context", 2 * hidden, attended);
}

void import_new_fc(Source& source, const ForeignVocabulary& words, Target& target) {
    const std::int64_t hidden = source.side("_core.h2h.weight", 1);
    const std::int64_t embedding = source.side("embed.weight", 1);
    const std::int64_t features = source.side("fc_embed.weight", 1);
    target.captioner.architecture = "nic";
    target.captioner.sizes = {{"features", features}, {"embedding", embedding}, {"hidden", hidden}};
    target.captioner.options = {{"cell", "maxout"}, {"tied_output", false}};
    put_words(source, target, words, "embed", "logit", embedding, hidden);
    put_linear(source, target, "fc_embed", "picture", embedding, features);
    put_linear(source, target, "_core.i2h", "lstm.input", 5 * hidden, embedding);
    put_linear(source, target, "_core.h2h", "lstm.hidden", 5 * hidden, hidden);
}

std::int64_t layers_of(const Source& source, const std::string& stack) {
    std::int64_t count = 0;
    while (source.has("model." + stack + ".layers." + std::to_string(count) +
                      ".self_attn.linears.0.weight")) {
        ++count;
    }
    return count;
}

void put_norm(Source& source, Target& target, const std::string& from, const std::string& to,
              std::int64_t width) {
    target.put(to + ".weight", source.take(from + ".a_2", {width}));
    target.put(to + ".bias", source.take(from + ".b_2", {width}));
}

void put_layer(Source& source, Target& target, const std::string& from, const std::string& to,
               bool decoder, std::int64_t width, std::int64_t inner) {
    const auto attention = [&](const std::string& theirs, const std::string& ours, int sublayer) {
        const char* parts[] = {".query", ".key", ".value", ".output"};
        for (int i = 0; i < 4; ++i) {
            put_linear(source, target, from + "." + theirs + ".linears." + std::to_string(i),
                       to + "." + ours + parts[i], width, width);
        }
        put_norm(source, target, from + ".sublayer." + std::to_string(sublayer) + ".norm",
                 to + "." + ours + ".norm", width);
    };
    attention("self_attn", "self_attention", 0);
    if (decoder) {
        attention("src_attn", "picture_attention", 1);
    }
    put_linear(source, target, from + ".feed_forward.w_1", to + ".feed_forward.inner", inner,
               width);
    put_linear(source, target, from + ".feed_forward.w_2", to + ".feed_forward.outer", width,
               inner);
    put_norm(source, target, from + ".sublayer." + (decoder ? "2" : "1") + ".norm",
             to + ".feed_forward.norm", width);
}

void import_transformer(Source& source, const ForeignVocabulary& words, Target& target) {
    const std::int64_t width = source.side("model.tgt_embed.0.lut.weight", 1);
    const std::int64_t inner = source.side("model.encoder.layers.0.feed_forward.w_1.weight", 0);
    const std::int64_t encoder = layers_of(source, "encoder");
    const std::int64_t decoder = layers_of(source, "decoder");
    const std::int64_t heads = words.heads > 0 ? words.heads : 8;
    const std::int64_t features = features_of(source);
    if (decoder == 0 || width % heads != 0) {
        throw Error(source.origin() + ": a Transformer with " + std::to_string(decoder) +
                    " decoder layers of width " + std::to_string(width) + " and " +
                    std::to_string(heads) + " heads cannot be");
    }
    target.captioner.architecture = "transformer";
    target.captioner.sizes = {{"features", features},
                              {"width", width},
                              {"heads", heads},
                              {"feed_forward", inner},
                              {"encoder_layers", encoder},
                              {"decoder_layers", decoder}};
    target.captioner.options = {
        {"norm_place", "before"}, {"norm", "unbiased"}, {"tied_output", false}};
    put_words(source, target, words, "model.tgt_embed.0.lut", "model.generator.proj", width, width);
    put_feature_embedding(source, target, width, features);
    for (std::int64_t i = 0; i < encoder; ++i) {
        put_layer(source, target, "model.encoder.layers." + std::to_string(i),
                  "encoder." + std::to_string(i), false, width, inner);
    }
    for (std::int64_t i = 0; i < decoder; ++i) {
        put_layer(source, target, "model.decoder.layers." + std::to_string(i),
                  "decoder." + std::to_string(i), true, width, inner);
    }
    put_norm(source, target, "model.encoder.norm", "encoder_norm", width);
    put_norm(source, target, "model.decoder.norm", "decoder_norm", width);
    source.skip("model.tgt_embed.1.pe");  // sinusoids
}

void import_sgrvinod(Source& source, const ForeignVocabulary& words, Target& target) {
    const std::int64_t hidden = source.side("decode_step.weight_hh", 1);
    const std::int64_t rows = source.side("embedding.weight", 0);
    const std::int64_t embedding = source.side("embedding.weight", 1);
    const std::int64_t attention = source.side("attention.encoder_att.weight", 0);
    const std::int64_t features = source.side("attention.encoder_att.weight", 1);
    if (static_cast<std::int64_t>(words.words.size()) != rows || words.words.begin()->first != 0 ||
        words.words.rbegin()->first != rows - 1) {
        throw Error(source.origin() + ": tensor \"embedding.weight\" has " + std::to_string(rows) +
                    " rows, but " + words.origin + " holds " + std::to_string(words.words.size()) +
                    " words (numbers from 0 without gaps are needed)");
    }
    target.captioner.architecture = "show-attend-tell";
    target.captioner.sizes = {{"features", features},   {"projection", nullptr},
                              {"attention", attention}, {"hidden", hidden},
                              {"embedding", embedding}, {"vocabulary", rows}};
    target.captioner.options = {{"deep_output", "none"},     {"tied_output", false},
                                {"projection_norm", false},  {"attention_activation", "relu"},
                                {"initial_state", "linear"}, {"gate", "vector"}};
    target.put("embedding.weight", source.take("embedding.weight", {rows, embedding}));
    put_linear(source, target, "fc", "output", rows, hidden);
    put_linear(source, target, "init_h", "initial_hidden.outer", hidden, features);
    put_linear(source, target, "init_c", "initial_cell.outer", hidden, features);
    put_linear(source, target, "f_beta", "gate", features, hidden);
    put_lstm(source, target, "decode_step", "lstm", embedding + features, hidden);
    // Both maps of the attention network have a bias there; their sum is what matters.
    target.put("attention.feature.weight",
               source.take("attention.encoder_att.weight", {attention, features}));
    target.put("attention.feature.bias",
               source.take("attention.encoder_att.bias", {attention}) +
                   source.take("attention.decoder_att.bias", {attention}));
    target.put("attention.hidden.weight",
               source.take("attention.decoder_att.weight", {attention, hidden}));
    put_linear(source, target, "attention.full_att", "attention.score", 1, attention);
    std::vector<std::string> tokens;
    for (const auto& [number, word] : words.words) {
        tokens.push_back(word);
    }
    target.captioner.vocabulary = language::Vocabulary::from_tokens("en", tokens, words.origin);
    auto& decoding = target.captioner.decoding;
    decoding.beam = 5;
    decoding.length_exponent = 0;
    decoding.maximum_length = 50;
    decoding.minimum_length = 0;
    decoding.suppress_unknown = false;
    decoding.forbid_repeats = false;
    decoding.block_ngrams = 0;
}

using Convert = void (*)(Source&, const ForeignVocabulary&, Target&);

struct Recogniser {
    const char* marker;  // a tensor that only this network has
    Convert convert;
    const char* family;
};

constexpr Recogniser kRecognisers[] = {
    {"core.att_lstm.weight_ih", import_up_down, "Up-Down captioner (ruotianluo)"},
    {"core.a2c.weight", import_att2in, "Att2in captioner (ruotianluo)"},
    {"_core.i2h.weight", import_new_fc, "NewFC captioner (ruotianluo)"},
    {"model.tgt_embed.0.lut.weight", import_transformer, "Transformer captioner (ruotianluo)"},
    {"attention.full_att.weight", import_sgrvinod, "Show, Attend and Tell (sgrvinod)"}};

struct Recognised {
    const Recogniser* recogniser;
    std::string prefix;
};

std::optional<Recognised> recognise(const weights::Checkpoint& checkpoint) {
    for (const Recogniser& recogniser : kRecognisers) {
        const auto prefixes = checkpoint.prefixes_of(recogniser.marker);
        if (!prefixes.empty()) {
            return Recognised{&recogniser, prefixes.front()};
        }
    }
    return std::nullopt;
}

}  // namespace

bool has_captioner_names(const weights::Checkpoint& checkpoint) {
    return recognise(checkpoint).has_value();
}

ImportedCaptioner import_captioner(const weights::Checkpoint& checkpoint,
                                   const ForeignVocabulary& words) {
    const auto recognised = recognise(checkpoint);
    if (!recognised) {
        throw Error(checkpoint.origin() + ": found a " + describe_content(checkpoint) +
                    "; it is no captioner that is known");
    }
    Source source(checkpoint.tensors_under(recognised->prefix), checkpoint.origin());
    Target target;
    target.captioner.family = recognised->recogniser->family;
    recognised->recogniser->convert(source, words, target);
    target.captioner.unused = source.unused();
    return std::move(target.captioner);
}

}  // namespace seesay::import
