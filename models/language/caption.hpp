// Caption: the words a captioner found for one FeatureSet, with the attention behind each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/vision/feature_set.hpp"

namespace seesay::language {

/// One word of a caption.
struct Token {
    int id = 0;                   ///< in the vocabulary
    std::string text;             ///< as the vocabulary spells it, valid UTF-8
    float log_probability = 0.F;  ///< natural logarithm, ≤ 0
};

/// Who made a caption: event key `model`.
struct ModelId {
    std::string name;
    std::string sha256;  ///< of the captioner package
};

/// Immutable once shared: passed on as `std::shared_ptr<const Caption>`.
struct Caption {
    std::vector<Token> tokens;  ///< without the end token
    std::string text;           ///< the tokens as a sentence
    std::string language;       ///< BCP 47
    float end_log_probability =
        0.F;                 ///< of the end token; 0 where the length limit cut the sentence
    bool complete = true;    ///< false: the length limit cut it
    float confidence = 0.F;  ///< exp(mean log-probability), end token included
    double score = 0.0;      ///< what decoding ranked by: Σ log p / length^exponent
    std::vector<float>
        attention;     ///< `[T, L] float32`, one row a token; empty where the model has none
    int attended = 0;  ///< L
    vision::Geometry geometry;  ///< of the attention
    vision::SourceFrame frame;  ///< the frame it describes
    ModelId model;
    std::int64_t inference_ns = 0;  ///< encoder and captioner together
};

}  // namespace seesay::language
