// Sentence decoding over a captioner's steps: greedy, beam and sampling, for several pictures at
// once, and the scoring of given sentences.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/language/caption.hpp"
#include "models/language/captioner.hpp"

namespace seesay::language {

/// Throws Error naming the option and its range if a value is out of range.
void check(const DecodingOptions& options);

/// Words that leave a sentence of this language (BCP 47) hanging when they end it; empty where none
/// are known.
std::vector<std::string> bad_endings_of(const std::string& language);

/// Reads `model.json`'s `decoding` (keys as in DecodingOptions; absent ones keep their defaults).
/// Throws Error that starts with `origin` for unknown keys, wrong types and values out of range.
DecodingOptions read_decoding_options(const nlohmann::json& json, const std::string& origin);

/// The same keys, for writing packages.
nlohmann::json to_json(const DecodingOptions& options);

/// A decoded or scored sentence. Log-probabilities are those of the network, before any word is
/// forbidden.
struct Sentence {
    std::vector<int> tokens;               ///< without the end token
    std::vector<float> log_probabilities;  ///< one a token
    std::vector<float> attention;          ///< `[T, L] float32`, one row a token; empty without
    int attended = 0;                      ///< L
    float end_log_probability = 0.F;       ///< 0 unless `complete`
    bool complete = false;                 ///< the end token was reached
    double score = 0.0;                    ///< Σ log p / length penalty, end included
};

/// One thing to do for one prepared picture: search a sentence, draw one, or score a given one.
struct SentenceTask {
    int picture = 0;
    DecodingOptions options;           ///< for scoring only `length_exponent` matters
    std::optional<Sampling> sampling;  ///< draw the sentence; `options.beam` does not matter then
    bool given = false;                ///< score `tokens` instead of searching
    std::vector<int> tokens;           ///< without the end token
    bool ends = true;                  ///< whether the end token is scored after `tokens`
};

/// Runs all tasks in one batch of hypotheses. Results do not depend on what else is in the batch.
///
/// Search: every step takes the best 2·beam continuations of a picture's living hypotheses by Σ log
/// p (equal ones: lower token, then lower hypothesis). Those among the first `beam` that end the
/// sentence leave the beam as finished; the best `beam` of the others live on. It stops when `beam`
/// hypotheses have finished, when none living can still win, or at the length limit, and gives the
/// finished hypothesis with the best Σ log p / length^exponent. Where none has finished, the best
/// living one is given with `complete` false. Where the options forbid every word, the sentence may
/// end before its minimum length.
///
/// With required words, each set of them that was said has a beam of its own, and only sentences
/// with all of them end (where none does in time: the one with most). With groups, each group finds
/// a sentence of its own; the best one is given.
///
/// Drawing: see sampling.hpp.
///
/// Throws Error for options out of range, for tokens outside the vocabulary, and "the network gave
/// numbers that are not finite".
std::vector<Sentence> decode(const Captioner& captioner, const PreparedPictures& pictures,
                             std::span<const SentenceTask> tasks);

/// The same with all sentences that a task finds, the best first: one a group of diverse beam
/// search, else just one.
std::vector<std::vector<Sentence>> decode_all(const Captioner& captioner,
                                              const PreparedPictures& pictures,
                                              std::span<const SentenceTask> tasks);

/// The sentence for one FeatureSet, searched.
Sentence describe(const Captioner& captioner, const vision::FeatureSet& features,
                  const DecodingOptions& options);

/// The given tokens on one FeatureSet, scored with their attention.
Sentence score(const Captioner& captioner, const vision::FeatureSet& features,
               const std::vector<int>& tokens, double length_exponent, bool ends = true);

/// A sentence as the Caption that is passed on: words, text, confidence, geometry, frame and model.
/// `inference_ns` counts the captioner alone; the encoder's is added from `features`.
Caption to_caption(const Captioner& captioner, const vision::FeatureSet& features,
                   const Sentence& sentence, std::int64_t inference_ns);

}  // namespace seesay::language
