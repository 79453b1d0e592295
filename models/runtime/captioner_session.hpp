// CaptionerSession: a language::Captioner behind a worker.
#pragma once

#include <memory>
#include <string>

#include "models/language/captioner.hpp"
#include "models/runtime/session.hpp"
#include "models/runtime/worker.hpp"

namespace seesay::runtime {

/// The captioner that open_captioner gives. Requests that came together become one batch of
/// hypotheses, the re-scoring of previous captions among them. Sentences are searched on the CPU,
/// whatever the device: a step is a few rows, too little work to send anywhere.
class CaptionerSession final : public Captioner {
 public:
    /// `threads` as in SessionOptions.
    CaptionerSession(std::unique_ptr<language::Captioner> captioner, int threads);

    [[nodiscard]] const std::string& name() const override { return captioner_->identity().name; }
    [[nodiscard]] const std::string& sha256() const override {
        return captioner_->identity().sha256;
    }
    [[nodiscard]] const std::string& encoder_name() const override {
        return captioner_->identity().encoder_name;
    }
    [[nodiscard]] const std::string& encoder_sha256() const override {
        return captioner_->identity().encoder_sha256;
    }
    [[nodiscard]] const language::DecodingOptions& decoding_defaults() const override {
        return captioner_->decoding_defaults();
    }
    [[nodiscard]] const std::string& language() const override {
        return captioner_->vocabulary().language();
    }
    void submit(CaptionRequest request, Done done) override;

 private:
    std::shared_ptr<language::Captioner> captioner_;
    Worker worker_;  // last: its thread ends before the rest goes
};

}  // namespace seesay::runtime
