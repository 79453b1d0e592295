// Captioner: from FeatureSets to words, one step at a time. What all captioning architectures
// share.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/language/aligned_floats.hpp"
#include "models/language/decoding_options.hpp"
#include "models/language/tokenizer.hpp"
#include "models/language/vocabulary.hpp"
#include "models/vision/feature_set.hpp"

namespace seesay::language {

/// Who a captioner is and which encoder's features it understands.
struct CaptionerIdentity {
    std::string name;          ///< of the package
    std::string sha256;        ///< of the package
    std::string encoder_name;  ///< of the encoder package
    std::string
        encoder_sha256;  ///< of the encoder package; empty: features of any encoder are taken
};

/// What a captioner computes once for a batch of pictures. Made by Captioner::prepare.
class PreparedPictures {
 public:
    virtual ~PreparedPictures() = default;
    [[nodiscard]] int count() const { return static_cast<int>(attended_.size()); }
    /// L of one picture.
    [[nodiscard]] int attended(int picture) const {
        return attended_[static_cast<std::size_t>(picture)];
    }
    /// The largest L; width of a row of attention.
    [[nodiscard]] int longest() const { return longest_; }

 protected:
    explicit PreparedPictures(std::vector<int> attended);

 private:
    std::vector<int> attended_;
    int longest_ = 0;
};

/// The recurrent state of R hypotheses. Made by Captioner::start.
class DecoderState {
 public:
    virtual ~DecoderState() = default;
};

/// What one step gives for R hypotheses. Reused from step to step.
struct StepOutput {
    AlignedFloats logits;      ///< `[R, logits_stride] float32`, the first V of a row are used
    int logits_stride = 0;     ///< padded(V)
    AlignedFloats attention;   ///< `[R, attention_stride] float32`, zero beyond a picture's L
    int attention_stride = 0;  ///< padded(longest L); 0 where the model has no attention
};

/// A captioning network with its vocabulary. Immutable: one instance serves several threads, as
/// long as each has its own pictures, states and outputs.
class Captioner {
 public:
    virtual ~Captioner() = default;
    Captioner(const Captioner&) = delete;
    Captioner& operator=(const Captioner&) = delete;

    [[nodiscard]] const CaptionerIdentity& identity() const { return identity_; }
    [[nodiscard]] const Vocabulary& vocabulary() const { return vocabulary_; }
    [[nodiscard]] const Tokenizer& tokenizer() const { return tokenizer_; }
    [[nodiscard]] const DecodingOptions& decoding_defaults() const { return decoding_defaults_; }
    /// D: what the vectors of a FeatureSet must have.
    [[nodiscard]] int feature_dimension() const { return feature_dimension_; }

    /// Throws Error unless `features` comes from this captioner's encoder and has L ≥ 1 finite
    /// vectors of dimension D.
    void check(const vision::FeatureSet& features) const;

    /// Computes what does not change from word to word. Each picture is computed on its own, so its
    /// numbers do not depend on the others. Calls check() for each. Throws Error for an empty
    /// batch.
    [[nodiscard]] virtual std::unique_ptr<PreparedPictures> prepare(
        std::span<const vision::FeatureSet* const> features) const = 0;

    /// The state before the first word; row r describes picture `pictures[r]`.
    [[nodiscard]] virtual std::unique_ptr<DecoderState> start(
        const PreparedPictures& prepared, std::span<const int> pictures) const = 0;

    /// Keeps the rows `rows`, in this order; a row may be taken several times or not at all.
    virtual void select(DecoderState& state, std::span<const int> rows) const = 0;

    /// Feeds one token a row (the start token first) and gives the logits of the next word with the
    /// attention that led to them.
    virtual void step(const PreparedPictures& prepared, DecoderState& state,
                      std::span<const int> tokens, StepOutput& output) const = 0;

 protected:
    Captioner(CaptionerIdentity identity, Vocabulary vocabulary, DecodingOptions decoding_defaults,
              int feature_dimension);

 private:
    CaptionerIdentity identity_;
    Vocabulary vocabulary_;
    Tokenizer tokenizer_;
    DecodingOptions decoding_defaults_;
    int feature_dimension_;
};

}  // namespace seesay::language
