// Owning handles for Pango and Cairo, and a font map and context of one's own: Pango is not
// thread-safe across threads that share one.
#pragma once

#include <cairo.h>
#include <pango/pangocairo.h>

#include <memory>
#include <string>

namespace seesay::overlay {

struct GObjectDeleter {
    void operator()(void* object) const { g_object_unref(object); }
};
struct AttributesDeleter {
    void operator()(PangoAttrList* attributes) const { pango_attr_list_unref(attributes); }
};
struct FontDescriptionDeleter {
    void operator()(PangoFontDescription* description) const {
        pango_font_description_free(description);
    }
};
struct SurfaceDeleter {
    void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct CairoDeleter {
    void operator()(cairo_t* context) const { cairo_destroy(context); }
};

using FontMapPointer = std::unique_ptr<PangoFontMap, GObjectDeleter>;
using ContextPointer = std::unique_ptr<PangoContext, GObjectDeleter>;
using LayoutPointer = std::unique_ptr<PangoLayout, GObjectDeleter>;
using AttributesPointer = std::unique_ptr<PangoAttrList, AttributesDeleter>;
using FontDescriptionPointer = std::unique_ptr<PangoFontDescription, FontDescriptionDeleter>;
using SurfacePointer = std::unique_ptr<cairo_surface_t, SurfaceDeleter>;
using CairoPointer = std::unique_ptr<cairo_t, CairoDeleter>;

/// Good on video and present where our package list was installed; Pango falls back glyph by glyph.
inline constexpr const char* kDefaultFont = "Noto Sans, DejaVu Sans, Sans Semi-Bold";

/// A font map with one context. Glyphs are drawn in grey (video has no sub-pixels to use) and
/// unhinted, so that text scales evenly with the picture. The language is set, never taken from the
/// locale.
class PangoFonts {
 public:
    PangoFonts();

    PangoContext* context() const { return context_.get(); }
    /// BCP 47: decides which shapes Han characters get. Empty is English.
    void set_language(const std::string& language);
    /// `font` is a Pango font description, any size in it is replaced by `pixels` (the em).
    FontDescriptionPointer describe(const std::string& font, double pixels) const;

 private:
    FontMapPointer map_;
    ContextPointer context_;
};

}  // namespace seesay::overlay
