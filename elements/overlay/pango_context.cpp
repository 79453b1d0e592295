// One font map and context, with options that do not depend on screen or locale.
#include "elements/overlay/pango_context.hpp"

namespace seesay::overlay {

PangoFonts::PangoFonts()
    : map_(pango_cairo_font_map_new()), context_(pango_font_map_create_context(map_.get())) {
    const std::unique_ptr<cairo_font_options_t, decltype(&cairo_font_options_destroy)> options(
        cairo_font_options_create(), cairo_font_options_destroy);
    cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
    cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_ON);
    pango_cairo_context_set_font_options(context_.get(), options.get());
    pango_cairo_context_set_resolution(context_.get(), 72.0);
    pango_context_set_round_glyph_positions(context_.get(), TRUE);
    set_language("");
}

void PangoFonts::set_language(const std::string& language) {
    pango_context_set_language(
        context_.get(), pango_language_from_string(language.empty() ? "en" : language.c_str()));
}

FontDescriptionPointer PangoFonts::describe(const std::string& font, double pixels) const {
    FontDescriptionPointer description(pango_font_description_from_string(font.c_str()));
    pango_font_description_set_absolute_size(description.get(), pixels * PANGO_SCALE);
    return description;
}

}  // namespace seesay::overlay
