// What kind of input it is, what is refused before any work, and who does the work.
#include "pipeline/caption_job.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <string_view>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "elements/events/stream_name.hpp"
#include "elements/source/finite_input.hpp"
#include "models/error.hpp"
#include "models/vision/image_file.hpp"
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

// A picture that does not lie in a file here.
vision::Image read_picture(FilmInput& input) {
    const elements::Packet packet(av_packet_alloc());
    if (packet == nullptr || input.read(*packet) != FilmInput::Read::Packet) {
        throw Error(input.location() + ": the picture cannot be read: " + input.error());
    }
    return vision::decode_image({packet->data, static_cast<std::size_t>(packet->size)},
                                input.location());
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
        return caption_picture(
            job, callbacks, [&] { return vision::read_image(path); }, stream);
    }
    if (!job.output.empty() && !has_picture_name(job.output)) check_kinds(job, false);
    elements::FilmInputOptions options;
    options.stop = &stop;
    auto film = elements::open_finite(job.input, options);
    if (path.empty() && film != nullptr && film->is_picture()) {
        check_kinds(job, true);
        return caption_picture(
            job, callbacks, [&] { return read_picture(*film); }, stream);
    }
    check_kinds(job, false);
    CaptionJobResult result = FilmRun(job, callbacks, stop, stream, std::move(film)).run();
#ifdef __GLIBC__
    malloc_trim(0);  // what a film needed is not what the next one needs
#endif
    return result;
}

}  // namespace seesay::pipeline
