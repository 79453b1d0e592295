// OverlayStage: what seesayoverlay does with buffers, events and caps, between its two pads.
#pragma once

#include <gst/gst.h>
#include <gst/video/video.h>

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "elements/meta/caption_update.hpp"
#include "elements/overlay/caption_renderer.hpp"

namespace seesay::overlay {

/// Draws on the streaming thread. Frames without a caption, or with nothing to draw, pass untouched
/// and uncopied. Where downstream takes GstVideoOverlayComposition (caps feature accepted and meta
/// named in its answer to the allocation query) the layers are attached; else they are blended into
/// the frame, of which shared memory is copied first.
class OverlayStage {
 public:
    /// All belong to the element, which owns the stage.
    OverlayStage(GstElement* element, GstPad* sink, GstPad* source);
    ~OverlayStage();
    OverlayStage(const OverlayStage&) = delete;
    OverlayStage& operator=(const OverlayStage&) = delete;

    /// From any thread; takes effect with the next frame.
    OverlayStyle style() const;
    void change_style(const std::function<void(OverlayStyle&)>& change);

    void start();
    void stop();
    /// Takes `buffer`.
    GstFlowReturn chain(GstBuffer* buffer);
    /// Takes `event`.
    gboolean sink_event(GstEvent* event);

 private:
    using UpdatePointer = std::shared_ptr<const elements::CaptionUpdate>;

    bool set_caps(GstCaps* caps);
    bool negotiate();
    bool downstream_composes(GstCaps* caps_with_feature) const;
    void draw(GstBuffer*& buffer, const UpdatePointer& update);
    void blend_into(GstBuffer* buffer, const UpdatePointer& update, std::int64_t pts);
    void attach_to(GstBuffer* buffer, const UpdatePointer& update, std::int64_t pts);
    void drop_composition();
    void warn_once(const UpdatePointer& update);

    GstElement* element_;
    GstPad* sink_;
    GstPad* source_;

    mutable std::mutex style_mutex_;
    OverlayStyle style_;

    // Of the streaming thread.
    CaptionRenderer renderer_;
    GstCaps* caps_ = nullptr;  ///< upstream's
    GstVideoInfo info_{};
    bool attaches_ = false;
    std::vector<std::shared_ptr<const PlacedImage>> composed_;  ///< what `composition_` shows
    GstVideoOverlayComposition* composition_ = nullptr;
    bool warned_of_glyphs_ = false;
    bool warned_of_attention_ = false;
};

}  // namespace seesay::overlay
