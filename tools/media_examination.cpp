// The media half of `seesay doctor`: GStreamer, our elements, codecs, fonts.
#include <gst/gst.h>
#include <pango/pangocairo.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>

#include "elements/static_plugin.hpp"
#include "tools/examination.hpp"

namespace seesay::tools {
namespace {

bool has_element(const char* name) {
    GstElementFactory* factory = gst_element_factory_find(name);
    if (factory == nullptr) {
        return false;
    }
    gst_object_unref(factory);
    return true;
}

void examine_codecs(Examination& examination) {
    struct Need {
        const char* element;
        const char* use;
        const char* package;
        Finding absent;
    };
    const std::array needs{
        Need{"x264enc", "H.264 films (.mp4, .mkv)", "gstreamer1.0-plugins-ugly", Finding::Broken},
        Need{"vp9enc", "VP9 films (.webm)", "gstreamer1.0-plugins-good", Finding::Absent},
        Need{"avdec_h264", "decoding in streams", "gstreamer1.0-libav", Finding::Broken},
        Need{"souphttpsrc", "http and https inputs", "gstreamer1.0-plugins-good", Finding::Absent},
        Need{"rtspsrc", "rtsp inputs", "gstreamer1.0-plugins-good", Finding::Absent},
        Need{"textoverlay", "the comparison in seesay bench", "gstreamer1.0-x", Finding::Absent},
    };
    for (const auto& need : needs) {
        const bool found = has_element(need.element);
        examination.judge(found ? Finding::Good : need.absent, need.element, need.use,
                          std::string("install ") + need.package);
    }
}

void examine_plugin(Examination& examination) {
    GstPlugin* file = gst_registry_find_plugin(gst_registry_get(), "seesay");
    if (file != nullptr) {
        const gchar* path = gst_plugin_get_filename(file);
        examination.judge(Finding::Good, "plugin", path == nullptr ? "linked in" : path, "");
        gst_object_unref(file);
    } else {
        examination.judge(Finding::Absent, "plugin",
                          "not visible to gst-launch-1.0 (this program has the elements linked in)",
                          "put the folder of libgstseesay.so into GST_PLUGIN_PATH");
    }
    elements::register_seesay_elements();
    for (const char* element :
         {"seesaysource", "seesayfeatures", "seesaycaption", "seesayoverlay", "seesaypublish"}) {
        if (!has_element(element)) {
            examination.judge(Finding::Broken, element, "not registered",
                              "the installation is incomplete; build again");
        }
    }
}

bool has_glyphs(PangoContext* context, const char* text) {
    PangoLayout* layout = pango_layout_new(context);
    pango_layout_set_text(layout, text, -1);
    const bool all = pango_layout_get_unknown_glyphs_count(layout) == 0;
    g_object_unref(layout);
    return all;
}

void examine_fonts(Examination& examination) {
    PangoFontMap* map = pango_cairo_font_map_new();
    PangoContext* context = pango_font_map_create_context(map);
    const bool latin = has_glyphs(context, "a dog runs");
    examination.judge(latin ? Finding::Good : Finding::Broken, "fonts",
                      latin ? "found" : "no font for Latin letters", "install fonts-dejavu-core");
    if (!has_glyphs(context, "一只狗")) {
        examination.judge(Finding::Absent, "CJK font", "none",
                          "install fonts-noto-cjk to burn in Chinese, Japanese or Korean");
    }
    g_object_unref(context);
    g_object_unref(map);
}

}  // namespace

void examine_media(Examination& examination) {
    gst_init(nullptr, nullptr);
    const std::unique_ptr<gchar, decltype(&g_free)> version(gst_version_string(), g_free);
    examination.fact("media", version.get());
    examine_plugin(examination);
    examine_codecs(examination);
    examine_fonts(examination);
}

}  // namespace seesay::tools
