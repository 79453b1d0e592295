// What the tests of seesaycaption share: the element with a captioner that says what the test
// wants, described frames, and the updates that come out.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "elements/caption/seesaycaption.hpp"
#include "elements/inference/latency_report.hpp"
#include "elements/meta/seesay_meta.hpp"
#include "models/error.hpp"
#include "tests/elements/element_fixtures.hpp"
#include "tests/elements/fake_sessions.hpp"

namespace seesay::testing {

class CaptionElementTest : public ::testing::Test {
 protected:
    using Update = std::shared_ptr<const elements::CaptionUpdate>;

    void SetUp() override {
        gst_init(nullptr, nullptr);
        captioner_ =
            std::make_shared<FakeCaptioner>([this](const runtime::CaptionRequest& request) {
                const std::lock_guard lock(mutex_);
                runtime::CaptionResult result;
                if (!failure_.empty()) {
                    result.error = std::make_exception_ptr(Error(failure_));
                    return result;
                }
                result.caption = caption_of(request, text_, score_);
                if (request.previous)
                    result.previous = caption_of(request, request.previous->text, rescored_);
                return result;
            });
    }
    void TearDown() override {
        harness_.reset();
        EXPECT_EQ(captioner_.use_count(), 1) << "the element keeps the session";
    }

    /// Says "dog" at score -1 until told otherwise; held texts are scored -9.
    void start(const char* mode, bool live = false) {
        auto* element = GST_ELEMENT(g_object_new(elements::seesay_caption_get_type(), nullptr));
        gst_util_set_object_arg(G_OBJECT(element), "mode", mode);
        elements::set_captioner_opener(
            element,
            [this](const std::string&, const runtime::SessionOptions&) { return captioner_; });
        harness_ = std::make_unique<ElementHarness>(element, live);
    }
    void restart(const char* mode, bool live) {
        harness_.reset();
        start(mode, live);
    }
    void say(const std::string& text, double score = -1.0) {
        const std::lock_guard lock(mutex_);
        text_ = text;
        score_ = score;
    }
    void rescore(double score) {
        const std::lock_guard lock(mutex_);
        rescored_ = score;
    }
    void fail(const std::string& message) {
        const std::lock_guard lock(mutex_);
        failure_ = message;
    }

    const ElementHarness& h() const { return *harness_; }

    static elements::LateFeatures features_of(std::uint64_t id, GstClockTime pts,
                                              const std::string& encoder,
                                              const std::string& sha256) {
        runtime::EncodeRequest request;
        request.frame.id = id;
        request.frame.pts_ns = static_cast<std::int64_t>(pts);
        auto features = std::make_shared<vision::FeatureSet>(*encode(request).features);
        features->encoder_name = encoder;
        features->encoder_sha256 = sha256;
        elements::FeatureNote note;
        note.dropped = {3, 4};
        note.arrival_ns = elements::steady_now_ns();
        note.duration_ns = static_cast<std::int64_t>(kFrame);
        note.interval_ns = static_cast<std::int64_t>(GST_SECOND);
        note.next_due_ns = static_cast<std::int64_t>(pts + GST_SECOND);
        return {features, note};
    }
    /// A frame that carries features of itself.
    static GstBuffer* described(GstClockTime pts, std::uint64_t id,
                                const std::string& encoder = "fake-encoder",
                                const std::string& sha256 = "e0e0") {
        GstBuffer* buffer = ElementHarness::frame(pts);
        const auto late = features_of(id, pts, encoder, sha256);
        elements::set_features(buffer, late.features, late.note);
        return buffer;
    }
    static GstEvent* late_features(std::uint64_t id, GstClockTime pts) {
        return elements::new_features_event(features_of(id, pts, "fake-encoder", "e0e0"));
    }
    void pass(GstBuffer* buffer) {
        GstBuffer* out = h().pass(buffer);
        ASSERT_NE(out, nullptr);
        gst_buffer_unref(out);
    }
    /// The updates told since the last call.
    std::vector<Update> updates() { return drain().first; }
    /// The same, expecting EOS after them.
    std::vector<Update> events_until_eos() {
        auto [told, eos] = drain();
        EXPECT_TRUE(eos);
        return told;
    }

    std::shared_ptr<FakeCaptioner> captioner_;
    std::unique_ptr<ElementHarness> harness_;

 private:
    std::pair<std::vector<Update>, bool> drain() {
        std::vector<Update> told;
        bool eos = false;
        while (GstEvent* event = gst_harness_try_pull_event(*h())) {
            if (const auto update = elements::parse_caption_update_event(event)) {
                EXPECT_FALSE(eos) << "an update after EOS";
                told.push_back(update);
            }
            eos = eos || GST_EVENT_TYPE(event) == GST_EVENT_EOS;
            gst_event_unref(event);
        }
        return {told, eos};
    }

    std::mutex mutex_;
    std::string text_ = "dog";
    std::string failure_;
    double score_ = -1.0;
    double rescored_ = -9.0;
};

}  // namespace seesay::testing
