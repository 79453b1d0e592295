// Each rival sits between two pads of ours; frames are pushed through it and come back for the next
// turn.
#include "elements/overlay/overlay_bench.hpp"

#include <gst/gst.h>
#include <gst/video/video.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "elements/meta/seesay_meta.hpp"
#include "elements/overlay/seesayoverlay.hpp"
#include "models/error.hpp"

namespace seesay::overlay {
namespace {

constexpr int kWidth = 1280;
constexpr int kHeight = 720;
constexpr int kFramesARound = 50;
constexpr int kFramesACaption = 25;
constexpr int kGridSide = 7;
constexpr std::int64_t kSecond = 1'000'000'000;

constexpr std::array kTexts{"a dog runs through the grass with a ball in its mouth",
                            "two children in red shirts are playing in the snow",
                            "a man on a bicycle rides down a street in the city"};

double thread_milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

std::shared_ptr<const elements::CaptionUpdate> make_update(const char* text, std::uint64_t segment,
                                                           int revision, std::int64_t pts) {
    auto caption = std::make_shared<language::Caption>();
    caption->text = text;
    caption->language = "en";
    for (std::size_t begin = 0; begin < caption->text.size();) {
        const std::size_t end = std::min(caption->text.find(' ', begin), caption->text.size());
        caption->tokens.push_back({0, caption->text.substr(begin, end - begin), -0.5F});
        begin = end + 1;
    }
    caption->attended = kGridSide * kGridSide;
    caption->geometry.rows = caption->geometry.columns = kGridSide;
    caption->frame.pts_ns = pts;
    // A blob that wanders from word to word over an even ground, as attention looks.
    for (std::size_t word = 0; word < caption->tokens.size(); ++word) {
        const double x = std::fmod(2.3 * static_cast<double>(word) + revision, kGridSide);
        const double y = std::fmod(1.7 * static_cast<double>(word) + 3.0, kGridSide);
        for (int cell = 0; cell < caption->attended; ++cell) {
            const double distance = std::hypot(cell % kGridSide - x, cell / kGridSide - y);
            caption->attention.push_back(
                static_cast<float>(0.01 + 0.08 * std::exp(-distance * distance / 3.0)));
        }
    }
    auto update = std::make_shared<elements::CaptionUpdate>();
    update->caption = std::move(caption);
    update->segment = {segment, static_cast<std::uint64_t>(revision), pts, pts + kSecond, false};
    return update;
}

// Without a template a pad takes only the caps it already has.
GstStaticPadTemplate kAnySink =
    GST_STATIC_PAD_TEMPLATE("sink", GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

/// An element between a source pad and a sink pad that keeps the frame it gets.
class Rig {
 public:
    explicit Rig(GstElement* element)
        : element_(GST_ELEMENT(gst_object_ref_sink(element))),
          source_(gst_pad_new("source", GST_PAD_SRC)),
          sink_(gst_pad_new_from_static_template(&kAnySink, "sink")) {
        gst_object_ref_sink(source_);
        gst_object_ref_sink(sink_);
        gst_pad_set_element_private(sink_, this);
        gst_pad_set_chain_function(sink_, [](GstPad* pad, GstObject*, GstBuffer* buffer) {
            static_cast<Rig*>(gst_pad_get_element_private(pad))->frame_ = buffer;
            return GST_FLOW_OK;
        });
        link(source_, "video_sink", "sink");
        GstPad* output = gst_element_get_static_pad(element_, "src");
        gst_pad_link(output, sink_);
        gst_object_unref(output);
        gst_pad_set_active(sink_, TRUE);
        gst_pad_set_active(source_, TRUE);
        gst_element_set_state(element_, GST_STATE_PLAYING);
        start_stream();
    }
    Rig(const Rig&) = delete;
    Rig& operator=(const Rig&) = delete;
    ~Rig() {
        gst_element_set_state(element_, GST_STATE_NULL);
        gst_pad_set_active(source_, FALSE);
        gst_pad_set_active(sink_, FALSE);
        gst_clear_buffer(&frame_);
        gst_object_unref(source_);
        gst_object_unref(sink_);
        gst_object_unref(element_);
    }

    GstElement* element() const { return element_; }
    /// The frame to be drawn on next, not pushed yet.
    GstBuffer* frame() const { return frame_; }

    void push(std::int64_t pts) {
        GST_BUFFER_PTS(frame_) = static_cast<GstClockTime>(pts);
        GST_BUFFER_DURATION(frame_) = GST_SECOND / 25;
        GstBuffer* frame = frame_;
        frame_ = nullptr;
        if (gst_pad_push(source_, frame) != GST_FLOW_OK || frame_ == nullptr) {
            throw Error(std::string("the benchmark's ") + GST_OBJECT_NAME(element_) +
                        " refused a frame");
        }
    }

 private:
    void link(GstPad* from, const char* name, const char* other_name) const {
        GstPad* input = gst_element_get_static_pad(element_, name);
        input = input == nullptr ? gst_element_get_static_pad(element_, other_name) : input;
        gst_pad_link(from, input);
        gst_object_unref(input);
    }

    void start_stream() {
        GstVideoInfo info;
        gst_video_info_set_format(&info, GST_VIDEO_FORMAT_I420, kWidth, kHeight);
        GST_VIDEO_INFO_FPS_N(&info) = 25;
        GST_VIDEO_INFO_FPS_D(&info) = 1;
        frame_ = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr);
        gst_buffer_memset(frame_, 0, 120, GST_VIDEO_INFO_SIZE(&info));
        GstCaps* caps = gst_video_info_to_caps(&info);
        GstSegment segment;
        gst_segment_init(&segment, GST_FORMAT_TIME);
        gst_pad_push_event(source_, gst_event_new_stream_start("bench"));
        gst_pad_push_event(source_, gst_event_new_caps(caps));
        gst_pad_push_event(source_, gst_event_new_segment(&segment));
        gst_caps_unref(caps);
    }

    GstElement* element_;
    GstPad* source_;
    GstPad* sink_;
    GstBuffer* frame_ = nullptr;
};

/// Milliseconds a frame. `with_caption` hangs captions on the frames, `set_text` sets the element's
/// text instead.
double run_round(Rig& rig, int round, bool with_caption, bool set_text) {
    const char* text = kTexts[static_cast<std::size_t>(round) % kTexts.size()];
    double total = 0.0;
    for (int i = 0; i < kFramesARound; ++i) {
        const std::int64_t pts =
            (static_cast<std::int64_t>(round) * kFramesARound + i) * kSecond / 25;
        if (with_caption && i % kFramesACaption == 0) {
            elements::set_caption(rig.frame(),
                                  make_update(text, static_cast<std::uint64_t>(round) + 1,
                                              1 + i / kFramesACaption, pts));
        }
        const double begin = thread_milliseconds();
        if (set_text && i == 0) {
            g_object_set(rig.element(), "text", text, nullptr);
        }
        rig.push(pts);
        total += thread_milliseconds() - begin;
    }
    return total / kFramesARound;
}

double median(std::vector<double> values) {
    std::nth_element(values.begin(),
                     values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    return values[values.size() / 2];
}

GstElement* make_overlay(const char* attention) {
    auto* element = static_cast<GstElement*>(g_object_new(elements::overlay_type(), nullptr));
    gst_util_set_object_arg(G_OBJECT(element), "attention", attention);
    return element;
}

}  // namespace

OverlayCosts measure_overlay_costs(int rounds) {
    GstElement* rival = gst_element_factory_make("textoverlay", nullptr);
    GstElement* nothing = gst_element_factory_make("identity", nullptr);
    if (rival == nullptr || nothing == nullptr) {
        throw Error(
            "the overlay cannot be compared: GStreamer has no textoverlay (Debian: install "
            "gstreamer1.0-x)");
    }
    g_object_set(rival, "wait-text", FALSE, nullptr);
    Rig identity(nothing);
    Rig text_overlay(rival);
    Rig caption(make_overlay("none"));
    Rig caption_and_map(make_overlay("words"));

    std::array<std::vector<double>, 4> times;
    // The first round fills caches and is not counted.
    for (int round = 0; round <= std::max(rounds, 1); ++round) {
        const std::array measured{
            run_round(identity, round, false, false), run_round(text_overlay, round, false, true),
            run_round(caption, round, true, false), run_round(caption_and_map, round, true, false)};
        for (std::size_t i = 0; round > 0 && i < measured.size(); ++i) {
            times[i].push_back(measured[i]);
        }
    }
    const double base = median(times[0]);
    return {median(times[1]) - base, median(times[2]) - base, median(times[3]) - base};
}

}  // namespace seesay::overlay
