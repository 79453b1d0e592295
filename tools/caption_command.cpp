// Options, output and signals of `seesay caption`.
#include "tools/caption_command.hpp"

#include <gst/gst.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

#include "config/caption_settings.hpp"
#include "elements/events/endpoint_address.hpp"
#include "elements/static_plugin.hpp"
#include "models/error.hpp"
#include "pipeline/caption_job.hpp"
#include "pipeline/encoder.hpp"
#include "tools/memory_policy.hpp"
#include "tools/openmp_policy.hpp"
#include "tools/option_checks.hpp"
#include "tools/progress_line.hpp"

namespace seesay::tools {
namespace {

struct CaptionOptions {
    std::string input;
    std::string output, jsonl, vtt, srt;
    std::string settings_file;
    config::CaptionSettings given;  ///< of the command line
    bool quiet = false;
    bool force = false;
};

// The first signal asks for a good end, the second ends at once.
std::atomic<bool> stop_asked{false};

void ask_to_stop(int signal) {
    if (stop_asked.exchange(true)) {
        std::_Exit(128 + signal);
    }
}

void catch_signals() {
    struct sigaction action {};
    action.sa_handler = ask_to_stop;
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        sigaction(signal, &action, nullptr);
    }
}

// "00:00:03.200", hours without limit.
std::string format_time(std::int64_t time_ns) {
    const std::int64_t ms = time_ns > 0 ? time_ns / 1'000'000 : 0;
    char text[48];
    std::snprintf(text, sizeof text, "%02lld:%02lld:%02lld.%03lld",
                  static_cast<long long>(ms / 3'600'000), static_cast<long long>(ms / 60'000 % 60),
                  static_cast<long long>(ms / 1000 % 60), static_cast<long long>(ms % 1000));
    return text;
}

// Prints a speed or so without the locale's comma.
std::string one_decimal(double value) {
    char text[32];
    const auto end =
        std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 1).ptr;
    return {text, end};
}

// A number of the command line that does not depend on the locale, checked by find_mistake.
std::string parse_interval(const std::string& text, double& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size()
               ? ""
               : "expected a number of seconds, found '" + text + "'";
}

pipeline::CaptionJob job_of(const CaptionOptions& options,
                            const config::CaptionSettings& settings) {
    pipeline::CaptionJob job;
    job.input = options.input;
    job.output = options.output;
    job.jsonl = options.jsonl;
    job.vtt = options.vtt;
    job.srt = options.srt;
    job.package = settings.package;
    job.device = settings.device;
    job.threads = settings.threads;
    job.mode = settings.mode;
    job.interval = settings.interval;
    job.beam = settings.beam;
    job.burn = settings.burn == "text";
    job.attention = settings.attention;
    job.publish = settings.publish;
    job.stream = settings.stream;
    job.drop_tracks = settings.drop_tracks;
    job.force = options.force;
    job.encoder = settings.encoder == "auto" ? "" : settings.encoder;
    job.crf = settings.crf;
    job.preset = settings.preset;
    return job;
}

// Shows what the job reports; its callbacks come from several threads.
class Reporter {
 public:
    Reporter(bool quiet, const pipeline::CaptionJob& job)
        : progress_(quiet),
          print_captions_(!job.uses_standard_output()),
          only_prints_(job.output.empty() && job.jsonl.empty() && job.vtt.empty() &&
                       job.srt.empty() && job.publish.empty()) {}

    pipeline::CaptionCallbacks callbacks() {
        pipeline::CaptionCallbacks callbacks;
        callbacks.on_caption = [this](std::int64_t time_ns, const std::string& text) {
            caption(time_ns, text);
        };
        callbacks.on_progress = [this](const pipeline::CaptionProgress& now) { progress(now); };
        callbacks.on_notice = [this](const std::string& text) { line("seesay: " + text); };
        return callbacks;
    }

    void line(const std::string& text) {
        const std::lock_guard lock(mutex_);
        progress_.line(text);
    }

    /// Why the result is not whole: told even when quiet.
    void reason(const std::string& text) {
        const std::lock_guard lock(mutex_);
        progress_.complain("seesay: " + text);
    }

