// Reading, writing and checking of decoding options.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/error.hpp"
#include "models/language/decoding.hpp"
#include "models/weights/json_fields.hpp"
#include "models/weights/nearest_name.hpp"

namespace seesay::language {
namespace {

constexpr int kWidestBeam = 100;
constexpr int kLongestSentence = 200;
constexpr double kLargestExponent = 5.0;
constexpr double kLargestDiversity = 100.0;
constexpr std::size_t kMostRequired = 4;

void require(bool holds, const char* what) {
    if (!holds) {
        throw Error(std::string("decoding: ") + what);
    }
}

}  // namespace

void check(const DecodingOptions& options) {
    require(options.beam >= 1 && options.beam <= kWidestBeam, "beam must be from 1 to 100");
    require(std::isfinite(options.length_exponent) && options.length_exponent >= 0.0 &&
                options.length_exponent <= kLargestExponent,
            "length_exponent must be from 0 to 5");
    require(options.maximum_length >= 1 && options.maximum_length <= kLongestSentence,
            "maximum_length must be from 1 to 200 words");
    require(options.minimum_length >= 0 && options.minimum_length <= options.maximum_length,
            "minimum_length must be from 0 to maximum_length");
    require(options.block_ngrams >= 0 && options.block_ngrams <= kLongestSentence,
            "block_ngrams must be from 0 (off) to 200");
    require(options.required_words.size() <= kMostRequired, "at most 4 words can be required");
    require(options.groups >= 1 && options.beam % options.groups == 0,
            "groups must divide the beam");
    require(std::isfinite(options.diversity) && options.diversity >= 0.0 &&
                options.diversity <= kLargestDiversity,
            "diversity must be from 0 to 100");
}

std::vector<std::string> bad_endings_of(const std::string& language) {
    if (language != "en" && !language.starts_with("en-")) {
        return {};
    }
    return {"a",     "an", "the",  "in",   "for", "at", "of",  "with", "before",
            "after", "on", "upon", "near", "to",  "is", "are", "am",   "and"};
}

DecodingOptions read_decoding_options(const nlohmann::json& json, const std::string& origin) {
    const weights::JsonFields fields(json, origin, "decoding");
    const nlohmann::json known = to_json(DecodingOptions{});
    for (const auto& [key, value] : json.items()) {
        if (!known.contains(key)) {
            std::vector<std::string> names;
            for (const auto& entry : known.items()) {
                names.push_back(entry.key());
            }
            const auto near = weights::nearest_name(key, names);
            fields.fail(key, "is not a decoding option" +
                                 (near ? "; did you mean \"" + *near + "\"?" : std::string()));
        }
    }
    DecodingOptions options;
    const auto integer = [&](const char* key, int& target, int minimum, int maximum) {
        if (fields.has(key)) {
            target = static_cast<int>(fields.integer(key, minimum, maximum));
        }
    };
    integer("beam", options.beam, 1, kWidestBeam);
    integer("maximum_length", options.maximum_length, 1, kLongestSentence);
    integer("minimum_length", options.minimum_length, 0, options.maximum_length);
    integer("block_ngrams", options.block_ngrams, 0, kLongestSentence);
    if (fields.has("length_exponent")) {
        options.length_exponent = fields.number("length_exponent", 0.0, kLargestExponent);
    }
    if (fields.has("suppress_unknown")) {
        options.suppress_unknown = fields.boolean("suppress_unknown");
    }
    if (fields.has("forbid_repeats")) {
        options.forbid_repeats = fields.boolean("forbid_repeats");
    }
    if (fields.has("length_penalty")) {
        options.length_penalty = fields.choice("length_penalty", {"power", "wu"}) == "wu"
                                     ? LengthPenalty::Wu
                                     : LengthPenalty::Power;
    }
    const auto words = [&](const char* key, std::vector<std::string>& target) {
        if (!fields.has(key)) {
            return;
        }
        const auto& list = json.at(key);
        if (!list.is_array() || !std::all_of(list.begin(), list.end(),
                                             [](const auto& word) { return word.is_string(); })) {
            fields.fail(key, "must be a list of words");
        }
        target = list.template get<std::vector<std::string>>();
    };
    words("bad_endings", options.bad_endings);
    words("forbidden_words", options.forbidden_words);
    words("required_words", options.required_words);
    integer("groups", options.groups, 1, kWidestBeam);
    if (fields.has("diversity")) {
        options.diversity = fields.number("diversity", 0.0, kLargestDiversity);
    }
    return options;
}

nlohmann::json to_json(const DecodingOptions& options) {
    return {{"beam", options.beam},
            {"length_exponent", options.length_exponent},
            {"maximum_length", options.maximum_length},
            {"minimum_length", options.minimum_length},
            {"suppress_unknown", options.suppress_unknown},
            {"forbid_repeats", options.forbid_repeats},
            {"block_ngrams", options.block_ngrams},
            {"length_penalty", options.length_penalty == LengthPenalty::Wu ? "wu" : "power"},
            {"bad_endings", options.bad_endings},
            {"forbidden_words", options.forbidden_words},
            {"required_words", options.required_words},
            {"groups", options.groups},
            {"diversity", options.diversity}};
}

}  // namespace seesay::language
