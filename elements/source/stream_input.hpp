// StreamInput: the part of seesaysource that plays streams: urisourcebin → parsebin → decoder of
// the first video track.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "elements/source/timestamp_repair.hpp"

namespace seesay::elements {

/// Fills a bin, whose pad `src` then gives the decoded video. All other tracks are read and
/// discarded. Errors (also "no video track", which plain GStreamer would pass over in silence) are
/// posted by the bin.
class StreamInput {
 public:
    /// `bin` outlives this object.
    StreamInput(GstBin* bin, const std::string& uri);
    StreamInput(const StreamInput&) = delete;
    StreamInput& operator=(const StreamInput&) = delete;
    ~StreamInput();

    /// Starts waiting for a video track, at most `deadline`.
    void watch(GstClockTime deadline);
    void stop_watching();

    [[nodiscard]] std::uint64_t damaged() const {
        return damaged_.load();
    }  ///< decoded pictures left out
    [[nodiscard]] std::uint64_t repaired() const {
        return repaired_.load();
    }  ///< frames whose time was repaired

    std::function<void(const std::string&)>
        on_notice;  ///< a sentence worth a warning, on a streaming thread

 private:
    static void on_source_pad(GstElement* source, GstPad* pad, gpointer self);
    static void on_parsed_pad(GstElement* parser, GstPad* pad, gpointer self);
    static void on_drained(GstElement* parser, gpointer self);
    static void on_unknown_type(GstElement* parser, GstPad* pad, GstCaps* caps, gpointer self);
    static GstPadProbeReturn on_decoded(GstPad* pad, GstPadProbeInfo* info, gpointer self);
    static gboolean on_deadline(GstClock* clock, GstClockTime time, GstClockID id, gpointer self);

    void take_video(GstPad* pad, GstCaps* caps);
    void discard(GstPad* pad);
    GstElement* add(const char* factory);
    GstElement* make_decoder(GstCaps* caps);
    void fail(const std::string& message);

    GstBin* bin_;
    GstPad* output_;  // the bin's ghost pad
    std::string uri_;
    std::mutex mutex_;
    bool has_video_ = false;
    int open_parsers_ = 0;
    bool repair_told_ = false;
    TimestampRepair times_{40'000'000};
    std::atomic<std::uint64_t> damaged_{0};
    std::atomic<std::uint64_t> repaired_{0};
    GstClockID deadline_ = nullptr;
};

}  // namespace seesay::elements