    /// Why captions could not be printed; empty: they all were.
    [[nodiscard]] const std::string& lost_output() const { return lost_output_; }
    /// Whether the printed captions are all that the job makes.
    [[nodiscard]] bool only_prints() const { return only_prints_; }

 private:
    void caption(std::int64_t time_ns, const std::string& text) {
        const std::lock_guard lock(mutex_);
        if (!print_captions_) {
            return;
        }
        progress_.hide();
        errno = 0;
        if (std::printf("%s  %s\n", format_time(time_ns).c_str(), text.c_str()) < 0 ||
            std::fflush(stdout) != 0) {
            lost_output_ =
                "standard output cannot be written: " + std::generic_category().message(errno);
            std::clearerr(stdout);
            print_captions_ = false;
            // Nobody would see the rest; films, files and subscribers want theirs all the same.
            stop_asked = stop_asked || only_prints_;
        }
    }

    void progress(const pipeline::CaptionProgress& now) {
        // Without a terminal the captions themselves show that it goes on.
        const std::lock_guard lock(mutex_);
        if (!progress_.on_terminal()) {
            return;
        }
        const std::string more =
            std::to_string(now.frames) + " frames, " + one_decimal(now.speed()) + "× real time";
        progress_.show_time(now.position_ns, now.duration_ns, more);
    }

    std::mutex mutex_;
    ProgressLine progress_;
    bool print_captions_;
    const bool only_prints_;
    std::string lost_output_;
};

int caption(const CaptionOptions& options, const config::CaptionSettings& settings) {
    if (settings.threads != 1) {
        set_openmp_policy(OpenMpUse::Inference);
    }
    set_memory_policy_for_video();
    gst_init(nullptr, nullptr);
    // gst_init takes the user's locale for its messages; numbers stay as programs write them.
    std::setlocale(LC_NUMERIC, "C");
    elements::register_seesay_elements();
    catch_signals();
    const auto job = job_of(options, settings);
    Reporter reporter(options.quiet, job);
    const auto result = pipeline::run(job, reporter.callbacks(), stop_asked);
    if (!reporter.lost_output().empty()) {
        if (reporter.only_prints()) throw Error(reporter.lost_output());
        reporter.reason(reporter.lost_output() + "; captions were not printed");
    }
    for (const auto& reason : result.incomplete) {
        reporter.reason(reason);
    }
    return reporter.lost_output().empty() ? result.exit_code : 3;
}

// Mistakes in values whose meaning lies above config/.
std::optional<std::string> further_mistake(const config::CaptionSettings& settings,
                                           std::string_view key) {
    if (key == "publish" && !settings.publish.empty()) {
        try {
            (void)elements::parse_bind_endpoint(settings.publish);
        } catch (const Error& error) {
            return error.what();
        }
    }
    if (key == "encoder" && settings.encoder != "auto") {
        return pipeline::encoder_name_mistake(settings.encoder);
    }
    return key == "preset" ? pipeline::preset_mistake(settings.preset) : std::nullopt;
}

// Options that a settings file may hold too: the command line wins where it names one.
class SettingsOptions {
 public:
    SettingsOptions(CLI::App& command, CaptionOptions& options)
        : command_(command), given_(options.given) {}

    template <typename T>
    void add(const std::string& key, T config::CaptionSettings::*member, const std::string& help) {
        CLI::Option* option = nullptr;
        if constexpr (std::is_same_v<T, bool>) {
            option = command_.add_flag("--" + key, given_.*member, help);
        } else if constexpr (std::is_same_v<T, double>) {
            auto text = std::make_shared<std::string>();
            option = command_.add_option_function<std::string>(
                "--" + key,
                [this_member = &(given_.*member)](const std::string& value) {
                    if (const auto mistake = parse_interval(value, *this_member);
                        !mistake.empty()) {
                        throw CLI::ValidationError("--interval", mistake);
                    }
                },
                help);
            option->default_str(one_decimal(given_.*member));
        } else {
            option = command_.add_option("--" + key, given_.*member, help)->capture_default_str();
            if constexpr (std::is_same_v<T, std::string>) refuse_nothing(option);
        }
        takeovers_.push_back([this, option, member](config::CaptionSettings& settings) {
            if (option->count() > 0) {
                settings.*member = given_.*member;
            }
        });
        keys_.push_back(key);
    }

