// See the header.
#include "tests/pipeline/film_fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "elements/meta/seesay_meta.hpp"
#include "tests/elements/subprocess.hpp"

namespace seesay::testing {
namespace {

constexpr auto kLimit = std::chrono::seconds(120);

std::string run_program(const std::vector<std::string>& command, bool with_errors) {
    Subprocess program(command, with_errors);
    program.close_input();
    const std::string output = program.read_all(kLimit);
    const auto status = program.wait(kLimit);
    if (status != 0) {
        std::string line;
        for (const std::string& word : command)
            line += word + " ";
        throw std::runtime_error(line + "failed: " + output);
    }
    return output;
}

/// Sends updates along with the frames of an identity, as seesaycaption would.
class ScriptedCaptions {
 public:
    explicit ScriptedCaptions(Script script) : script_(std::move(script)) {}

    static GstPadProbeReturn on_data(GstPad* pad, GstPadProbeInfo* info, gpointer self_pointer) {
        auto& self = *static_cast<ScriptedCaptions*>(self_pointer);
        if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
            GstBuffer* buffer = GST_PAD_PROBE_INFO_BUFFER(info);
            self.frame(pad, GST_BUFFER_PTS(buffer),
                       GST_BUFFER_PTS(buffer) + GST_BUFFER_DURATION(buffer));
        } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_EOS) {
            self.end(pad, self.end_ns_);
        }
        return GST_PAD_PROBE_OK;
    }

 private:
    void frame(GstPad* pad, GstClockTime time, GstClockTime end) {
        while (next_ < script_.size() &&
               static_cast<double>(time) * 1e-9 >= script_[next_].first - 1e-6) {
            this->end(pad, static_cast<std::int64_t>(time));
            elements::CaptionUpdate update;
            auto caption = std::make_shared<language::Caption>();
            caption->text = script_[next_].second;
            update.caption = caption;
            update.segment = {++next_, 1, static_cast<std::int64_t>(time),
                              static_cast<std::int64_t>(end), false};
            current_ = std::make_shared<elements::CaptionUpdate>(update);
            send(pad, current_);
        }
        end_ns_ = static_cast<std::int64_t>(end);
    }

    void end(GstPad* pad, std::int64_t end_ns) {
        if (!current_) return;
        elements::CaptionUpdate last = *current_;
        last.segment.revision = 2;
        last.segment.end_ns = end_ns;
        last.segment.final = true;
        current_.reset();
        send(pad, std::make_shared<elements::CaptionUpdate>(last));
    }

    static void send(GstPad* pad, const std::shared_ptr<const elements::CaptionUpdate>& update) {
        GstElement* identity = gst_pad_get_parent_element(pad);
        GstPad* source = gst_element_get_static_pad(identity, "src");
        gst_pad_push_event(source, elements::new_caption_update_event(update));
        gst_object_unref(source);
        gst_object_unref(identity);
    }

    Script script_;
    std::size_t next_ = 0;
    std::int64_t end_ns_ = 0;
    std::shared_ptr<const elements::CaptionUpdate> current_;
};

}  // namespace

void run_ffmpeg(std::vector<std::string> arguments) {
    std::vector<std::string> command{"ffmpeg", "-nostdin", "-v", "error", "-y"};
    command.insert(command.end(), std::make_move_iterator(arguments.begin()),
                   std::make_move_iterator(arguments.end()));
    run_program(command, true);
}

std::vector<std::string> test_picture(int width, int height, const std::string& rate,
                                      double seconds) {
    return {"-f", "lavfi", "-i",
            "testsrc2=s=" + std::to_string(width) + "x" + std::to_string(height) + ":r=" + rate +
                ":d=" + std::to_string(seconds)};
}

std::filesystem::path make_film(const std::filesystem::path& file, int width, int height,
                                const std::string& rate, double seconds,
                                const std::vector<std::string>& more) {
    std::vector<std::string> arguments = test_picture(width, height, rate, seconds);
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.push_back(file.string());
    run_ffmpeg(arguments);
    return file;
}

