// Overlay, whole films and memory.
#include <gst/gst.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <clocale>
#include <filesystem>
#include <fstream>

#include "elements/overlay/overlay_bench.hpp"
#include "elements/static_plugin.hpp"
#include "models/error.hpp"
#include "pipeline/caption_job.hpp"
#include "tools/bench_parts.hpp"
#include "tools/memory_policy.hpp"

namespace seesay::tools {
namespace {

namespace fs = std::filesystem;

constexpr double kOverlayTarget = 0.2;
constexpr double kCaptionSpeedTarget = 0.85;
constexpr double kMapSpeedTarget = 0.7;
constexpr double kMemoryTarget = 0.01;
constexpr int kMemoryLoops = 10;
constexpr int kMemoryFirst = 3;

void start_media() {
    set_memory_policy_for_video();
    gst_init(nullptr, nullptr);
    std::setlocale(LC_NUMERIC, "C");
    elements::register_seesay_elements();
}

void require_film(const BenchOptions& options) {
    if (options.film.empty()) {
        throw Error(
            "the film and memory parts need --film; tools/make_bench_film.sh makes the one that "
            "the targets are for");
    }
}

// A folder for the films that are written, removed at the end.
class ScratchFolder {
 public:
    ScratchFolder()
        : path_(fs::temp_directory_path() / ("seesay-bench-" + std::to_string(getpid()))) {
        fs::create_directories(path_);
    }
    ~ScratchFolder() {
        std::error_code error;
        fs::remove_all(path_, error);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    [[nodiscard]] std::string film() const { return (path_ / "out.mkv").string(); }

 private:
    fs::path path_;
};

pipeline::CaptionJob film_job(const BenchOptions& options, const ScratchFolder& folder) {
    pipeline::CaptionJob job;
    job.input = options.film;
    job.output = folder.film();
    job.package = options.package;
    job.crf = 20;
    job.preset = "veryfast";
    job.force = true;
    return job;
}

double seconds_of(const pipeline::CaptionJob& job) {
    const std::atomic<bool> stop{false};
    const auto start = std::chrono::steady_clock::now();
    (void)pipeline::run(job, {}, stop);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double resident_mebibytes() {
    std::ifstream stream("/proc/self/statm");
    double total = 0, resident = 0;
    stream >> total >> resident;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

}  // namespace

BenchLines bench_overlay_part(const BenchOptions& options) {
    start_media();
    const auto costs = overlay::measure_overlay_costs(2 * options.rounds);
    const auto line = [&](const char* what, double cost) {
        const double ratio = cost / costs.text_overlay;
        return BenchLine{
            "overlay",
            what,
            ratio,
            "",
            true,
            decimals(cost, 3) + " ms a frame against " + decimals(costs.text_overlay, 3) + " ms"};
    };
    auto caption = line("caption against textoverlay", costs.caption);
    caption.target = "≤ " + decimals(kOverlayTarget, 1);
    caption.met = caption.value <= kOverlayTarget;
    return {caption, line("caption and attention map against textoverlay", costs.caption_and_map)};
}

BenchLines bench_film_part(const BenchOptions& options) {
    require_film(options);
    start_media();
    const ScratchFolder folder;
    auto plain = film_job(options, folder);
    plain.middle = [] { return gst_element_factory_make("identity", nullptr); };
    auto caption = film_job(options, folder);
    caption.attention = "none";
    auto map = film_job(options, folder);
    map.attention = "words";
    std::vector<double> plain_s, caption_s, map_s;
    for (int round = 0; round < options.rounds; ++round) {
        plain_s.push_back(seconds_of(plain));
        caption_s.push_back(seconds_of(caption));
        map_s.push_back(seconds_of(map));
    }
    const auto line = [&](const char* what, const std::vector<double>& seconds, double target) {
        const double speed = median(plain_s) / median(seconds);
        return BenchLine{
            "film",
            what,
            speed,
            "≥ " + decimals(target, 2),
            speed >= target,
            decimals(median(seconds), 1) + " s against " + decimals(median(plain_s), 1) + " s"};
    };
    return {
        line("speed with the caption, of decode and encode alone", caption_s, kCaptionSpeedTarget),
        line("speed with caption and attention map", map_s, kMapSpeedTarget)};
}

BenchLines bench_memory_part(const BenchOptions& options) {
    require_film(options);
    start_media();
    const ScratchFolder folder;
    const auto job = film_job(options, folder);
    double early = 0, late = 0;
    for (int loop = 1; loop <= kMemoryLoops; ++loop) {
        (void)seconds_of(job);
        (loop == kMemoryFirst ? early : late) = resident_mebibytes();
    }
    const double growth = late / early - 1;
    return {{"memory", "growth from loop 3 to loop 10", growth, "< " + decimals(kMemoryTarget, 2),
             growth < kMemoryTarget,
             decimals(early, 1) + " MiB, then " + decimals(late, 1) + " MiB"}};
}

}  // namespace seesay::tools
