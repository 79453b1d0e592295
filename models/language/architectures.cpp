// Reading of sizes and options, one function an architecture, and the table of flavours.
#include "models/language/architectures.hpp"

#include <algorithm>
#include <functional>

#include "models/error.hpp"
#include "models/language/att2in.hpp"
#include "models/language/nic.hpp"
#include "models/language/show_attend_tell.hpp"
#include "models/language/transformer.hpp"
#include "models/language/up_down.hpp"
#include "models/weights/json_fields.hpp"
#include "models/weights/printable.hpp"

namespace seesay::language {
namespace {

constexpr std::int64_t kLargestSize = 65'536;
constexpr std::int64_t kLargestVocabulary = 1'000'000;

// `sizes` and `options` of one model.json. Each key that is asked for is noted, so that others can
// be refused.
class Statement {
 public:
    Statement(const nlohmann::json& sizes, const nlohmann::json& options, const std::string& origin)
        : no_options_(nlohmann::json::object()),
          sizes_(sizes, origin, "sizes"),
          options_(options.is_null() ? no_options_ : options, origin, "options") {}

    std::int64_t size(const char* key) {
        size_keys_.emplace_back(key);
        return sizes_.integer(key, 1, kLargestSize);
    }
    /// null: 0.
    std::int64_t optional_size(const char* key) {
        return sizes_.has(key) && sizes_.json().at(key).is_null() ? note(key) : size(key);
    }
    std::int64_t vocabulary() {
        size_keys_.emplace_back("vocabulary");
        return sizes_.integer("vocabulary", 1, kLargestVocabulary);
    }
    bool flag(const char* key, bool otherwise) {
        option_keys_.emplace_back(key);
        return options_.has(key) ? options_.boolean(key) : otherwise;
    }
    std::string choice(const char* key, const std::vector<std::string>& choices) {
        option_keys_.emplace_back(key);
        return options_.has(key) ? options_.choice(key, choices) : choices.front();
    }
    [[noreturn]] void fail_size(const char* key, const std::string& what) const {
        sizes_.fail(key, what);
    }
    [[noreturn]] void fail_option(const char* key, const std::string& what) const {
        options_.fail(key, what);
    }
    void refuse_other_keys() const {
        refuse(sizes_, size_keys_);
        refuse(options_, option_keys_);
    }

 private:
    std::int64_t note(const char* key) {
        size_keys_.emplace_back(key);
        return 0;
    }
    static void refuse(const weights::JsonFields& fields, const std::vector<std::string>& known) {
        for (const auto& [key, value] : fields.json().items()) {
            if (std::find(known.begin(), known.end(), key) == known.end()) {
                fields.fail(key, "is not known to this architecture");
            }
        }
    }

    nlohmann::json no_options_;
    weights::JsonFields sizes_;
    weights::JsonFields options_;
    std::vector<std::string> size_keys_;
    std::vector<std::string> option_keys_;
};

struct Making {
    Statement& stated;
    const NetworkDropout& dropout;
    std::int64_t unknown_token;
    Initialisation initialisation;

