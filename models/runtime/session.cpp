// The registry of sessions: equal components on equal devices are opened once.
#include "models/runtime/session.hpp"

#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "models/error.hpp"
#include "models/language/captioner_package.hpp"
#include "models/runtime/captioner_session.hpp"
#include "models/runtime/encoder_session.hpp"
#include "models/runtime/precision_check.hpp"
#include "models/tensor/device.hpp"
#include "models/tensor/threads.hpp"
#include "models/weights/encoder_reference.hpp"
#include "models/weights/model_package.hpp"

namespace seesay::runtime {
namespace {

/// Component hash, device, precision, threads.
using Key = std::tuple<std::string, std::string, std::string, int>;

/// Sessions by key, as long as somebody owns them.
template <class Session>
class Registry {
 public:
    /// The living session of `key`, else the one that `open` makes. Two threads that ask for the
    /// same session get the same: opening happens under the lock, no callback ever does.
    template <class Open>
    std::shared_ptr<Session> find_or_open(const Key& key, Open open) {
        const std::lock_guard lock(mutex_);
        std::erase_if(sessions_, [](const auto& entry) { return entry.second.expired(); });
        if (auto session = sessions_[key].lock()) {
            return session;
        }
        std::shared_ptr<Session> session = open();
        sessions_[key] = session;
        return session;
    }

 private:
    std::mutex mutex_;
    std::map<Key, std::weak_ptr<Session>> sessions_;
};

// Never destroyed: threads may still hold sessions while the process ends.
Registry<Encoder>& encoders() {
    static auto& registry = *new Registry<Encoder>;
    return registry;
}

Registry<Captioner>& captioners() {
    static auto& registry = *new Registry<Captioner>;
    return registry;
}

void check_precision(const std::string& precision) {
    if (precision != "auto" && precision != "fp32" && precision != "bf16") {
        throw Error("precision \"" + precision + "\" is not one of auto, fp32, bf16");
    }
}

std::unique_ptr<vision::GridEncoder> load_encoder(const weights::ModelPackage& package,
                                                  const SessionOptions& options,
                                                  const std::string& precision) {
    vision::GridEncoderOptions grid;
    grid.device = options.device;
    grid.threads = options.threads;
    grid.precision = precision;
    return vision::GridEncoder::load(package, grid);
}

/// What precision "auto" means for an encoder in front of a captioner, decided once by loading it.
class ProbedPrecisions {
 public:
    /// "fp32" or "bf16": the latter only where it runs, pooled features agree, and the captions of
    /// the captioner package that `named` may be stay as they are. `loaded` is set if it had to be
    /// loaded.
    std::string of(const weights::ModelPackage& named, const weights::ModelPackage& encoder,
                   const SessionOptions& options, std::unique_ptr<vision::GridEncoder>& loaded) {
        const std::lock_guard lock(mutex_);
        const Key key{encoder.sha256(), tensor::parse_device(options.device).str(), named.sha256(),
                      tensor::resolve_threads(options.threads)};
        if (const auto known = precisions_.find(key); known != precisions_.end()) {
            return known->second;
        }
        loaded = load_encoder(encoder, options, "auto");
        std::string precision = "fp32";
        if (loaded->path().find("bf16") != std::string::npos) {
            precision = "bf16";
            if (named.kind() == weights::PackageKind::Captioner) {
                auto exact = load_encoder(encoder, options, "fp32");
                if (!captions_agree(*exact, *loaded, encoder, *language::load_captioner(named))) {
                    precision = "fp32";
                    loaded = std::move(exact);
                }
            }
        }
        precisions_[key] = precision;
        return precision;
    }

 private:
    std::mutex mutex_;
    std::map<Key, std::string> precisions_;
};

ProbedPrecisions& probed_precisions() {
    static auto& precisions = *new ProbedPrecisions;
    return precisions;
}

}  // namespace

std::shared_ptr<Encoder> open_encoder(const std::string& package, const SessionOptions& options) {
    check_precision(options.precision);
    const auto named = weights::ModelPackage::open(weights::find_package(package));
    const auto encoder = weights::open_encoder_of(named);
    std::unique_ptr<vision::GridEncoder> loaded;
    const std::string precision = options.precision == "auto"
                                      ? probed_precisions().of(named, encoder, options, loaded)
                                      : options.precision;
    const Key key{encoder.sha256(), tensor::parse_device(options.device).str(), precision,
                  tensor::resolve_threads(options.threads)};
    return encoders().find_or_open(key, [&] {
        return std::make_shared<EncoderSession>(loaded ? std::move(loaded)
                                                       : load_encoder(encoder, options, precision));
    });
}

std::shared_ptr<Captioner> open_captioner(const std::string& package,
                                          const SessionOptions& options) {
    check_precision(options.precision);
    const auto opened = weights::ModelPackage::open(weights::find_package(package));
    const Key key{opened.sha256(), tensor::parse_device(options.device).str(), options.precision,
                  tensor::resolve_threads(options.threads)};
    return captioners().find_or_open(key, [&] {
        return std::make_shared<CaptionerSession>(language::load_captioner(opened),
                                                  options.threads);
    });
}

}  // namespace seesay::runtime
