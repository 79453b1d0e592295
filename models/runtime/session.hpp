// Inference sessions: what elements and commands know of the networks. No LibTorch in sight.
//
// A session owns one component (an encoder or a captioner) on one device, and one long-lived thread
// that runs all of its inference. Equal components are shared: `open` gives everybody who asks for
// the same hash, device and precision the same session, and the session ends with its last owner.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "models/language/caption.hpp"
#include "models/language/decoding_options.hpp"
#include "models/vision/feature_set.hpp"
#include "models/vision/frame_view.hpp"
#include "models/vision/image.hpp"
#include "models/vision/preprocessing.hpp"

namespace seesay::runtime {

/// Where and how a session computes.
struct SessionOptions {
    std::string device = "auto";     ///< auto | cpu | cuda | cuda:N
    int threads = 1;                 ///< CPU threads of the session's own team; 0: one a core
    std::string precision = "auto";  ///< auto (bf16 where the probe allows it) | fp32 | bf16
};

/// Work for an encoder. `input` is what `preprocessing()` made of a frame.
struct EncodeRequest {
    vision::Image input;
    vision::SourceFrame frame;
    vision::Geometry geometry;  ///< `picture_box` from preprocessing; the session fills in the rest
    bool alone = false;         ///< never share a batch: same input, same output (mode `every`)
};

/// Exactly one of `features` and `error` is set.
struct EncodeResult {
    std::shared_ptr<const vision::FeatureSet> features;
    std::exception_ptr error;
};

/// Work for a captioner.
struct CaptionRequest {
    std::shared_ptr<const vision::FeatureSet> features;
    language::DecodingOptions decoding;
    std::shared_ptr<const language::Caption>
        previous;  ///< to score again on these features; may be null
    bool alone = false;
};

/// `error`, or `caption` and, where `previous` was given, the same words scored on the new
/// features.
struct CaptionResult {
    std::shared_ptr<const language::Caption> caption;
    std::shared_ptr<const language::Caption> previous;
    std::exception_ptr error;
};

/// What can encode: the real session, or a fake in tests.
class Encoder {
 public:
    using Done = std::function<void(EncodeResult)>;
    virtual ~Encoder() = default;
    [[nodiscard]] virtual const std::string& name() const = 0;
    [[nodiscard]] virtual const std::string& sha256() const = 0;
    [[nodiscard]] virtual const vision::Preprocessing& preprocessing() const = 0;
    /// Queues the request. `done` is called once, on the session's thread (also for requests that a
    /// closing session drops: their error says so); it must return quickly and must not throw.
    virtual void submit(EncodeRequest request, Done done) = 0;
};

/// What can caption: the real session, or a fake in tests.
class Captioner {
 public:
    using Done = std::function<void(CaptionResult)>;
    virtual ~Captioner() = default;
    [[nodiscard]] virtual const std::string& name() const = 0;
    [[nodiscard]] virtual const std::string& sha256() const = 0;
    [[nodiscard]] virtual const std::string& encoder_name() const = 0;
    [[nodiscard]] virtual const std::string& encoder_sha256() const = 0;
    [[nodiscard]] virtual const language::DecodingOptions& decoding_defaults() const = 0;
    [[nodiscard]] virtual const std::string& language() const = 0;  ///< BCP 47
    virtual void submit(CaptionRequest request, Done done) = 0;
};

/// Opens the encoder that `package` names: an encoder package, or a captioner package, of which the
/// encoder is taken. A `package` with a `/` is a path, else a name (see weights::find_package).
/// Throws Error.
std::shared_ptr<Encoder> open_encoder(const std::string& package, const SessionOptions& options);

/// Opens the captioner that `package` names. Throws Error.
std::shared_ptr<Captioner> open_captioner(const std::string& package,
                                          const SessionOptions& options);

}  // namespace seesay::runtime
