// CaptionData: which pictures and captions a training run uses, and the proof that it does not see
// its own examination.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "models/language/tokenizer.hpp"
#include "models/language/vocabulary.hpp"
#include "models/metrics/caption_files.hpp"

namespace seesay::training {

/// One picture with its captions, cut into words.
struct CaptionedPicture {
    std::string name;  ///< as the captions file names it
    std::filesystem::path file;
    std::vector<std::string> captions;            ///< raw
    std::vector<std::vector<std::string>> words;  ///< of each caption; never empty
};

/// What data to use.
struct CaptionDataOptions {
    std::filesystem::path images;    ///< folder
    std::filesystem::path captions;  ///< TSV, Karpathy JSON or COCO JSON
    /// Names to train on; empty: all that are not for evaluation.
    std::filesystem::path training_list;
    /// Names that training must not see; empty: the val and test pictures of a file with splits.
    std::filesystem::path evaluation_list;
    int held_out =
        400;  ///< training pictures set aside for the early stop, chosen by their name's hash
    std::string language = "en";
};

/// Training and held-out pictures, and what was left out.
struct CaptionData {
    std::vector<CaptionedPicture> training;
    std::vector<CaptionedPicture> held_out;
    std::int64_t evaluation_pictures = 0;
    std::int64_t evaluation_captions = 0;
    std::int64_t captions_left_out =
        0;  ///< training captions equal to an evaluation caption after normalisation
    std::int64_t pictures_touched = 0;  ///< training pictures that lost a caption that way
    std::int64_t empty_captions = 0;    ///< captions without a word, left out
};

/// Reads the files and applies the rules. Throws Error when a picture file is missing, when a
/// training picture is an evaluation picture (by name or by the bytes of the file), and when
/// training captions cover more than 5 % of the evaluation captions.
CaptionData load_caption_data(const CaptionDataOptions& options);

/// The vocabulary of the training captions (held-out ones not counted): words seen at least
/// `minimum_count` times.
language::Vocabulary build_vocabulary(const CaptionData& data, const std::string& language,
                                      std::int64_t minimum_count);

}  // namespace seesay::training
