// A picture through encoder and captioner, its event, its subtitles, its figure.
#include "pipeline/picture_job.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "elements/events/event_json.hpp"
#include "elements/events/publisher.hpp"
#include "elements/overlay/figure.hpp"
#include "elements/source/still_picture.hpp"
#include "models/runtime/session.hpp"
#include "models/vision/image_file.hpp"
#include "models/vision/preprocessing.hpp"
#include "pipeline/output_paths.hpp"
#include "pipeline/text_outputs.hpp"

namespace seesay::pipeline {
namespace {

constexpr std::int64_t kShownFor =
    1'000'000'000;  // a picture lasts as long as one likes; events and cues say a second

std::int64_t now_us() {
    using namespace std::chrono;
    return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

template <typename Result, typename Session, typename Request>
Result wait_for(Session& session, Request request) {
    std::promise<Result> promise;
    session.submit(std::move(request),
                   [&promise](Result result) { promise.set_value(std::move(result)); });
    Result result = promise.get_future().get();
    if (result.error) std::rethrow_exception(result.error);
    return result;
}

std::shared_ptr<const language::Caption> caption(const CaptionJob& job, const vision::Image& image,
                                                 std::int64_t arrival_us) {
    runtime::SessionOptions options;
    options.device = job.device;
    options.threads = job.threads;
    const auto encoder = runtime::open_encoder(job.package, options);
    const auto captioner = runtime::open_captioner(job.package, options);
    if (captioner->encoder_sha256() != encoder->sha256()) {
        throw Error("package " + captioner->name() + ": was made for another encoder than " +
                    encoder->name() + "; fetch or train a matching pair");
    }
    vision::PreprocessedFrame input =
        vision::preprocess(vision::view(image), encoder->preprocessing());
    runtime::EncodeRequest encode;
    encode.input = std::move(input.image);
    encode.geometry.picture_box = input.picture_box;
    encode.frame.pts_ns = encode.frame.running_time_ns = 0;
    encode.frame.wall_clock_us = arrival_us;
    encode.frame.width = image.width;
    encode.frame.height = image.height;
    encode.alone = true;
    runtime::CaptionRequest request;
    request.features = wait_for<runtime::EncodeResult>(*encoder, std::move(encode)).features;
    request.decoding = captioner->decoding_defaults();
    request.decoding.beam = job.beam;
    request.alone = true;
    return wait_for<runtime::CaptionResult>(*captioner, std::move(request)).caption;
}

void write_figure(const vision::Image& image, const language::Caption& caption,
                  const std::filesystem::path& output) {
    const std::filesystem::path part = part_path(output);
    std::error_code ignored;
    try {
        overlay::write_picture(overlay::draw_figure(image, caption), part.string());
        std::filesystem::rename(part, output);
    } catch (const std::exception& error) {
        std::filesystem::remove(part, ignored);
        throw Error(output.string() + ": cannot be written: " + error.what());
    }
}

}  // namespace

bool is_still_picture(const std::string& path) {
    return vision::is_picture_file(path) && !elements::is_animated_picture(path);
}

bool has_picture_name(const std::string& path) {
    std::string extension = std::filesystem::path(path).extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    static constexpr std::array<std::string_view, 7> names{".png", ".jpg", ".jpeg", ".webp",
                                                           ".bmp", ".tif", ".tiff"};
    return std::find(names.begin(), names.end(), extension) != names.end();
}

CaptionJobResult caption_picture(const CaptionJob& job, const CaptionCallbacks& callbacks,
                                 const std::function<vision::Image()>& read,
                                 const std::string& stream) {
    const auto started = std::chrono::steady_clock::now();
    TextOutputs texts({job.jsonl, job.vtt, job.srt});
    elements::Publisher publisher(elements::endpoint_registry(), job.publish, stream);
    const std::int64_t arrival_us = now_us();
    const vision::Image image = read();
    elements::CaptionUpdate update;
    update.caption = caption(job, image, arrival_us);
    update.segment = {1, 1, 0, kShownFor, true};
    const auto elapsed = std::chrono::steady_clock::now() - started;
    update.latency_total_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count();
    if (callbacks.on_caption) callbacks.on_caption(0, update.caption->text);
    publisher.count_frame();
    auto event = publisher.publish(update);
    elements::add_attention_weights(event, *update.caption);
    texts.write_event(elements::to_line(event));
    publisher.finish();
    if (!job.output.empty()) write_figure(image, *update.caption, job.output);
    texts.finish({{0, kShownFor, update.caption->text}});
    CaptionJobResult result;
    result.captions = 1;
    result.progress.frames = 1;
    result.progress.position_ns = result.progress.duration_ns = kShownFor;
    result.progress.elapsed_s = std::chrono::duration<double>(elapsed).count();
    return result;
}

}  // namespace seesay::pipeline
