// The text pads of seesaycaption: cues and gaps, how they begin and end, and that video never waits
// for them.
#include <gtest/gtest.h>

#include <condition_variable>

#include "tests/elements/caption_fixtures.hpp"

namespace seesay::elements {
namespace {

using testing::ElementHarness;
using testing::kDeadline;
using testing::kFrame;

/// Collects what a text pad puts out.
class TextSink {
 public:
    TextSink(GstElement* element, const char* name) : element_(element) {
        source_ = gst_element_request_pad_simple(element, name);
        sink_ = gst_pad_new("sink", GST_PAD_SINK);
        gst_pad_set_element_private(sink_, this);
        gst_pad_set_chain_function(sink_, [](GstPad* pad, GstObject*, GstBuffer* buffer) {
            return self(pad).take(buffer);
        });
        gst_pad_set_event_function(
            sink_, [](GstPad* pad, GstObject*, GstEvent* event) { return self(pad).take(event); });
        gst_pad_set_active(sink_, TRUE);
    }
    ~TextSink() {
        unblock();
        gst_pad_set_active(sink_, FALSE);
        gst_element_release_request_pad(element_, source_);
        gst_object_unref(source_);
        gst_object_unref(sink_);
    }
    TextSink(const TextSink&) = delete;
    TextSink& operator=(const TextSink&) = delete;

    void link() { ASSERT_EQ(gst_pad_link(source_, sink_), GST_PAD_LINK_OK); }
    GstPad* source() const { return source_; }
    void block() {
        const std::lock_guard lock(mutex_);
        blocked_ = true;
    }
    void unblock() {
        const std::lock_guard lock(mutex_);
        blocked_ = false;
        changed_.notify_all();
    }
    void refuse(GstFlowReturn flow) {
        const std::lock_guard lock(mutex_);
        answer_ = flow;
    }
    /// Waits until the line ends with `last` and gives it: "cue 0-1000 dog", "gap 0-40", event
    /// names.
    std::vector<std::string> line_until(const std::string& last) {
        std::unique_lock lock(mutex_);
        EXPECT_TRUE(changed_.wait_for(lock, kDeadline,
                                      [&] { return !line_.empty() && line_.back() == last; }))
            << "still waiting for " << last << " after "
            << (line_.empty() ? "nothing" : line_.back());
        return line_;
    }
    void forget() {
        const std::lock_guard lock(mutex_);
        line_.clear();
    }

 private:
    static TextSink& self(GstPad* pad) {
        return *static_cast<TextSink*>(gst_pad_get_element_private(pad));
    }
    static std::string span(GstClockTime start, GstClockTime duration) {
        return std::to_string(start / GST_MSECOND) + "-" +
               std::to_string((start + duration) / GST_MSECOND);
    }
    void note(const std::string& what) {
        line_.push_back(what);
        changed_.notify_all();
    }
    GstFlowReturn take(GstBuffer* buffer) {
        std::unique_lock lock(mutex_);
        GstMapInfo map;
        gst_buffer_map(buffer, &map, GST_MAP_READ);
        note("cue " + span(GST_BUFFER_PTS(buffer), GST_BUFFER_DURATION(buffer)) + " " +
             std::string(reinterpret_cast<const char*>(map.data), map.size));
        gst_buffer_unmap(buffer, &map);
        gst_buffer_unref(buffer);
        changed_.wait(lock, [this] { return !blocked_; });
        return answer_;
    }
    gboolean take(GstEvent* event) {
        const std::lock_guard lock(mutex_);
        if (GST_EVENT_TYPE(event) == GST_EVENT_GAP) {
            GstClockTime start = 0;
            GstClockTime duration = 0;
            gst_event_parse_gap(event, &start, &duration);
            const bool follows = !line_.empty() && line_.back().rfind("gap ", 0) == 0;
            if (follows) line_.pop_back();  // how gaps are cut is the queue's affair
            if (!follows) gap_start_ = start;
            note("gap " + span(gap_start_, start + duration - gap_start_));
        } else {
            if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_START) {
                blocked_ = false;
                changed_.notify_all();
            }
            // Tags have no fixed place in the line: GStreamer re-sends sticky events in an order of
            // its own.
            if (GST_EVENT_TYPE(event) != GST_EVENT_TAG) note(GST_EVENT_TYPE_NAME(event));
        }
        gst_event_unref(event);
        return TRUE;
    }

