// Public captioner checkpoints → the content of a captioner package, with their own numbers.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "models/import/foreign_vocabulary.hpp"
#include "models/language/decoding_options.hpp"
#include "models/language/vocabulary.hpp"
#include "models/weights/checkpoint.hpp"

namespace seesay::import {

/// A captioner that was recognised, in our terms.
struct ImportedCaptioner {
    std::string family;        ///< for people: "Up-Down captioner (ruotianluo)"
    std::string architecture;  ///< as in model.json, as are sizes and options
    nlohmann::json sizes;
    nlohmann::json options;
    std::vector<weights::NamedTensor> tensors;  ///< float32
    language::Vocabulary vocabulary;
    language::DecodingOptions decoding;  ///< as the repository decodes
    std::vector<std::string> unused;     ///< tensors of the file that the captioner does not need
};

/// Whether the tensors are those of a captioner that import_captioner() takes: Up-Down, Att2in,
/// Att2in2, NewFC and Transformer of ruotianluo/ImageCaptioning.pytorch (`model.pth`), or the whole
/// checkpoint of sgrvinod's tutorial.
bool has_captioner_names(const weights::Checkpoint& checkpoint);

/// Converts. The end of a sentence, its beginning and padding, which share number 0 in ruotianluo's
/// files, become three words; those that cannot be said get a bias that makes their probability
/// exactly 0. Throws Error that starts with the file's name: for a tensor that is missing or has
/// another shape (both shapes are named), for a word list of another size (both sizes are named),
/// and for options that have no counterpart here.
ImportedCaptioner import_captioner(const weights::Checkpoint& checkpoint,
                                   const ForeignVocabulary& words);

}  // namespace seesay::import
