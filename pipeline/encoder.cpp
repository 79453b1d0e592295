// One table of encoders, and the elements around them.
#include "pipeline/encoder.hpp"

#include <gst/video/video.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string_view>

#include "elements/source/film_reader.hpp"

namespace seesay::pipeline {
namespace {

struct EncoderKind {
    const char* name;
    const char* element;
    const char* parser;  ///< null where packets need none
    const char* caps;
    int crf;
    int worst_crf;
    bool in_webm;
};

constexpr std::array kinds{
    EncoderKind{"x264", "x264enc", "h264parse",
                "video/x-h264, stream-format=(string)avc, alignment=(string)au", 20, 50, false},
    EncoderKind{"x265", "x265enc", "h265parse",
                "video/x-h265, stream-format=(string)hvc1, alignment=(string)au", 24, 51, false},
    EncoderKind{"openh264", "openh264enc", "h264parse",
                "video/x-h264, stream-format=(string)avc, alignment=(string)au", 26, 51, false},
    EncoderKind{"vp9", "vp9enc", nullptr, "video/x-vp9", 32, 63, true},
    EncoderKind{"vp8", "vp8enc", nullptr, "video/x-vp8", 20, 63, true},
};

// x264's names, fastest first; other encoders' speeds are mapped from them.
constexpr std::array<std::string_view, 10> presets{"ultrafast", "superfast", "veryfast", "faster",
                                                   "fast",      "medium",    "slow",     "slower",
                                                   "veryslow",  "placebo"};

struct Unref {
    void operator()(gpointer object) const { gst_object_unref(object); }
};
using OwnedElement = std::unique_ptr<GstElement, Unref>;

const EncoderKind& kind_for(const EncoderSettings& settings) {
    const std::string wanted = !settings.name.empty()                  ? settings.name
                               : settings.container == Container::WebM ? "vp9"
                                                                       : "x264";
    for (const EncoderKind& kind : kinds) {
        if (wanted != kind.name && wanted != kind.element) continue;
        if (settings.container == Container::WebM && !kind.in_webm) {
            throw UsageError("encoder " + wanted + ": a .webm film needs vp9 or vp8");
        }
        if (settings.container == Container::Mp4 && std::string_view(kind.name) == "vp8") {
            throw UsageError("encoder vp8: an .mp4 film cannot hold it; an .mkv or .webm can");
        }
        return kind;
    }
    throw UsageError("encoder " + encoder_name_mistake(wanted).value_or(wanted));
}

int preset_number(const std::string& preset) {
    if (preset.empty()) return 2;
    if (const auto mistake = preset_mistake(preset)) throw UsageError("preset " + *mistake);
    return static_cast<int>(std::find(presets.begin(), presets.end(), preset) - presets.begin());
}

int key_frame_distance(const EncoderSettings& settings) {
    if (settings.frame_rate <= 0.0) return 250;
    const double seconds = settings.live ? 2.0 : 5.0;
    return std::clamp(static_cast<int>(std::lround(seconds * settings.frame_rate)), 12, 300);
}

void configure_x264(GstElement* encoder, const EncoderSettings& settings, int crf) {
    gst_util_set_object_arg(G_OBJECT(encoder), "speed-preset",
                            presets[preset_number(settings.preset)].data());
    gst_util_set_object_arg(G_OBJECT(encoder), "pass", "qual");
    g_object_set(encoder, "quantizer", static_cast<guint>(crf), "qp-min", 0U, "key-int-max",
                 static_cast<guint>(key_frame_distance(settings)), nullptr);
    if (settings.live) gst_util_set_object_arg(G_OBJECT(encoder), "tune", "zerolatency");
    // Without this, x264enc would write GStreamer's guess. The pixel aspect is in the container
    // too.
    if (!settings.tagged) g_object_set(encoder, "insert-vui", FALSE, nullptr);
    if (settings.pixels > elements::kHugePicture) {
        g_object_set(encoder, "rc-lookahead", 4, "sync-lookahead", 0, "threads", 1U, "bframes", 0U,
                     "ref", 1U, nullptr);
    }
}

void configure_x265(GstElement* encoder, const EncoderSettings& settings, int crf) {
    gst_util_set_object_arg(G_OBJECT(encoder), "speed-preset",
                            presets[preset_number(settings.preset)].data());
    const std::string options = "crf=" + std::to_string(crf) + ":log-level=none";
    g_object_set(encoder, "option-string", options.c_str(), "key-int-max",
                 key_frame_distance(settings), nullptr);
    if (settings.live) gst_util_set_object_arg(G_OBJECT(encoder), "tune", "zerolatency");
}

void configure_openh264(GstElement* encoder, const EncoderSettings& settings, int crf) {
    const int preset = preset_number(settings.preset);
    gst_util_set_object_arg(G_OBJECT(encoder), "complexity",
                            preset < 4   ? "low"
                            : preset < 7 ? "medium"
                                         : "high");
    gst_util_set_object_arg(G_OBJECT(encoder), "rate-control", "off");
    g_object_set(encoder, "qp-min", static_cast<guint>(crf), "qp-max",
                 static_cast<guint>(std::min(crf + 1, 51)), "gop-size",
                 static_cast<guint>(key_frame_distance(settings)), nullptr);
}

void configure_vpx(GstElement* encoder, const EncoderSettings& settings, int crf) {
    const int preset = preset_number(settings.preset);
    gst_util_set_object_arg(G_OBJECT(encoder), "end-usage", "cq");
    // cpu-used 8 is the fastest; a deadline of 1 µs asks for real time, which is what makes high
    // values count.
    g_object_set(encoder, "cq-level", crf, "min-quantizer", std::max(0, crf - 12), "max-quantizer",
                 63, "target-bitrate", 100'000'000, "deadline",
                 static_cast<gint64>(preset < 6 ? 1 : 1'000'000), "cpu-used",
                 std::clamp(8 - preset, 0, 8), "keyframe-max-dist", key_frame_distance(settings),
                 "threads", static_cast<gint>(std::clamp<guint>(g_get_num_processors(), 1, 16)),
                 "lag-in-frames",
                 settings.live || settings.pixels > elements::kHugePicture ? 0 : 16, nullptr);
    gst_util_set_object_arg(G_OBJECT(encoder), "timebase", "1/1000000");
}

GstElement* configured_encoder(const EncoderKind& kind, const EncoderSettings& settings) {
    const int crf = settings.crf < 0 ? kind.crf : settings.crf;
    if (crf > kind.worst_crf) {
        throw UsageError("quality " + std::to_string(crf) + ": " + kind.name + " takes 0 to " +
                         std::to_string(kind.worst_crf));
    }
    GstElement* encoder = gst_element_factory_make(kind.element, nullptr);
    if (encoder == nullptr) {
        throw Error(std::string("GStreamer has no element ") + kind.element +
                    "; install its plugin, or choose another --encoder");
    }
    const std::string_view name(kind.name);
    try {
        if (name == "x264") configure_x264(encoder, settings, crf);
        if (name == "x265") configure_x265(encoder, settings, crf);
        if (name == "openh264") configure_openh264(encoder, settings, crf);
        if (name == "vp9" || name == "vp8") configure_vpx(encoder, settings, crf);
    } catch (...) {
        gst_object_unref(encoder);
        throw;
    }
    return encoder;
}

GstElement* make(const char* factory) {
    GstElement* element = gst_element_factory_make(factory, nullptr);
    if (element == nullptr) {
        throw Error(std::string("the GStreamer element ") + factory +
                    " is missing; install the base and good plugins");
    }
    return element;
}

// The first size is the film's size: a container has one. Odd sizes lose their last row or column,
// as 4:2:0 demands.
GstPadProbeReturn fix_size(GstPad* pad, GstPadProbeInfo* info, gpointer bin) {
    GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
    if (GST_EVENT_TYPE(event) != GST_EVENT_CAPS) return GST_PAD_PROBE_OK;
    GstCaps* caps = nullptr;
    gst_event_parse_caps(event, &caps);
    GstVideoInfo video;
    if (!gst_video_info_from_caps(&video, caps)) return GST_PAD_PROBE_OK;
    GstCaps* fixed = gst_caps_from_string("video/x-raw, format=(string){ I420, NV12 }");
    gst_caps_set_simple(fixed, "width", G_TYPE_INT, video.width, "height", G_TYPE_INT, video.height,
                        "pixel-aspect-ratio", GST_TYPE_FRACTION, video.par_n, video.par_d, nullptr);
    GstElement* size = gst_bin_get_by_name(GST_BIN(bin), "size");
    GstElement* crop = gst_bin_get_by_name(GST_BIN(bin), "crop");
    g_object_set(size, "caps", fixed, nullptr);
    g_object_set(crop, "right", video.width > 1 ? video.width % 2 : 0, "bottom",
                 video.height > 1 ? video.height % 2 : 0, nullptr);
    gst_object_unref(size);
    gst_object_unref(crop);
    gst_caps_unref(fixed);
    gst_pad_remove_probe(pad, GST_PAD_PROBE_INFO_ID(info));
    return GST_PAD_PROBE_OK;
}

void add_ghost(GstElement* bin, const char* name, GstElement* inner, const char* pad_name) {
    GstPad* pad = gst_element_get_static_pad(inner, pad_name);
    gst_element_add_pad(bin, gst_ghost_pad_new(name, pad));
    gst_object_unref(pad);
}

}  // namespace

std::optional<std::string> encoder_name_mistake(const std::string& name) {
    std::string known;
    for (const EncoderKind& kind : kinds) {
        if (name == kind.name || name == kind.element) return std::nullopt;
        known.append(known.empty() ? "" : ", ").append(kind.name);
    }
    return name + ": unknown; seesay knows " + known;
}

std::optional<std::string> preset_mistake(const std::string& preset) {
    std::string known;
    for (const std::string_view name : presets) {
        if (preset == name) return std::nullopt;
        known.append(known.empty() ? "" : ", ").append(name);
    }
    return preset + ": unknown; choose from " + known;
}

GstElement* new_encoder(const EncoderSettings& settings) {
    const EncoderKind& kind = kind_for(settings);
    GstElement* encoder = configured_encoder(kind, settings);
    OwnedElement bin(GST_ELEMENT(gst_object_ref_sink(gst_bin_new("encode"))));
    gst_bin_add(GST_BIN(bin.get()), encoder);
    GstElement* convert = make("videoconvert");
    GstElement* scale = make("videoscale");
    GstElement* size = make("capsfilter");
    GstElement* crop = make("videocrop");
    GstElement* packets = make("capsfilter");
    GstElement* parser = kind.parser == nullptr ? make("identity") : make(kind.parser);
    gst_element_set_name(size, "size");
    gst_element_set_name(crop, "crop");
    g_object_set(convert, "n-threads", 0U, nullptr);
    GstCaps* caps = gst_caps_from_string("video/x-raw, format=(string){ I420, NV12 }");
    g_object_set(size, "caps", caps, nullptr);
    gst_caps_unref(caps);
    caps = gst_caps_from_string(kind.caps);
    g_object_set(packets, "caps", caps, nullptr);
    gst_caps_unref(caps);
    gst_bin_add_many(GST_BIN(bin.get()), convert, scale, size, crop, parser, packets, nullptr);
    if (!gst_element_link_many(convert, scale, size, crop, encoder, parser, packets, nullptr)) {
        throw Error(std::string("the encoder ") + kind.element + " cannot be linked");
    }
    add_ghost(bin.get(), "sink", convert, "sink");
    add_ghost(bin.get(), "src", packets, "src");
    GstPad* sink = gst_element_get_static_pad(bin.get(), "sink");
    gst_pad_add_probe(sink, GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, fix_size, bin.get(), nullptr);
    gst_object_unref(sink);
    GstElement* result = bin.release();
    g_object_force_floating(G_OBJECT(result));
    return result;
}

BurnedVideo describe_encoded(GstCaps* caps, bool tagged) {
    BurnedVideo video;
    GstStructure* structure = gst_caps_get_structure(caps, 0);
    const std::string_view type(gst_structure_get_name(structure));
    video.codec = type == "video/x-h264"   ? AV_CODEC_ID_H264
                  : type == "video/x-h265" ? AV_CODEC_ID_HEVC
                  : type == "video/x-vp8"  ? AV_CODEC_ID_VP8
                                           : AV_CODEC_ID_VP9;
    gst_structure_get_int(structure, "width", &video.width);
    gst_structure_get_int(structure, "height", &video.height);
    gst_structure_get_fraction(structure, "pixel-aspect-ratio", &video.pixel_aspect.num,
                               &video.pixel_aspect.den);
    const GValue* data = gst_structure_get_value(structure, "codec_data");
    GstMapInfo map;
    if (data != nullptr && gst_buffer_map(gst_value_get_buffer(data), &map, GST_MAP_READ)) {
        video.extradata.assign(map.data, map.data + map.size);
        gst_buffer_unmap(gst_value_get_buffer(data), &map);
    }
    GstVideoColorimetry colours;
    const gchar* text = gst_structure_get_string(structure, "colorimetry");
    if (text != nullptr && gst_video_colorimetry_from_string(&colours, text)) {
        video.range = colours.range == GST_VIDEO_COLOR_RANGE_0_255    ? AVCOL_RANGE_JPEG
                      : colours.range == GST_VIDEO_COLOR_RANGE_16_235 ? AVCOL_RANGE_MPEG
                                                                      : AVCOL_RANGE_UNSPECIFIED;
        if (tagged) {
            video.matrix = static_cast<AVColorSpace>(gst_video_color_matrix_to_iso(colours.matrix));
            video.transfer = static_cast<AVColorTransferCharacteristic>(
                gst_video_transfer_function_to_iso(colours.transfer));
            video.primaries =
                static_cast<AVColorPrimaries>(gst_video_color_primaries_to_iso(colours.primaries));
        }
    }
    return video;
}

}  // namespace seesay::pipeline
