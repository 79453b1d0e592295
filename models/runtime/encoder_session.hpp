// EncoderSession: a GridEncoder behind a worker.
#pragma once

#include <memory>
#include <string>

#include "models/runtime/session.hpp"
#include "models/runtime/worker.hpp"
#include "models/vision/grid_encoder.hpp"

namespace seesay::runtime {

/// The encoder that open_encoder gives. Batches pictures that came together.
class EncoderSession final : public Encoder {
 public:
    explicit EncoderSession(std::unique_ptr<vision::GridEncoder> encoder);

    [[nodiscard]] const std::string& name() const override { return encoder_->name(); }
    [[nodiscard]] const std::string& sha256() const override { return encoder_->sha256(); }
    [[nodiscard]] const vision::Preprocessing& preprocessing() const override {
        return encoder_->preprocessing();
    }
    void submit(EncodeRequest request, Done done) override;

 private:
    std::shared_ptr<vision::GridEncoder> encoder_;
    Worker worker_;  // last: its thread ends before the rest goes
};

}  // namespace seesay::runtime
