// Negotiation, then one decision a frame: pass, attach or blend.
#include "elements/overlay/overlay_stage.hpp"

#include <algorithm>
#include <exception>
#include <string>

#include "elements/features/frame_view_map.hpp"
#include "elements/meta/seesay_meta.hpp"
#include "elements/overlay/attention_rows.hpp"
#include "elements/overlay/blender.hpp"
#include "models/error.hpp"

GST_DEBUG_CATEGORY_EXTERN(seesay_overlay_debug);
#define GST_CAT_DEFAULT seesay_overlay_debug

namespace seesay::overlay {
namespace {

bool has_composition_feature(GstCaps* caps) {
    const GstCapsFeatures* features = gst_caps_get_features(caps, 0);
    return features != nullptr &&
           gst_caps_features_contains(features,
                                      GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION) != FALSE;
}

GstCaps* with_composition_feature(GstCaps* caps) {
    GstCaps* result = gst_caps_copy(caps);
    gst_caps_features_add(gst_caps_get_features(result, 0),
                          GST_CAPS_FEATURE_META_GST_VIDEO_OVERLAY_COMPOSITION);
    return result;
}

std::int64_t timestamp(GstBuffer* buffer) {
    return GST_BUFFER_PTS_IS_VALID(buffer) ? static_cast<std::int64_t>(GST_BUFFER_PTS(buffer)) : -1;
}

GstVideoOverlayRectangle* new_rectangle(const PlacedImage& drawing) {
    const ArgbImage& image = drawing.image;
    const gsize bytes = image.pixels.size() * sizeof(image.pixels[0]);
    GstBuffer* pixels = gst_buffer_new_memdup(image.pixels.data(), bytes);
    gst_buffer_add_video_meta(pixels, GST_VIDEO_FRAME_FLAG_NONE,
                              GST_VIDEO_OVERLAY_COMPOSITION_FORMAT_RGB,
                              static_cast<guint>(image.width), static_cast<guint>(image.height));
    GstVideoOverlayRectangle* rectangle = gst_video_overlay_rectangle_new_raw(
        pixels, drawing.x, drawing.y, static_cast<guint>(image.width),
        static_cast<guint>(image.height), GST_VIDEO_OVERLAY_FORMAT_FLAG_PREMULTIPLIED_ALPHA);
    gst_buffer_unref(pixels);
    return rectangle;
}

}  // namespace

OverlayStage::OverlayStage(GstElement* element, GstPad* sink, GstPad* source)
    : element_(element), sink_(sink), source_(source) {
}

OverlayStage::~OverlayStage() {
    stop();
}

OverlayStyle OverlayStage::style() const {
    const std::lock_guard lock(style_mutex_);
    return style_;
}

void OverlayStage::change_style(const std::function<void(OverlayStyle&)>& change) {
    const std::lock_guard lock(style_mutex_);
    change(style_);
}

void OverlayStage::start() {
    renderer_.set_style(style());
    renderer_.warm_up();
}

void OverlayStage::stop() {
    gst_clear_caps(&caps_);
    drop_composition();
    renderer_.reset();
    attaches_ = false;
    warned_of_glyphs_ = false;
    warned_of_attention_ = false;
}

void OverlayStage::drop_composition() {
    composed_.clear();
    if (composition_ != nullptr) {
        gst_video_overlay_composition_unref(composition_);
        composition_ = nullptr;
    }
}

gboolean OverlayStage::sink_event(GstEvent* event) {
    if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
        GstCaps* caps = nullptr;
        gst_event_parse_caps(event, &caps);
        const bool accepted = set_caps(caps);
        gst_event_unref(event);
        return accepted ? TRUE : FALSE;
    }
    if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) {
        renderer_.reset();
    }
    return gst_pad_event_default(sink_, GST_OBJECT(element_), event);
}

bool OverlayStage::set_caps(GstCaps* caps) {
    GstVideoInfo info;
    if (gst_video_info_from_caps(&info, caps) == FALSE ||
        !elements::pixel_format(GST_VIDEO_INFO_FORMAT(&info))) {
        GST_ERROR_OBJECT(element_, "cannot draw on %" GST_PTR_FORMAT, static_cast<void*>(caps));
        return false;
    }
    info_ = info;
    gst_caps_replace(&caps_, caps);
    return negotiate();
}

/// The feature is added only where downstream answers the allocation query with the meta: an
/// element that accepts any caps, but does not show the composition, would lose the caption.
bool OverlayStage::negotiate() {
    drop_composition();
    attaches_ = has_composition_feature(caps_);
    GstCaps* caps = gst_caps_ref(caps_);
    if (!attaches_) {
        GstCaps* candidate = with_composition_feature(caps_);
        attaches_ = downstream_composes(candidate);
        if (attaches_) {
            std::swap(caps, candidate);
        }
        gst_caps_unref(candidate);
    }
    GST_INFO_OBJECT(element_, "%s, caps %" GST_PTR_FORMAT, attaches_ ? "attaching" : "blending",
                    static_cast<void*>(caps));
    const bool accepted = gst_pad_set_caps(source_, caps) != FALSE;
    gst_caps_unref(caps);
    return accepted;
}

