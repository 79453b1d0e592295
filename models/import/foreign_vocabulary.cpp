// JSON and pickle forms of the same table.
#include "models/import/foreign_vocabulary.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "models/error.hpp"
#include "models/weights/printable.hpp"
#include "models/weights/strict_json.hpp"

namespace seesay::import {
namespace {

namespace fs = std::filesystem;
using weights::PickleValue;
using Kind = PickleValue::Kind;

// A cocotalk.json holds a line for each of 123,000 pictures beside its words.
constexpr std::uintmax_t kLargestFile = std::uintmax_t{256} << 20U;

class Table {
 public:
    explicit Table(std::string origin) { result_.origin = std::move(origin); }

    void add(std::int64_t number, const std::string& word) {
        if (!result_.words.emplace(number, word).second) {
            throw Error(result_.origin + ": number " + std::to_string(number) +
                        " belongs to two words");
        }
        if (!seen_.insert(word).second) {
            throw Error(result_.origin + ": word " + weights::printable(word) + " has two numbers");
        }
    }

    ForeignVocabulary take() {
        if (result_.words.empty()) {
            throw Error(result_.origin + ": the word list is empty");
        }
        return std::move(result_);
    }

    ForeignVocabulary result_;

 private:
    std::set<std::string> seen_;
};

std::optional<std::int64_t> integer_of(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= 0
               ? std::optional(value)
               : std::nullopt;
}

std::optional<std::int64_t> integer_of(const PickleValue& value) {
    if (value.is(Kind::Integer) && value.integer >= 0) {
        return value.integer;
    }
    return value.is(Kind::String) || value.is(Kind::Bytes) ? integer_of(value.text) : std::nullopt;
}

[[noreturn]] void fail(const std::string& origin) {
    throw Error(origin +
                ": is no word list that is known: infos.pkl or cocotalk.json of ruotianluo, a "
                "WORDMAP JSON of sgrvinod, the dictionary pickle of arctic-captions");
}

ForeignVocabulary from_json(const nlohmann::json& json, const std::string& origin) {
    Table table(origin);
    if (!json.is_object()) {
        fail(origin);
    }
    const bool by_number = json.contains("ix_to_word") && json["ix_to_word"].is_object();
    for (const auto& [key, value] : (by_number ? json["ix_to_word"] : json).items()) {
        const auto number = by_number ? integer_of(key) : std::nullopt;
        if (by_number && number && value.is_string()) {
            table.add(*number, value.get<std::string>());
        } else if (!by_number && value.is_number_integer() && value.get<std::int64_t>() >= 0) {
            table.add(value.get<std::int64_t>(), key);
        } else {
            fail(origin);
        }
    }
    return table.take();
}

// The attribute of an argparse.Namespace or the value of a dictionary.
const PickleValue* attribute(const PickleValue* object, std::string_view name) {
    if (object == nullptr) {
        return nullptr;
    }
    const PickleValue* found = object->find(name);
    return found == nullptr && object->state != nullptr ? object->state->find(name) : found;
}

ForeignVocabulary from_pickle(const PickleValue& root, const std::string& origin) {
    Table table(origin);
    if (!root.is(Kind::Dict)) {
        fail(origin);
    }
    const PickleValue* vocabulary = root.find("vocab");
    const bool by_number = vocabulary != nullptr && vocabulary->is(Kind::Dict);
    for (const auto& [key, value] : (by_number ? *vocabulary : root).entries) {
        const PickleValue& number = by_number ? *key : *value;
        const PickleValue& word = by_number ? *value : *key;
        const auto integer = integer_of(number);
        if (!integer || !(word.is(Kind::String) || word.is(Kind::Bytes))) {
            fail(origin);
        }
        table.add(*integer, word.text);
    }
    if (by_number) {
        const PickleValue* heads = attribute(root.find("opt"), "num_att_heads");
        if (heads != nullptr && heads->is(Kind::Integer) && heads->integer > 0) {
            table.result_.heads = heads->integer;
        }
    }
    return table.take();
}

}  // namespace

std::int64_t ForeignVocabulary::number_of(const std::string& word) const {
    for (const auto& [number, known] : words) {
        if (known == word) {
            return number;
        }
    }
    throw Error(origin + ": has no word " + weights::printable(word));
}

ForeignVocabulary read_foreign_vocabulary(const fs::path& file) {
    std::error_code missing;
    const auto size = fs::file_size(file, missing);
    if (missing) {
        throw Error(file.string() + ": cannot be read: " + missing.message());
    }
    if (size > kLargestFile) {
        throw Error(file.string() + ": is too large for a word list");
    }
    std::ifstream stream(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first != std::string::npos && text[first] == '{') {
        return from_json(weights::parse_strict_json(text, file.string()), file.string());
    }
    const auto checkpoint = weights::Checkpoint::open(file);
    return from_pickle(checkpoint.root(), file.string());
}

}  // namespace seesay::import
