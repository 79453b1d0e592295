// TextOutput: one request pad with caption text, pushed by a thread of its own so that video never
// waits for it.
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "elements/caption/text_queue.hpp"

namespace seesay::elements {

/// Belongs to its pad: made with it and deleted with it.
class TextOutput {
 public:
    /// A new pad of `pad_template`, not yet added to an element. Upstream events that reach it go
    /// to `upstream`.
    static GstPad* new_pad(GstPadTemplate* pad_template, const char* name, GstPad* upstream);
    static TextOutput& of(GstPad* pad);

    explicit TextOutput(GstPad* pad) : pad_(pad) {}

    /// Begins the stream on this pad: stream-start named after the video's, caps, language.
    void start_stream(GstEvent* video_stream_start, const std::string& language);
    /// Takes a serialized event (a reference of its own) into the line.
    void push_event(GstEvent* event);
    void push_cue(Cue cue);
    /// Passes a flush event on at once.
    void flush(GstEvent* event);

 private:
    static gboolean activate(GstPad* pad, GstObject* parent, GstPadMode mode, gboolean active);
    void start_task();
    void work();
    void push_text(const Cue& cue);
    GstFlowReturn push_buffer(const Cue& cue);

    GstPad* pad_;
    TextQueue queue_;
    std::optional<std::int64_t> covered_ns_;  ///< of the pad's thread
    std::atomic<bool> refused_{false};        ///< downstream wants no more buffers until a flush
};

}  // namespace seesay::elements
