// Reading captions, splitting them, and refusing what would make the dev figures worthless.
#include "models/training/caption_data.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "models/error.hpp"
#include "models/weights/sha256.hpp"

namespace seesay::training {
namespace {

namespace fs = std::filesystem;

constexpr double kLargestCoverage = 0.05;

// What two captions must share to be the same: words and digits, whatever stands between them
// ("t-shirt", "t shirt").
std::string normalised(const std::vector<std::string>& words) {
    std::string text;
    for (const auto& word : words) {
        text += text.empty() || text.back() == ' ' ? "" : " ";
        for (const char c : word) {
            const bool separates = static_cast<unsigned char>(c) < 0x80 &&
                                   std::isalnum(static_cast<unsigned char>(c)) == 0;
            if (!separates) {
                text += c;
            } else if (!text.empty() && text.back() != ' ') {
                text += ' ';
            }
        }
    }
    if (!text.empty() && text.back() == ' ') {
        text.pop_back();
    }
    return text;
}

// Names for evaluation: the list, else the val and test pictures of a file that has splits.
std::vector<std::string> names_to_evaluate(const CaptionDataOptions& options,
                                           const metrics::CaptionFile& captions) {
    if (!options.evaluation_list.empty()) {
        return metrics::read_image_list(options.evaluation_list);
    }
    std::vector<std::string> names;
    for (const auto& entry : captions.entries()) {
        if (entry.split == "val" || entry.split == "test") {
            names.push_back(entry.image);
        }
    }
    return names;
}

// Names to train on: the list, else every picture that is not for evaluation.
std::vector<std::string> names_to_train_on(const CaptionDataOptions& options,
                                           const metrics::CaptionFile& captions,
                                           const std::unordered_set<std::string>& evaluation) {
    if (!options.training_list.empty()) {
        return metrics::read_image_list(options.training_list);
    }
    std::vector<std::string> names;
    for (const auto& entry : captions.entries()) {
        if (evaluation.count(entry.image) == 0) {
            names.push_back(entry.image);
        }
    }
    return names;
}

CaptionedPicture read_picture(const CaptionDataOptions& options,
                              const metrics::CaptionFile& captions, const std::string& name,
                              const language::Tokenizer& tokenizer, std::int64_t& empty) {
    const auto* entry = captions.find(name);
    if (entry == nullptr) {
        throw Error(options.captions.string() + ": no caption for the picture '" + name + "'");
    }
    CaptionedPicture picture;
    picture.name = name;
    picture.file = options.images / entry->image;
    if (!entry->folder.empty() &&
        fs::is_regular_file(options.images / entry->folder / entry->image)) {
        picture.file = options.images / entry->folder / entry->image;
    }
    if (!fs::is_regular_file(picture.file)) {
        throw Error(picture.file.string() +
                    ": no such picture file (named in the training or evaluation list)");
    }
    for (const auto& caption : entry->captions) {
        auto words = tokenizer.words(caption);
        if (words.empty()) {
            ++empty;
            continue;
        }
        picture.captions.push_back(caption);
        picture.words.push_back(std::move(words));
    }
    return picture;
}

// Refuses a training picture that is an evaluation picture under the same or another name.
void refuse_shared_pictures(const std::vector<CaptionedPicture>& training,
                            const std::vector<CaptionedPicture>& evaluation) {
    std::unordered_map<std::string, const CaptionedPicture*> by_content;
    std::unordered_set<std::string> names;
    for (const auto& picture : evaluation) {
        names.insert(picture.name);
        by_content.emplace(weights::sha256_of_file(picture.file), &picture);
    }
    for (const auto& picture : training) {
        if (names.count(picture.name) != 0) {
            throw Error("the picture '" + picture.name +
                        "' is in the training list and in the evaluation list; take it out of one");
        }
        const auto found = by_content.find(weights::sha256_of_file(picture.file));
        if (found != by_content.end()) {
            throw Error("the training picture '" + picture.name + "' is the evaluation picture '" +
                        found->second->name + "' under another name; take one out");
        }
    }
}

// Takes out training captions that are, word for word, evaluation captions.
void leave_out_evaluation_captions(CaptionData& data,
                                   const std::vector<CaptionedPicture>& evaluation) {
    std::unordered_map<std::string, std::int64_t> examined;
    for (const auto& picture : evaluation) {
        for (const auto& words : picture.words) {
            ++examined[normalised(words)];
            ++data.evaluation_captions;
        }
    }
    std::set<std::string> covered;
    for (auto& picture : data.training) {
        std::vector<std::string> captions;
        std::vector<std::vector<std::string>> words;
        for (std::size_t i = 0; i < picture.words.size(); ++i) {
            const auto text = normalised(picture.words[i]);
            if (examined.count(text) != 0) {
                covered.insert(text);
                continue;
            }
            captions.push_back(picture.captions[i]);
            words.push_back(picture.words[i]);
        }
        const auto lost = picture.words.size() - words.size();
        data.captions_left_out += static_cast<std::int64_t>(lost);
        data.pictures_touched += lost > 0 ? 1 : 0;
        picture.captions = std::move(captions);
        picture.words = std::move(words);
    }
    std::int64_t covered_captions = 0;
    for (const auto& text : covered) {
        covered_captions += examined[text];
    }
    if (static_cast<double>(covered_captions) >
        kLargestCoverage * static_cast<double>(data.evaluation_captions)) {
        throw Error("training captions repeat " + std::to_string(covered_captions) + " of the " +
                    std::to_string(data.evaluation_captions) +
                    " evaluation captions word for word (more than 5 %): the evaluation would "
                    "measure memory; use other training data");
    }
}

// The same pictures are held out whatever the order of the list: chosen by the hash of their names.
void split_held_out(CaptionData& data, std::size_t count) {
    if (count == 0) {
        return;
    }
    if (count >= data.training.size()) {
        throw Error("cannot hold out " + std::to_string(count) + " of " +
                    std::to_string(data.training.size()) + " training pictures; lower --held-out");
    }
    std::vector<std::pair<std::string, std::size_t>> order;
    for (std::size_t i = 0; i < data.training.size(); ++i) {
        order.emplace_back(weights::sha256_of(data.training[i].name), i);
    }
    std::sort(order.begin(), order.end());
    std::set<std::size_t> chosen;
    for (std::size_t i = 0; i < count; ++i) {
        chosen.insert(order[i].second);
    }
    std::vector<CaptionedPicture> training;
    for (std::size_t i = 0; i < data.training.size(); ++i) {
        (chosen.count(i) != 0 ? data.held_out : training).push_back(std::move(data.training[i]));
    }
    data.training = std::move(training);
}

}  // namespace

CaptionData load_caption_data(const CaptionDataOptions& options) {
    const auto captions = metrics::read_captions(options.captions);
    const language::Tokenizer tokenizer(options.language);
    CaptionData data;

    std::vector<CaptionedPicture> evaluation;
    std::unordered_set<std::string> evaluation_names;
    for (const auto& name : names_to_evaluate(options, captions)) {
        evaluation_names.insert(name);
        evaluation.push_back(read_picture(options, captions, name, tokenizer, data.empty_captions));
    }
    data.evaluation_pictures = static_cast<std::int64_t>(evaluation.size());
    std::unordered_set<std::string> seen;
    for (const auto& name : names_to_train_on(options, captions, evaluation_names)) {
        if (seen.insert(name).second) {
            data.training.push_back(
                read_picture(options, captions, name, tokenizer, data.empty_captions));
        }
    }
    refuse_shared_pictures(data.training, evaluation);
    leave_out_evaluation_captions(data, evaluation);
    std::erase_if(data.training,
                  [](const CaptionedPicture& picture) { return picture.words.empty(); });
    if (data.training.empty()) {
        throw Error(options.captions.string() + ": no picture with a caption is left to train on");
    }
    split_held_out(data, static_cast<std::size_t>(std::max(options.held_out, 0)));
    return data;
}

language::Vocabulary build_vocabulary(const CaptionData& data, const std::string& language,
                                      std::int64_t minimum_count) {
    language::VocabularyBuilder builder;
    for (const auto& picture : data.training) {
        for (const auto& words : picture.words) {
            builder.add(words);
        }
    }
    return builder.build(language, minimum_count);
}

}  // namespace seesay::training
