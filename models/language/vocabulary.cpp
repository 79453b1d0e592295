// Vocabulary: reading, checking and counting.
#include "models/language/vocabulary.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/error.hpp"
#include "models/language/tokenizer.hpp"

namespace seesay::language {
namespace {

constexpr std::size_t kLongestToken = 256;       // bytes
constexpr std::size_t kLargestSize = 1'000'000;  // tokens

[[noreturn]] void fail(const std::string& origin, const std::string& what) {
    throw Error(origin + ": " + what);
}

void check_language(const std::string& language, const std::string& origin) {
    const bool well_formed = language.size() >= 2 && language.size() <= 35 &&
                             std::all_of(language.begin(), language.end(), [](unsigned char c) {
                                 return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                        (c >= '0' && c <= '9') || c == '-';
                             });
    if (!well_formed) {
        fail(origin, "\"language\" must be a BCP 47 tag such as \"en\"");
    }
}

void check_token(const std::string& token, std::size_t index, const std::string& origin) {
    const std::string where = "token " + std::to_string(index);
    if (token.empty()) {
        fail(origin, where + " is empty");
    }
    if (token.size() > kLongestToken) {
        fail(origin, where + " has " + std::to_string(token.size()) + " bytes; at most " +
                         std::to_string(kLongestToken) + " are allowed");
    }
    if (!is_valid_utf8(token)) {
        fail(origin, where + " is not valid UTF-8");
    }
    if (has_control_characters(token)) {
        fail(origin, where + " holds a control character");
    }
}

}  // namespace

Vocabulary Vocabulary::parse(std::string_view json, const std::string& origin) {
    nlohmann::json document;
    try {
        document = nlohmann::json::parse(json);
    } catch (const nlohmann::json::exception& error) {
        fail(origin, std::string("not a JSON document in UTF-8 (") + error.what() + ")");
    }
    if (!document.is_object()) {
        fail(origin, "must be a JSON object with \"format_version\", \"language\" and \"tokens\"");
    }
    const auto version = document.find("format_version");
    if (version == document.end() || !version->is_number_integer() || *version != 1) {
        fail(origin, "\"format_version\" must be the integer 1");
    }
    const auto language = document.find("language");
    if (language == document.end() || !language->is_string()) {
        fail(origin, "\"language\" must be a string");
    }
    const auto list = document.find("tokens");
    if (list == document.end() || !list->is_array()) {
        fail(origin, "\"tokens\" must be a list of strings");
    }
    std::vector<std::string> tokens;
    tokens.reserve(list->size());
    for (const auto& entry : *list) {
        if (!entry.is_string()) {
            fail(origin, "token " + std::to_string(tokens.size()) + " is not a string but " +
                             entry.type_name());
        }
        tokens.push_back(entry.get<std::string>());
    }
    return from_tokens(language->get<std::string>(), std::move(tokens), origin);
}

Vocabulary Vocabulary::from_tokens(std::string language, std::vector<std::string> tokens,
                                   const std::string& origin) {
    check_language(language, origin);
    if (tokens.empty()) {
        fail(origin, "the list of tokens is empty");
    }
    if (tokens.size() > kLargestSize) {
        fail(origin, std::to_string(tokens.size()) + " tokens; at most " +
                         std::to_string(kLargestSize) + " are allowed");
    }
    Vocabulary vocabulary;
    vocabulary.origin_ = origin;
    vocabulary.language_ = std::move(language);
    vocabulary.tokens_ = std::move(tokens);
    for (std::size_t i = 0; i < vocabulary.tokens_.size(); ++i) {
        const std::string& token = vocabulary.tokens_[i];
        check_token(token, i, origin);
        const auto [place, added] = vocabulary.ids_.emplace(token, static_cast<int>(i));
        if (!added) {
            fail(origin, "token \"" + token + "\" is there twice, at " +
                             std::to_string(place->second) + " and " + std::to_string(i));
        }
    }
    const auto special = [&](std::string_view name) {
        const auto id = vocabulary.find(name);
        if (!id) {
            fail(origin, "the special token " + std::string(name) + " is missing");
        }
        return *id;
    };
    vocabulary.pad_ = special(kPadToken);
    vocabulary.start_ = special(kStartToken);
    vocabulary.end_ = special(kEndToken);
    vocabulary.unknown_ = special(kUnknownToken);
    if (vocabulary.tokens_.size() == 4) {
        fail(origin, "there is no word beside the special tokens");
    }
    return vocabulary;
}

const std::string& Vocabulary::word(int id) const {
    if (id < 0 || id >= size()) {
        fail(origin_, "there is no token " + std::to_string(id) + "; the last is " +
                          std::to_string(size() - 1));
    }
    return tokens_[static_cast<std::size_t>(id)];
}

std::optional<int> Vocabulary::find(std::string_view word) const {
    const auto found = ids_.find(std::string(word));
    return found == ids_.end() ? std::nullopt : std::optional<int>(found->second);
}

std::vector<int> Vocabulary::ids(const std::vector<std::string>& words) const {
    std::vector<int> numbers;
    numbers.reserve(words.size());
    for (const auto& word : words) {
        numbers.push_back(id(word));
    }
    return numbers;
}

void Vocabulary::require_size(std::int64_t expected) const {
    if (expected != size()) {
        fail(origin_, "the network knows " + std::to_string(expected) +
                          " words, the vocabulary has " + std::to_string(size()) +
                          "; the two files do not belong together");
    }
}

std::string Vocabulary::to_json() const {
    nlohmann::ordered_json document;
    document["format_version"] = 1;
    document["language"] = language_;
    document["tokens"] = tokens_;
    return document.dump(0) + "\n";
}

void VocabularyBuilder::add(const std::vector<std::string>& words) {
    for (const auto& word : words) {
        ++counts_[word];
        ++words_seen_;
    }
}

Vocabulary VocabularyBuilder::build(const std::string& language, std::int64_t minimum_count) const {
    std::vector<std::pair<std::string, std::int64_t>> kept;
    for (const auto& entry : counts_) {
        if (entry.second >= minimum_count) {
            kept.push_back(entry);
        }
    }
    if (kept.empty()) {
        throw Error("no word was seen " + std::to_string(minimum_count) +
                    " times in the training captions; lower the minimum count or add captions");
    }
    std::stable_sort(kept.begin(), kept.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::vector<std::string> tokens{std::string(kPadToken), std::string(kStartToken),
                                    std::string(kEndToken), std::string(kUnknownToken)};
    for (auto& entry : kept) {
        tokens.push_back(std::move(entry.first));
    }
    return Vocabulary::from_tokens(language, std::move(tokens),
                                   "vocabulary of the training captions");
}

std::int64_t VocabularyBuilder::unknown_to(const Vocabulary& vocabulary) const {
    std::int64_t unknown = 0;
    for (const auto& [word, count] : counts_) {
        if (!vocabulary.find(word)) {
            unknown += count;
        }
    }
    return unknown;
}

}  // namespace seesay::language