    /// The file's settings with the command line's on top, checked. Throws CLI::ValidationError.
    [[nodiscard]] config::CaptionSettings merge(const std::string& file) const {
        config::CaptionSettings settings =
            file.empty() ? config::CaptionSettings{}
                         : config::load_caption_settings(file, further_mistake);
        for (const auto& take_over : takeovers_) {
            take_over(settings);
        }
        for (const auto& key : keys_) {
            auto mistake = config::find_mistake(settings, key);
            if (!mistake) mistake = further_mistake(settings, key);
            if (mistake) throw CLI::ValidationError("--" + key, *mistake);
        }
        return settings;
    }

 private:
    CLI::App& command_;
    config::CaptionSettings& given_;
    std::vector<std::function<void(config::CaptionSettings&)>> takeovers_;
    std::vector<std::string> keys_;
};

}  // namespace

void add_caption_command(CLI::App& app, std::function<int()>& run) {
    auto options = std::make_shared<CaptionOptions>();
    CLI::App* command = app.add_subcommand("caption", "Caption a film, a stream or a picture");
    auto settings = std::make_shared<SettingsOptions>(*command, *options);
    using S = config::CaptionSettings;
    command->add_option("INPUT", options->input, "Film, picture, URI, or - for standard input")
        ->required();
    for (CLI::Option* option :
         {command->add_option("-o,--output", options->output,
                              "Film with the captions (.mp4, .mkv, .webm); for a picture the "
                              "figure, one panel a word (.png)"),
          command->add_option("--jsonl", options->jsonl,
                              "Caption events, one JSON object a line; - is standard output"),
          command->add_option("--vtt", options->vtt, "WebVTT subtitles; - is standard output"),
          command->add_option("--srt", options->srt, "SubRip subtitles; - is standard output")}) {
        refuse_nothing(option);
    }
    command->add_flag("--force", options->force, "Replace outputs that exist");
    command->add_flag("--quiet", options->quiet,
                      "No progress and no notices; errors are still told");
    command
        ->add_option("--config", options->settings_file,
                     "YAML file with the settings below; the command line wins")
        ->check(CLI::ExistingFile);
    settings->add("package", &S::package,
                  "Captioner package: a name (see `seesay models`) or a path");
    settings->add("interval", &S::interval, "Seconds of film between captions; 0: every frame");
    settings->add("beam", &S::beam, "Beam width of the sentence search, 1 to 100; 1 is greedy");
    settings->add("burn", &S::burn,
                  "text: caption in the picture; none: the video is copied, captions are a track");
    settings->add("attention", &S::attention,
                  "none, words (each word's attention in turn) or mean (default: words)");
    settings->add("publish", &S::publish,
                  "ZeroMQ endpoint for caption events, for example tcp://127.0.0.1:5555");
    settings->add("stream", &S::stream, "Stream id in the events (default: from the input's name)");
    settings->add(
        "mode", &S::mode,
        "every: each sampled frame waits for its caption; latest: the picture never waits; auto");
    settings->add("device", &S::device, "auto, cpu, cuda or cuda:N");
    settings->add("threads", &S::threads, "CPU threads of each model; 0: one a core");
    settings->add("encoder", &S::encoder,
                  "GStreamer video encoder; auto: x264enc, for .webm vp9enc");
    settings->add("crf", &S::crf, "Quality of the burned-in video, 0 (best) to 51");
    settings->add("preset", &S::preset, "x264 preset, ultrafast to veryslow");
    settings->add("drop-tracks", &S::drop_tracks,
                  "Tracks that the container cannot hold are no reason for exit code 3");
    command->footer(
        "Exit codes: 0 done; 1 failed; 2 wrong usage; 3 done but incomplete (input cut, track left "
        "out, stopped early).");
    command->callback([options, settings, &run] {
        const auto merged = settings->merge(options->settings_file);
        run = [options, merged] { return caption(*options, merged); };
    });
}

}  // namespace seesay::tools