    template <typename Network, typename Sizes>
    [[nodiscard]] std::shared_ptr<CaptionNetwork> network(const Sizes& sizes) const {
        stated.refuse_other_keys();
        return std::make_shared<Network>(sizes, dropout, unknown_token, initialisation);
    }
};

std::shared_ptr<CaptionNetwork> make_show_attend_tell(const Making& make) {
    Statement& stated = make.stated;
    ShowAttendTellSizes sizes;
    sizes.features = stated.size("features");
    sizes.projection = stated.optional_size("projection");
    sizes.attention = stated.size("attention");
    sizes.hidden = stated.size("hidden");
    sizes.embedding = stated.size("embedding");
    sizes.vocabulary = stated.vocabulary();
    const std::string deep = stated.choice("deep_output", {"linear", "tanh", "none"});
    sizes.deep_output = deep != "none";
    sizes.tanh_output = deep == "tanh";
    sizes.tied_output = stated.flag("tied_output", true);
    sizes.projection_norm = stated.flag("projection_norm", sizes.projection > 0);
    sizes.relu_attention = stated.choice("attention_activation", {"tanh", "relu"}) == "relu";
    sizes.second_layer = stated.flag("second_layer", false);
    sizes.linear_start = stated.choice("initial_state", {"mlp", "linear"}) == "linear";
    sizes.gate_vector = stated.choice("gate", {"scalar", "vector"}) == "vector";
    sizes.most_likely_place =
        stated.choice("place", {"expectation", "most_likely"}) == "most_likely";
    if (sizes.projection_norm && sizes.projection == 0) {
        stated.fail_option("projection_norm", "is true, but there is no projection");
    }
    if (sizes.tied_output && sizes.deep() != sizes.embedding) {
        stated.fail_option("tied_output", "needs \"hidden\" equal to \"embedding\" here");
    }
    return make.network<ShowAttendTell>(sizes);
}

std::shared_ptr<CaptionNetwork> make_nic(const Making& make) {
    Statement& stated = make.stated;
    NicSizes sizes;
    sizes.features = stated.size("features");
    sizes.embedding = stated.size("embedding");
    sizes.hidden = stated.size("hidden");
    sizes.vocabulary = stated.vocabulary();
    sizes.maxout = stated.choice("cell", {"lstm", "maxout"}) == "maxout";
    sizes.tied_output = stated.flag("tied_output", false);
    if (sizes.tied_output && sizes.hidden != sizes.embedding) {
        stated.fail_option("tied_output", "needs \"hidden\" equal to \"embedding\"");
    }
    return make.network<Nic>(sizes);
}

std::shared_ptr<CaptionNetwork> make_att2in(const Making& make) {
    Statement& stated = make.stated;
    Att2inSizes sizes;
    sizes.features = stated.size("features");
    sizes.embedding = stated.size("embedding");
    sizes.hidden = stated.size("hidden");
    sizes.attention = stated.size("attention");
    sizes.vocabulary = stated.vocabulary();
    sizes.embedded = stated.flag("embedded", false);
    return make.network<Att2in>(sizes);
}

std::shared_ptr<CaptionNetwork> make_up_down(const Making& make) {
    Statement& stated = make.stated;
    UpDownSizes sizes;
    sizes.features = stated.size("features");
    sizes.embedding = stated.size("embedding");
    sizes.hidden = stated.size("hidden");
    sizes.attention = stated.size("attention");
    sizes.vocabulary = stated.vocabulary();
    sizes.embedded = stated.flag("embedded", false);
    sizes.attention_bias = stated.flag("attention_bias", false);
    return make.network<UpDown>(sizes);
}

std::shared_ptr<CaptionNetwork> make_transformer(const Making& make) {
    Statement& stated = make.stated;
    TransformerSizes sizes;
    sizes.features = stated.size("features");
    sizes.width = stated.size("width");
    sizes.heads = stated.size("heads");
    sizes.feed_forward = stated.size("feed_forward");
    sizes.encoder_layers = stated.size("encoder_layers");
    sizes.decoder_layers = stated.size("decoder_layers");
    sizes.vocabulary = stated.vocabulary();
    sizes.pre_norm = stated.choice("norm_place", {"after", "before"}) == "before";
    sizes.unbiased_norm = stated.choice("norm", {"layer_norm", "unbiased"}) == "unbiased";
    sizes.tied_output = stated.flag("tied_output", true);
    if (sizes.width % sizes.heads != 0 || sizes.width % 2 != 0) {
        stated.fail_size("width", "must be even and a multiple of \"heads\"");
    }
    return make.network<Transformer>(sizes);
}

using Maker = std::function<std::shared_ptr<CaptionNetwork>(const Making&)>;

const std::vector<std::pair<std::string, Maker>>& makers() {
    static const std::vector<std::pair<std::string, Maker>> table{
        {"nic", make_nic},
        {"show-attend-tell", make_show_attend_tell},
        {"att2in", make_att2in},
        {"up-down", make_up_down},
        {"transformer", make_transformer}};
    return table;
}

}  // namespace

// Vocabularies at full size: 10,000 words of the Show-Attend-Tell authors, 9,490 and 9,488 of the
// checkpoints on COCO, 10,010 of the Up-Down authors.
const std::vector<Architecture>& architectures() {
    static const std::vector<Architecture> table{
        {"nic",
         "NIC, \"Show and Tell\" (Vinyals et al. 2015): the picture is read first; no attention",
         {{"paper",
           {{"features", 2048}, {"embedding", 512}, {"hidden", 512}, {"vocabulary", 9488}},
           {{"cell", "lstm"}}},
          {"ruotianluo",
           {{"features", 2048}, {"embedding", 512}, {"hidden", 512}, {"vocabulary", 9488}},
           {{"cell", "maxout"}}}}},
        {"show-attend-tell",
         "Show, Attend and Tell (Xu et al. 2015): soft or hard attention over a grid",
         {{"paper",
           {{"features", 512},
            {"projection", nullptr},
            {"attention", 512},
            {"hidden", 1800},
            {"embedding", 512},
            {"vocabulary", 10000}},
           {{"tied_output", false}}},
          {"arctic-captions",
           {{"features", 512},
            {"projection", nullptr},
            {"attention", 512},
            {"hidden", 1800},
            {"embedding", 512},
            {"vocabulary", 10000}},
           {{"deep_output", "tanh"}, {"tied_output", false}, {"second_layer", true}}},
          {"sgrvinod",
           {{"features", 2048},
            {"projection", nullptr},
            {"attention", 512},
            {"hidden", 512},
            {"embedding", 512},
            {"vocabulary", 9490}},
           {{"deep_output", "none"},
            {"tied_output", false},
            {"attention_activation", "relu"},
            {"initial_state", "linear"},
            {"gate", "vector"}}}}},
        {"att2in",
         "Att2in (Rennie et al. 2017): attention reaches the cell of a max-out LSTM alone",
         {{"paper",
           {{"features", 2048},
            {"embedding", 512},
            {"hidden", 512},
            {"attention", 512},
            {"vocabulary", 9488}},
           {{"embedded", false}}},
          {"ruotianluo",
           {{"features", 2048},
            {"embedding", 512},
            {"hidden", 512},
            {"attention", 512},
            {"vocabulary", 9488}},
           {{"embedded", true}}}}},
        {"up-down",
         "Up-Down (Anderson et al. 2018): attention LSTM and language LSTM over regions",
         {{"paper",
           {{"features", 2048},
            {"embedding", 1000},
            {"hidden", 1000},
            {"attention", 512},
            {"vocabulary", 10010}},
           {{"embedded", false}, {"attention_bias", false}}},
          {"ruotianluo",
           {{"features", 2048},
            {"embedding", 1000},
            {"hidden", 1000},
            {"attention", 512},
            {"vocabulary", 9488}},
           {{"embedded", true}, {"attention_bias", true}}}}},
        {"transformer",
         "Transformer (Vaswani et al. 2017): encoder over regions or a grid, decoder over words",
         {{"paper",
           {{"features", 2048},
            {"width", 512},
            {"heads", 8},
            {"feed_forward", 2048},
            {"encoder_layers", 6},
            {"decoder_layers", 6},
            {"vocabulary", 9488}},
           {{"norm_place", "after"}, {"norm", "layer_norm"}, {"tied_output", true}}},
          {"ruotianluo",
           {{"features", 2048},
            {"width", 512},
            {"heads", 8},
            {"feed_forward", 2048},
            {"encoder_layers", 6},
            {"decoder_layers", 6},
            {"vocabulary", 9488}},
           {{"norm_place", "before"}, {"norm", "unbiased"}, {"tied_output", false}}}}}};
    return table;
}

std::shared_ptr<CaptionNetwork> make_network(
    const std::string& architecture, const nlohmann::json& sizes, const nlohmann::json& options,
    const std::string& origin, const NetworkDropout& dropout, std::int64_t unknown_token,
    Initialisation initialisation) {
    std::string known;
    for (const auto& [name, maker] : makers()) {
        if (name == architecture) {
            Statement stated(sizes, options, origin);
            return maker({stated, dropout, unknown_token, initialisation});
        }
        known.append(known.empty() ? "" : ", ").append(name);
    }
    throw Error(origin + ": captioner architecture " + weights::printable(architecture) +
                " is not known; known are " + known);
}

std::int64_t parameter_count(const std::string& architecture, const Flavour& flavour) {
    const auto network = make_network(architecture, flavour.sizes, flavour.options, flavour.name,
                                      {}, 0, Initialisation::None);
    std::int64_t count = 0;
    for (const at::Tensor& parameter : network->parameters()) {
        count += parameter.numel();
    }
    return count;
}

}  // namespace seesay::language