nlohmann::json probe(const std::filesystem::path& file, const std::vector<std::string>& arguments) {
    std::vector<std::string> command{"ffprobe", "-v", "error", "-of", "json"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    command.push_back(file.string());
    return nlohmann::json::parse(run_program(command, false));
}

std::vector<nlohmann::json> streams(const std::filesystem::path& file) {
    return probe(file, {"-show_streams"})["streams"];
}

nlohmann::json stream(const std::filesystem::path& file, const std::string& kind) {
    for (const auto& one : streams(file)) {
        if (one["codec_type"] == kind) return one;
    }
    ADD_FAILURE() << file << " has no " << kind << " track";
    return {};
}

int frame_count(const std::filesystem::path& file) {
    const auto told = probe(file, {"-count_frames", "-select_streams", "v:0", "-show_entries",
                                   "stream=nb_read_frames"});
    return std::stoi(told["streams"][0]["nb_read_frames"].get<std::string>());
}

std::vector<double> times(const std::filesystem::path& file, const std::string& track) {
    std::vector<double> result;
    const auto told = probe(file, {"-select_streams", track, "-show_entries", "packet=pts_time"});
    for (const auto& packet : told["packets"]) {
        if (packet.contains("pts_time"))
            result.push_back(std::stod(packet["pts_time"].get<std::string>()));
    }
    std::sort(result.begin(), result.end());
    return result;
}

double difference(const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return INFINITY;
    double worst = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i)
        worst = std::max(worst, std::abs(a[i] - b[i]));
    return worst;
}

double duration(const std::filesystem::path& file) {
    return std::stod(probe(file, {"-show_format"})["format"]["duration"].get<std::string>());
}

std::string packet_hash(const std::filesystem::path& file, int index) {
    return run_program({"ffmpeg", "-nostdin", "-v", "error", "-i", file.string(), "-map",
                        "0:" + std::to_string(index), "-c", "copy", "-f", "streamhash", "-hash",
                        "sha256", "-"},
                       false)
        .substr(2);
}

std::vector<std::uint8_t> rgb_picture(const std::filesystem::path& file, int width, int height) {
    const std::string bytes =
        run_program({"ffmpeg", "-nostdin", "-v", "error", "-i", file.string(), "-frames:v", "1",
                     "-vf", "scale=" + std::to_string(width) + ":" + std::to_string(height), "-f",
                     "rawvideo", "-pix_fmt", "rgb24", "-"},
                    false);
    return {bytes.begin(), bytes.end()};
}

std::string read_file(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

void write_file(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream stream(file, std::ios::binary);
    stream << bytes;
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

GstElement* scripted_captions(const Script& script) {
    GstElement* identity = gst_element_factory_make("identity", nullptr);
    GstPad* sink = gst_element_get_static_pad(identity, "sink");
    gst_pad_add_probe(sink,
                      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER |
                                                   GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM),
                      ScriptedCaptions::on_data, new ScriptedCaptions(script),
                      [](gpointer captions) { delete static_cast<ScriptedCaptions*>(captions); });
    gst_object_unref(sink);
    return identity;
}

ScriptedJob::ScriptedJob(const std::filesystem::path& input, const std::filesystem::path& output,
                         const Script& script) {
    gst_init(nullptr, nullptr);
    job.input = input.string();
    job.output = output.string();
    job.preset = "ultrafast";
    job.middle = [script] { return scripted_captions(script); };
}

pipeline::CaptionJobResult ScriptedJob::run() {
    std::mutex mutex;
    pipeline::CaptionCallbacks callbacks;
    callbacks.on_notice = [&](const std::string& text) {
        const std::lock_guard lock(mutex);
        notices.push_back(text);
    };
    callbacks.on_caption = [&](std::int64_t, const std::string& text) {
        const std::lock_guard lock(mutex);
        captions.push_back(text);
    };
    return pipeline::run(job, callbacks, stop);
}

std::string ScriptedJob::error() {
    try {
        run();
    } catch (const Error& failed) {
        return failed.what();
    }
    ADD_FAILURE() << "the job did not fail";
    return {};
}

}  // namespace seesay::testing
