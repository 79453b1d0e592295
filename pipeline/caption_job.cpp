// What kind of input it is, what is refused before any work, and who does the work.
#include "pipeline/caption_job.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <string_view>

#include "elements/events/stream_name.hpp"
#include "elements/source/film_input.hpp"
#include "pipeline/encoder.hpp"
#include "pipeline/film_run.hpp"
#include "pipeline/output_paths.hpp"
#include "pipeline/picture_job.hpp"

namespace seesay::pipeline {
namespace {

using elements::FilmInput;

bool is_one_of(const std::string& value, std::initializer_list<std::string_view> allowed) {
    return std::find(allowed.begin(), allowed.end(), value) != allowed.end();
}

void check_values(const CaptionJob& job) {
    if (job.input.empty()) throw UsageError("no input was given");
    if (!(job.interval >= 0.0) || job.interval > 86'400.0)
        throw UsageError("interval: must be from 0 to 86400 seconds");
    if (job.beam < 1 || job.beam > 100) throw UsageError("beam: must be from 1 to 100");
    if (job.threads < 0 || job.threads > 1024) throw UsageError("threads: must be from 0 to 1024");
    if (!is_one_of(job.mode, {"auto", "every", "latest"}))
        throw UsageError("mode: must be auto, every or latest");
    if (!is_one_of(job.attention, {"", "none", "words", "mean"}))
        throw UsageError("attention: must be none, words or mean");
    if (!job.burn && !is_one_of(job.attention, {"", "none"})) {
        throw UsageError("attention " + job.attention +
                         ": nothing is drawn when the video is copied (burn none)");
    }
    if (!job.stream.empty() && !elements::is_stream_name(job.stream)) {
        throw UsageError("stream " + job.stream +
                         ": must be 1 to 64 of the characters A-Z a-z 0-9 . _ -");
    }
    const int to_standard_output = (job.jsonl == "-") + (job.vtt == "-") + (job.srt == "-");
    if (to_standard_output > 1)
        throw UsageError("only one of the outputs can be - (standard output)");
}

// Every output is a file of its own, and none is the input.
void check_outputs(const CaptionJob& job, const std::string& input_path) {
    std::vector<std::string> outputs;
    for (const std::string* name : {&job.output, &job.jsonl, &job.vtt, &job.srt}) {
        if (!name->empty() && *name != "-") outputs.push_back(*name);
    }
    if (!job.output.empty() && job.vtt.empty() &&
        std::filesystem::path(job.output).extension() == ".webm") {
        outputs.push_back(std::filesystem::path(job.output).replace_extension(".vtt").string());
    }
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        check_output(outputs[i], input_path, job.force);
        for (std::size_t k = 0; k < i; ++k) {
            if (std::filesystem::absolute(outputs[i]).lexically_normal() ==
                    std::filesystem::absolute(outputs[k]).lexically_normal() ||
                is_same_file(outputs[i], outputs[k])) {
                throw UsageError(outputs[i] + ": two outputs have this name");
            }
        }
    }
}

std::string stream_name(const CaptionJob& job) {
    if (!job.stream.empty()) return job.stream;
    if (job.input == "-") return "stdin";
    std::string name = job.input;
    while (name.size() > 1 && name.back() == '/')
        name.pop_back();
    const auto slash = name.find_last_of('/');
    return elements::stream_name_from(slash == std::string::npos ? name : name.substr(slash + 1));
}

bool is_device(const std::string& path) {
    std::error_code failed;
    return std::filesystem::is_character_file(path, failed);
}

// Addresses that libavformat would read too, but that never end: GStreamer plays those.
bool is_live_address(const std::string& input) {
    for (const std::string_view scheme :
         {"rtsp:", "rtsps:", "rtmp:", "rtmps:", "udp:", "rtp:", "srt:", "v4l2:", "webrtc:"}) {
        if (input.starts_with(scheme)) return true;
    }
    return false;
}

// Null for what GStreamer has to play.
std::unique_ptr<FilmInput> open_film(const CaptionJob& job, const std::string& path,
                                     const std::atomic<bool>& stop) {
    if (is_device(path) || (path.empty() && job.input != "-" && is_live_address(job.input))) {
        return nullptr;
    }
    elements::FilmInputOptions options;
    options.stop = &stop;
    if (!path.empty() || job.input == "-") {
        return FilmInput::open(job.input, options);
    }
    if (!job.input.starts_with("http:") && !job.input.starts_with("https:")) {
        return nullptr;
    }
    auto film = FilmInput::open(job.input, options);
    // An address without an end (a camera's pictures, a live list) is a stream.
    return film->seekable() || film->duration_ns() > 0 ? std::move(film) : nullptr;
}

void check_kinds(const CaptionJob& job, bool picture) {
    if (job.output.empty()) {
        return;
    }
    const bool picture_name = has_picture_name(job.output);
    if (picture && !picture_name) {
        container_of(job.output);
        throw UsageError(job.output + ": " + job.input +
                         " is a picture, whose figure is a picture too: use .png or .jpg");
    }
    if (!picture && picture_name) {
        throw UsageError(job.output + ": " + job.input + " is a film: use .mp4, .mkv or .webm");
    }
    if (picture) {
        if (!job.encoder.empty()) throw UsageError("encoder: pictures are not encoded as films");
        return;
    }
    if (job.burn) {
        // Bad encoder names and numbers are known before anything is opened.
        EncoderSettings settings{job.encoder, job.crf, job.preset, container_of(job.output)};
        gst_object_unref(gst_object_ref_sink(new_encoder(settings)));
    } else if (!job.encoder.empty()) {
        throw UsageError("encoder: nothing is encoded when the video is copied (burn none)");
    }
}

}  // namespace

CaptionJobResult run(const CaptionJob& given, const CaptionCallbacks& callbacks,
                     const std::atomic<bool>& stop) {
    // A file size limit must end in an error that names the file, not in the death of the process.
    std::signal(SIGXFSZ, SIG_IGN);
    CaptionJob job = given;
    check_values(job);
    if (job.attention.empty()) job.attention = job.burn ? "words" : "none";
    if (!job.output.empty() && !has_picture_name(job.output)) container_of(job.output);
    const std::string path = elements::local_path(job.input);
    const bool picture = !path.empty() && is_still_picture(path);
    check_outputs(job, path);
    const std::string stream = stream_name(job);
    if (picture) {
        check_kinds(job, true);
        return caption_picture(job, callbacks, path, stream);
    }
    if (!job.output.empty() && !has_picture_name(job.output)) check_kinds(job, false);
    auto film = open_film(job, path, stop);
    check_kinds(job, false);
    FilmRun film_run(job, callbacks, stop, stream, std::move(film));
    return film_run.run();
}

}  // namespace seesay::pipeline