bool OverlayStage::downstream_composes(GstCaps* caps_with_feature) const {
    if (gst_pad_peer_query_accept_caps(source_, caps_with_feature) == FALSE) {
        return false;
    }
    GstQuery* query = gst_query_new_allocation(caps_with_feature, FALSE);
    const bool composes = gst_pad_peer_query(source_, query) != FALSE &&
                          gst_query_find_allocation_meta(
                              query, GST_VIDEO_OVERLAY_COMPOSITION_META_API_TYPE, nullptr) != FALSE;
    gst_query_unref(query);
    return composes;
}

GstFlowReturn OverlayStage::chain(GstBuffer* buffer) {
    if (caps_ == nullptr) {
        gst_buffer_unref(buffer);
        return GST_FLOW_NOT_NEGOTIATED;
    }
    if (gst_pad_check_reconfigure(source_) != FALSE && !negotiate()) {
        gst_pad_mark_reconfigure(source_);
        gst_buffer_unref(buffer);
        return GST_PAD_IS_FLUSHING(source_) ? GST_FLOW_FLUSHING : GST_FLOW_NOT_NEGOTIATED;
    }
    try {
        const UpdatePointer update = elements::get_caption(buffer);
        renderer_.set_style(style());
        if (renderer_.draws(update)) {
            draw(buffer, update);
            warn_once(update);
        }
    } catch (const std::exception& error) {
        GST_ELEMENT_ERROR(element_, STREAM, FAILED, ("%s", error.what()), ("drawing a caption"));
        gst_buffer_unref(buffer);
        return GST_FLOW_ERROR;
    }
    return gst_pad_push(source_, buffer);
}

void OverlayStage::draw(GstBuffer*& buffer, const UpdatePointer& update) {
    const std::int64_t pts = timestamp(buffer);
    // Copies no pixels; mapping for writing does where memory is shared.
    buffer = gst_buffer_make_writable(buffer);
    if (attaches_) {
        attach_to(buffer, update, pts);
    } else {
        blend_into(buffer, update, pts);
    }
}

void OverlayStage::blend_into(GstBuffer* buffer, const UpdatePointer& update, std::int64_t pts) {
    const elements::MappedFrame mapped(info_, buffer, GST_MAP_READWRITE);
    const vision::FrameView& view = mapped.view();
    if (view.width <= 0 || view.height <= 0) {
        return;  // cropped to nothing
    }
    renderer_.set_frame({view.format, view.width, view.height, view.matrix, view.range},
                        static_cast<double>(info_.par_n) / info_.par_d);
    WritableFrame frame;
    frame.strides = view.strides;
    // Mapped for writing above; FrameView is const because models only read.
    std::transform(view.planes.begin(), view.planes.end(), frame.planes.begin(),
                   [](const std::uint8_t* plane) { return const_cast<std::uint8_t*>(plane); });
    for (const PreparedOverlay* layer : renderer_.prepare(update, pts)) {
        blend(*layer, frame);
    }
}

void OverlayStage::attach_to(GstBuffer* buffer, const UpdatePointer& update, std::int64_t pts) {
    FrameFormat format;
    format.width = info_.width;
    format.height = info_.height;
    renderer_.set_frame(format, static_cast<double>(info_.par_n) / info_.par_d);
    const auto& pictures = renderer_.draw(update, pts);
    if (pictures.empty()) {
        return;
    }
    // Sinks keep what they uploaded for a composition they know: the same layers stay the same
    // object.
    if (composition_ == nullptr || composed_ != pictures) {
        drop_composition();
        composition_ = gst_video_overlay_composition_new(nullptr);
        for (const auto& picture : pictures) {
            GstVideoOverlayRectangle* rectangle = new_rectangle(*picture);
            gst_video_overlay_composition_add_rectangle(composition_, rectangle);
            gst_video_overlay_rectangle_unref(rectangle);
        }
        composed_ = pictures;
    }
    GstVideoOverlayCompositionMeta* earlier = gst_buffer_get_video_overlay_composition_meta(buffer);
    if (earlier == nullptr) {
        gst_buffer_add_video_overlay_composition_meta(buffer, composition_);
        return;
    }
    GstVideoOverlayComposition* joined = gst_video_overlay_composition_copy(earlier->overlay);
    for (guint i = 0; i < gst_video_overlay_composition_n_rectangles(composition_); ++i) {
        gst_video_overlay_composition_add_rectangle(
            joined, gst_video_overlay_composition_get_rectangle(composition_, i));
    }
    gst_video_overlay_composition_unref(earlier->overlay);
    earlier->overlay = joined;
}

void OverlayStage::warn_once(const UpdatePointer& update) {
    if (renderer_.missing_glyphs() > 0 && !warned_of_glyphs_) {
        warned_of_glyphs_ = true;
        GST_ELEMENT_WARNING(
            element_, RESOURCE, NOT_FOUND,
            ("No installed font has some characters of the captions, such as in \"%s\": install "
             "fonts for that script (Debian: fonts-noto, fonts-noto-color-emoji)",
             drawable_text(update->caption->text, 200).c_str()),
            ("%d characters are drawn as boxes", renderer_.missing_glyphs()));
    }
    if (!update->caption->attention.empty() && !has_attention(*update->caption) &&
        !warned_of_attention_) {
        warned_of_attention_ = true;
        GST_WARNING_OBJECT(element_,
                           "%zu attention weights do not fit %zu words and %d places: not drawn",
                           update->caption->attention.size(), update->caption->tokens.size(),
                           update->caption->attended);
    }
}

}  // namespace seesay::overlay
