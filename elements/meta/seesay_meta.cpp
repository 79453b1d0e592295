// Registration of the two metas and of the boxed values inside the events. A program that has the
// elements linked in may load the plugin file too: whoever comes second finds the types by name and
// shares them.
#include "elements/meta/seesay_meta.hpp"

#include <utility>

namespace seesay::elements {
namespace {

constexpr const char* kUpdateEvent = "seesay-caption-update";
constexpr const char* kFeaturesEvent = "seesay-features";

using UpdatePointer = std::shared_ptr<const CaptionUpdate>;
using FeaturesPointer = std::shared_ptr<const vision::FeatureSet>;

/// A boxed GType whose values are `T`, copied and deleted as C++ objects.
template <class T>
GType boxed_type(const char* name) {
    const GType existing = g_type_from_name(name);
    if (existing != 0) return existing;
    return g_boxed_type_register_static(
        name, [](gpointer boxed) -> gpointer { return new T(*static_cast<T*>(boxed)); },
        [](gpointer boxed) { delete static_cast<T*>(boxed); });
}

GType update_boxed_type() {
    static const GType type = boxed_type<UpdatePointer>("SeesayCaptionUpdate");
    return type;
}

GType features_boxed_type() {
    static const GType type = boxed_type<LateFeatures>("SeesayLateFeatures");
    return type;
}

FeatureMeta* as_features(GstMeta* meta) {
    return reinterpret_cast<FeatureMeta*>(meta);
}
CaptionMeta* as_caption(GstMeta* meta) {
    return reinterpret_cast<CaptionMeta*>(meta);
}

gboolean init_feature_meta(GstMeta* meta, gpointer, GstBuffer*) {
    as_features(meta)->features = new FeaturesPointer();
    as_features(meta)->note = FeatureNote();
    return TRUE;
}
void free_feature_meta(GstMeta* meta, GstBuffer*) {
    delete as_features(meta)->features;
}
// The description goes wherever the picture goes. Copies, conversions and scaling leave it exact,
// as the geometry is normalised; after a crop or a flip the words are still right, while the places
// of the attention are of the old picture.
gboolean transform_feature_meta(GstBuffer* destination, GstMeta* meta, GstBuffer*, GQuark,
                                gpointer) {
    set_features(destination, *as_features(meta)->features, as_features(meta)->note);
    return TRUE;
}

gboolean init_caption_meta(GstMeta* meta, gpointer, GstBuffer*) {
    as_caption(meta)->update = new UpdatePointer();
    return TRUE;
}
void free_caption_meta(GstMeta* meta, GstBuffer*) {
    delete as_caption(meta)->update;
}
gboolean transform_caption_meta(GstBuffer* destination, GstMeta* meta, GstBuffer*, GQuark,
                                gpointer) {
    set_caption(destination, *as_caption(meta)->update);
    return TRUE;
}

const GstMetaInfo* register_once(GType api, const char* name, gsize size, GstMetaInitFunction init,
                                 GstMetaFreeFunction free, GstMetaTransformFunction transform) {
    const GstMetaInfo* existing = gst_meta_get_info(name);
    return existing != nullptr ? existing
                               : gst_meta_register(api, name, size, init, free, transform);
}

const GstMetaInfo* feature_meta_info() {
    static const GstMetaInfo* info =
        register_once(feature_meta_api_get_type(), "SeesayFeatureMeta", sizeof(FeatureMeta),
                      init_feature_meta, free_feature_meta, transform_feature_meta);
    return info;
}

const GstMetaInfo* caption_meta_info() {
    static const GstMetaInfo* info =
        register_once(caption_meta_api_get_type(), "SeesayCaptionMeta", sizeof(CaptionMeta),
                      init_caption_meta, free_caption_meta, transform_caption_meta);
    return info;
}

// No tags: nothing about the picture that a transform could change makes the description worthless,
// and transforms keep metas without tags.
GType register_api(const char* name) {
    static const gchar* tags[] = {nullptr};
    const GType existing = g_type_from_name(name);
    return existing != 0 ? existing : gst_meta_api_type_register(name, tags);
}

/// The value of field `field` in an event of ours named `name`; null in any other event.
gconstpointer boxed_field(GstEvent* event, const char* name, const char* field, GType type) {
    if (GST_EVENT_TYPE(event) != GST_EVENT_CUSTOM_DOWNSTREAM) return nullptr;
    const GstStructure* structure = gst_event_get_structure(event);
    if (structure == nullptr || !gst_structure_has_name(structure, name)) return nullptr;
    const GValue* value = gst_structure_get_value(structure, field);
    return value != nullptr && G_VALUE_HOLDS(value, type) ? g_value_get_boxed(value) : nullptr;
}

}  // namespace

GType feature_meta_api_get_type() {
    static const GType type = register_api("SeesayFeatureMetaAPI");
    return type;
}

GType caption_meta_api_get_type() {
    static const GType type = register_api("SeesayCaptionMetaAPI");
    return type;
}

void set_features(GstBuffer* buffer, FeaturesPointer features, const FeatureNote& note) {
    g_return_if_fail(gst_buffer_is_writable(buffer));
    GstMeta* meta = gst_buffer_get_meta(buffer, feature_meta_api_get_type());
    if (meta == nullptr) {
        meta = gst_buffer_add_meta(buffer, feature_meta_info(), nullptr);
    }
    *as_features(meta)->features = std::move(features);
    as_features(meta)->note = note;
}

void set_caption(GstBuffer* buffer, UpdatePointer update) {
    g_return_if_fail(gst_buffer_is_writable(buffer));
    GstMeta* meta = gst_buffer_get_meta(buffer, caption_meta_api_get_type());
    if (meta == nullptr) {
        meta = gst_buffer_add_meta(buffer, caption_meta_info(), nullptr);
    }
    *as_caption(meta)->update = std::move(update);
}

FeaturesPointer get_features(GstBuffer* buffer) {
    GstMeta* meta = gst_buffer_get_meta(buffer, feature_meta_api_get_type());
    return meta == nullptr ? nullptr : *as_features(meta)->features;
}

FeatureNote get_feature_note(GstBuffer* buffer) {
    GstMeta* meta = gst_buffer_get_meta(buffer, feature_meta_api_get_type());
    return meta == nullptr ? FeatureNote() : as_features(meta)->note;
}

UpdatePointer get_caption(GstBuffer* buffer) {
    GstMeta* meta = gst_buffer_get_meta(buffer, caption_meta_api_get_type());
    return meta == nullptr ? nullptr : *as_caption(meta)->update;
}

GstEvent* new_caption_update_event(UpdatePointer update) {
    return gst_event_new_custom(
        GST_EVENT_CUSTOM_DOWNSTREAM,
        gst_structure_new(kUpdateEvent, "update", update_boxed_type(), &update, nullptr));
}

UpdatePointer parse_caption_update_event(GstEvent* event) {
    const gconstpointer boxed = boxed_field(event, kUpdateEvent, "update", update_boxed_type());
    return boxed == nullptr ? nullptr : *static_cast<const UpdatePointer*>(boxed);
}

GstEvent* new_features_event(LateFeatures late) {
    return gst_event_new_custom(
        GST_EVENT_CUSTOM_DOWNSTREAM,
        gst_structure_new(kFeaturesEvent, "late", features_boxed_type(), &late, nullptr));
}

LateFeatures parse_features_event(GstEvent* event) {
    const gconstpointer boxed = boxed_field(event, kFeaturesEvent, "late", features_boxed_type());
    return boxed == nullptr ? LateFeatures() : *static_cast<const LateFeatures*>(boxed);
}

}  // namespace seesay::elements
