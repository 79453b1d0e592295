// Word lists of public captioning repositories: which word has which number.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "models/weights/checkpoint.hpp"

namespace seesay::import {

/// Words by number, as a repository counts them; numbers may have gaps.
struct ForeignVocabulary {
    std::string origin;  ///< for messages
    std::map<std::int64_t, std::string> words;
    std::int64_t heads = 0;  ///< attention heads, where the file tells them; else 0

    /// The number of `word`. Throws Error if it is not there.
    [[nodiscard]] std::int64_t number_of(const std::string& word) const;
};

/// Reads a word list by its content: the pickled `infos` of ruotianluo/ImageCaptioning.pytorch (key
/// `vocab`, number → word), its `cocotalk.json` (key `ix_to_word`), a JSON object word → number
/// (the WORDMAP of sgrvinod's tutorial), or the pickled dictionary word → number of
/// arctic-captions. Throws Error for anything else and for a number or a word that is there twice.
ForeignVocabulary read_foreign_vocabulary(const std::filesystem::path& file);

}  // namespace seesay::import