    GstElement* element_;
    GstPad* source_ = nullptr;
    GstPad* sink_ = nullptr;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<std::string> line_;
    GstClockTime gap_start_ = 0;
    bool blocked_ = false;
    GstFlowReturn answer_ = GST_FLOW_OK;
};

class CaptionTextPad : public testing::CaptionElementTest {
 protected:
    void TearDown() override {
        text_.reset();
        CaptionElementTest::TearDown();
    }
    void request(const char* name = "text_%u") {
        text_ = std::make_unique<TextSink>(h().element(), name);
    }
    void pass_frames(int first, int last) {
        for (int i = first; i < last; ++i)
            pass(ElementHarness::frame(static_cast<GstClockTime>(i) * kFrame));
    }
    std::unique_ptr<TextSink> text_;
};

TEST_F(CaptionTextPad, SaysWhatTheVideoSays) {
    start("every");
    request();
    text_->link();
    pass_frames(0, 2);
    pass(described(2 * kFrame, 1));
    pass_frames(3, 27);
    say("cat");
    pass(described(27 * kFrame, 2));
    h().event(gst_event_new_eos());
    EXPECT_EQ(text_->line_until("eos"),
              (std::vector<std::string>{"stream-start", "caps", "segment", "gap 0-80",
                                        "cue 80-1080 dog", "cue 1080-2080 cat", "eos"}));
}

TEST_F(CaptionTextPad, IsCalledTextToo) {
    start("every");
    request("text");
    EXPECT_STREQ(GST_PAD_NAME(text_->source()), "text");
    TextSink numbered(h().element(), "text_%u");
    EXPECT_STREQ(GST_PAD_NAME(numbered.source()), "text_0");
}

TEST_F(CaptionTextPad, NamesItsStreamAfterTheVideoAndItsLanguage) {
    start("every");
    request();
    text_->link();
    pass(described(0, 1));
    text_->line_until("cue 0-1000 dog");
    GstEvent* start_event = gst_pad_get_sticky_event(text_->source(), GST_EVENT_STREAM_START, 0);
    const gchar* id = nullptr;
    gst_event_parse_stream_start(start_event, &id);
    EXPECT_TRUE(g_str_has_suffix(id, "/text_0")) << id;
    gst_event_unref(start_event);
    GstEvent* tag_event = gst_pad_get_sticky_event(text_->source(), GST_EVENT_TAG, 0);
    GstTagList* tags = nullptr;
    gst_event_parse_tag(tag_event, &tags);
    gchar* language = nullptr;
    ASSERT_TRUE(gst_tag_list_get_string(tags, GST_TAG_LANGUAGE_CODE, &language));
    EXPECT_STREQ(language, "en");
    g_free(language);
    gst_event_unref(tag_event);
}

TEST_F(CaptionTextPad, JoinsLateWithTheStreamAsItStands) {
    start("every");
    pass(described(0, 1));
    request();
    text_->link();
    pass(described(GST_SECOND, 2));
    EXPECT_EQ(text_->line_until("cue 1000-2000 dog"),
              (std::vector<std::string>{"stream-start", "caps", "segment", "cue 1000-2000 dog"}));
}

TEST_F(CaptionTextPad, VideoDoesNotCareWhetherItIsLinked) {
    start("every");
    request();
    for (int i = 0; i < 100; ++i)
        pass(described(static_cast<GstClockTime>(i) * kFrame, static_cast<std::uint64_t>(i + 1)));
    h().event(gst_event_new_eos());
    EXPECT_EQ(h().error(), "");
}

TEST_F(CaptionTextPad, VideoDoesNotWaitForABlockedReader) {
    start("every");
    request();
    text_->link();
    text_->block();
    for (int i = 0; i < 3000; ++i) {  // more than the queue holds
        GstBuffer* buffer =
            described(static_cast<GstClockTime>(i) * GST_SECOND, static_cast<std::uint64_t>(i + 1));
        pass(buffer);
    }
    text_->unblock();
    h().event(gst_event_new_eos());
    const auto line = text_->line_until("eos");
    EXPECT_EQ(line[line.size() - 2], "cue 2999000-3000000 dog");
    std::size_t gaps = 0;
    for (const std::string& one : line)
        gaps += one.rfind("gap ", 0) == 0 ? 1 : 0;
    EXPECT_EQ(gaps, 1U) << "what was thrown away is a gap";
}

TEST_F(CaptionTextPad, VideoGoesOnWhenDownstreamRefusesText) {
    start("every");
    request();
    text_->link();
    text_->refuse(GST_FLOW_ERROR);
    pass(described(0, 1));
    text_->line_until("cue 0-1000 dog");
    pass(described(GST_SECOND, 2));
    pass(described(2 * GST_SECOND, 3));
    h().event(gst_event_new_eos());
    EXPECT_EQ(text_->line_until("eos").size(), 5U) << "no more cues after the refusal";
    EXPECT_EQ(h().error(), "");
}

TEST_F(CaptionTextPad, AFlushReachesABlockedReaderAndTheLineBeginsAnew) {
    start("every");
    request();
    text_->link();
    text_->block();
    pass(described(0, 1));
    pass(described(GST_SECOND, 2));
    text_->line_until("cue 0-1000 dog");
    text_->forget();
    h().seek_to(30 * GST_SECOND);
    pass(described(30 * GST_SECOND, 3));
    EXPECT_EQ(
        text_->line_until("cue 30000-31000 dog"),
        (std::vector<std::string>{"flush-start", "flush-stop", "segment", "cue 30000-31000 dog"}));
}

TEST_F(CaptionTextPad, MayBeReleasedWhilePlaying) {
    start("every");
    request();
    text_->link();
    pass(described(0, 1));
    text_.reset();
    pass(described(GST_SECOND, 2));
    EXPECT_EQ(h().error(), "");
}

TEST_F(CaptionTextPad, DoesNotTakePartInTheVideosNegotiation) {
    start("every");
    request();
    GstPad* sink = gst_element_get_static_pad(h().element(), "sink");
    GstCaps* caps = gst_pad_query_caps(sink, nullptr);
    EXPECT_FALSE(gst_caps_is_empty(caps));
    gst_caps_unref(caps);
    gst_object_unref(sink);
}

TEST_F(CaptionTextPad, QosOfTheTextIsNoNewsForTheVideo) {
    start("every");
    request();
    text_->link();
    pass(described(0, 1));
    const guint before = gst_harness_upstream_events_received(*h());
    EXPECT_TRUE(
        gst_pad_send_event(text_->source(), gst_event_new_qos(GST_QOS_TYPE_UNDERFLOW, 2.0, 5, 0)));
    EXPECT_EQ(gst_harness_upstream_events_received(*h()), before);
}

}  // namespace
}  // namespace seesay::elements
