// Registration of the two metas and of the boxed pointer inside the update event.
#include "elements/meta/seesay_meta.hpp"

#include <utility>

namespace seesay::elements {
namespace {

constexpr const char* kUpdateEvent = "seesay-caption-update";

using UpdatePointer = std::shared_ptr<const CaptionUpdate>;

gpointer copy_update(gpointer boxed) { return new UpdatePointer(*static_cast<UpdatePointer*>(boxed)); }
void free_update(gpointer boxed) { delete static_cast<UpdatePointer*>(boxed); }

GType update_boxed_type() {
    static const GType type = g_boxed_type_register_static("SeesayCaptionUpdate", copy_update, free_update);
    return type;
}

gboolean init_feature_meta(GstMeta* meta, gpointer, GstBuffer*) {
    reinterpret_cast<FeatureMeta*>(meta)->features = new std::shared_ptr<const vision::FeatureSet>();
    return TRUE;
}
void free_feature_meta(GstMeta* meta, GstBuffer*) { delete reinterpret_cast<FeatureMeta*>(meta)->features; }
// Whatever happens to the picture (copy, scaling, conversion), the description stays true: geometry is normalised.
gboolean transform_feature_meta(GstBuffer* destination, GstMeta* meta, GstBuffer*, GQuark, gpointer) {
    set_features(destination, *reinterpret_cast<FeatureMeta*>(meta)->features);
    return TRUE;
}

gboolean init_caption_meta(GstMeta* meta, gpointer, GstBuffer*) {
    reinterpret_cast<CaptionMeta*>(meta)->update = new UpdatePointer();
    return TRUE;
}
void free_caption_meta(GstMeta* meta, GstBuffer*) { delete reinterpret_cast<CaptionMeta*>(meta)->update; }
gboolean transform_caption_meta(GstBuffer* destination, GstMeta* meta, GstBuffer*, GQuark, gpointer) {
    set_caption(destination, *reinterpret_cast<CaptionMeta*>(meta)->update);
    return TRUE;
}

const GstMetaInfo* feature_meta_info() {
    static const GstMetaInfo* info =
        gst_meta_register(feature_meta_api_get_type(), "SeesayFeatureMeta", sizeof(FeatureMeta), init_feature_meta,
                          free_feature_meta, transform_feature_meta);
    return info;
}

const GstMetaInfo* caption_meta_info() {
    static const GstMetaInfo* info =
        gst_meta_register(caption_meta_api_get_type(), "SeesayCaptionMeta", sizeof(CaptionMeta), init_caption_meta,
                          free_caption_meta, transform_caption_meta);
    return info;
}

}  // namespace

GType feature_meta_api_get_type() {
    static const gchar* tags[] = {nullptr};
    static const GType type = gst_meta_api_type_register("SeesayFeatureMetaAPI", tags);
    return type;
}

GType caption_meta_api_get_type() {
    static const gchar* tags[] = {nullptr};
    static const GType type = gst_meta_api_type_register("SeesayCaptionMetaAPI", tags);
    return type;
}

void set_features(GstBuffer* buffer, std::shared_ptr<const vision::FeatureSet> features) {
    GstMeta* meta = gst_buffer_get_meta(buffer, feature_meta_api_get_type());
    if (meta == nullptr) {
        meta = gst_buffer_add_meta(buffer, feature_meta_info(), nullptr);
    }
    *reinterpret_cast<FeatureMeta*>(meta)->features = std::move(features);
}

void set_caption(GstBuffer* buffer, std::shared_ptr<const CaptionUpdate> update) {
    GstMeta* meta = gst_buffer_get_meta(buffer, caption_meta_api_get_type());
    if (meta == nullptr) {
        meta = gst_buffer_add_meta(buffer, caption_meta_info(), nullptr);
    }
    *reinterpret_cast<CaptionMeta*>(meta)->update = std::move(update);
}

std::shared_ptr<const vision::FeatureSet> get_features(GstBuffer* buffer) {
    GstMeta* meta = gst_buffer_get_meta(buffer, feature_meta_api_get_type());
    return meta == nullptr ? nullptr : *reinterpret_cast<FeatureMeta*>(meta)->features;
}

std::shared_ptr<const CaptionUpdate> get_caption(GstBuffer* buffer) {
    GstMeta* meta = gst_buffer_get_meta(buffer, caption_meta_api_get_type());
    return meta == nullptr ? nullptr : *reinterpret_cast<CaptionMeta*>(meta)->update;
}

GstEvent* new_caption_update_event(std::shared_ptr<const CaptionUpdate> update) {
    const UpdatePointer boxed(std::move(update));
    return gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM,
                                gst_structure_new(kUpdateEvent, "update", update_boxed_type(), &boxed, nullptr));
}

std::shared_ptr<const CaptionUpdate> parse_caption_update_event(GstEvent* event) {
    const GstStructure* structure = gst_event_get_structure(event);
    if (GST_EVENT_TYPE(event) != GST_EVENT_CUSTOM_DOWNSTREAM || structure == nullptr ||
        !gst_structure_has_name(structure, kUpdateEvent)) {
        return nullptr;
    }
    const GValue* value = gst_structure_get_value(structure, "update");
    if (value == nullptr || !G_VALUE_HOLDS(value, update_boxed_type())) {
        return nullptr;
    }
    return *static_cast<UpdatePointer*>(g_value_get_boxed(value));
}

}  // namespace seesay::elements
