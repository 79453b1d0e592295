// Panels are blended as RGB frames, then laid out and labelled with Cairo.
#include "elements/overlay/figure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <opencv2/core.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <vector>

#include "elements/overlay/attention_boxes.hpp"
#include "elements/overlay/attention_rows.hpp"
#include "elements/overlay/blender.hpp"
#include "elements/overlay/drawable_text.hpp"
#include "elements/overlay/heat_map.hpp"
#include "elements/overlay/pango_context.hpp"
#include "models/error.hpp"

namespace seesay::overlay {
namespace {

constexpr const char* kLabelFont = "Noto Sans, DejaVu Sans, Sans Medium";
constexpr const char* kHeadlineFont = kDefaultFont;
constexpr double kWantedAspect = 1.5;

// Of a panel's longer side.
constexpr double kGap = 0.055;
constexpr double kLabelSize = 0.066;
constexpr double kLabelHeight = 0.125;
constexpr double kHeadlineSize = 0.092;
constexpr double kMargin = 0.12;

/// Pixels.
struct Arrangement {
    int panels = 1;
    int columns = 1;
    int rows = 1;
    int panel_width = 0;
    int panel_height = 0;
    int gap = 0;
    int label_height = 0;
    int margin = 0;
    int headline_height = 0;

    int width() const { return 2 * margin + columns * panel_width + (columns - 1) * gap; }
    int height() const {
        return 2 * margin + headline_height + rows * (label_height + panel_height) +
               (rows - 1) * gap;
    }
    int left(int panel) const { return margin + panel % columns * (panel_width + gap); }
    int top(int panel) const {
        return margin + headline_height + panel / columns * (label_height + panel_height + gap) +
               label_height;
    }
};

/// How far from the wanted shape, and how much of the last row stays empty.
double cost(const Arrangement& arrangement) {
    const double aspect = static_cast<double>(arrangement.width()) / arrangement.height();
    const int places = arrangement.columns * arrangement.rows;
    return std::abs(std::log(aspect / kWantedAspect)) +
           1.5 * (places - arrangement.panels) / static_cast<double>(places);
}

Arrangement arrange(int panels, const vision::Image& picture, int side) {
    Arrangement best;
    best.panels = panels;
    const double scale = static_cast<double>(side) / std::max(picture.width, picture.height);
    best.panel_width = std::max(static_cast<int>(std::lround(picture.width * scale)), 1);
    best.panel_height = std::max(static_cast<int>(std::lround(picture.height * scale)), 1);
    best.gap = static_cast<int>(std::lround(kGap * side));
    best.margin = static_cast<int>(std::lround(kMargin * side));
    best.label_height = static_cast<int>(std::lround(kLabelHeight * side));
    best.rows = panels;
    for (int columns = 2; columns <= panels; ++columns) {
        Arrangement next = best;
        next.columns = columns;
        next.rows = (panels + columns - 1) / columns;
        if (cost(next) < cost(best)) best = next;
    }
    return best;
}

class Figure {
 public:
    Figure(const Arrangement& arrangement, int side)
        : arrangement_(arrangement),
          side_(side),
          canvas_(arrangement.height(), arrangement.width(), CV_8UC4),
          surface_(cairo_image_surface_create_for_data(canvas_.data, CAIRO_FORMAT_ARGB32,
                                                       canvas_.cols, canvas_.rows,
                                                       static_cast<int>(canvas_.step))),
          cairo_(cairo_create(surface_.get())) {
        cairo_set_source_rgb(cairo_.get(), 1.0, 1.0, 1.0);
        cairo_paint(cairo_.get());
    }

    void add_panel(int index, const cv::Mat& rgb, const std::string& word,
                   const std::string& probability) {
        cv::Mat bgra;
        cv::cvtColor(rgb, bgra, cv::COLOR_RGB2BGRA);
        const int left = arrangement_.left(index);
        const int top = arrangement_.top(index);
        const SurfacePointer panel(cairo_image_surface_create_for_data(
            bgra.data, CAIRO_FORMAT_RGB24, bgra.cols, bgra.rows, static_cast<int>(bgra.step)));
        cairo_set_source_surface(cairo_.get(), panel.get(), left, top);
        cairo_rectangle(cairo_.get(), left, top, bgra.cols, bgra.rows);
        cairo_fill(cairo_.get());
        const LayoutPointer label = new_layout(kLabelFont, kLabelSize);
        pango_layout_set_text(label.get(), word.data(), static_cast<int>(word.size()));
        const LayoutPointer figure = new_layout(kLabelFont, 0.75 * kLabelSize);
        pango_layout_set_text(figure.get(), probability.data(),
                              static_cast<int>(probability.size()));
        show_label(left, top, label.get(), figure.get());
    }

    void set_language(const std::string& language) { fonts_.set_language(language); }

    /// Height of the headline with the room below it.
    static int headline_height(PangoFonts& fonts, const std::string& text, int width, int side);

    void add_headline(const std::string& text) {
        const LayoutPointer layout = new_layout(kHeadlineFont, kHeadlineSize);
        const int width = canvas_.cols - 2 * arrangement_.margin;
        wrap(layout.get(), text, width);
        cairo_set_source_rgb(cairo_.get(), 0.1, 0.1, 0.12);
        cairo_move_to(cairo_.get(), arrangement_.margin, arrangement_.margin * 0.85);
        pango_cairo_show_layout(cairo_.get(), layout.get());
    }

    vision::Image take() {
        cairo_surface_flush(surface_.get());
        vision::Image image{canvas_.cols, canvas_.rows, {}};
        image.pixels.resize(canvas_.total() * 3);
        cv::Mat rgb(canvas_.rows, canvas_.cols, CV_8UC3, image.pixels.data());
        cv::cvtColor(canvas_, rgb, cv::COLOR_BGRA2RGB);
        return image;
    }

 private:
    static void wrap(PangoLayout* layout, const std::string& text, int width) {
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
        pango_layout_set_width(layout, width * PANGO_SCALE);
        pango_layout_set_height(layout, -3);
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
        pango_layout_set_text(layout, text.data(), static_cast<int>(text.size()));
    }

    LayoutPointer new_layout(const char* font, double size) const {
        LayoutPointer layout(pango_layout_new(fonts_.context()));
        const FontDescriptionPointer description = fonts_.describe(font, size * side_);
        pango_layout_set_font_description(layout.get(), description.get());
        pango_layout_set_single_paragraph_mode(layout.get(), TRUE);
        return layout;
    }

    /// The word at the panel's left edge, the probability at its right, on one base line.
    void show_label(int left, int top, PangoLayout* word, PangoLayout* probability) {
        const int width = arrangement_.panel_width;
        int figure_width = 0;
        pango_layout_get_pixel_size(probability, &figure_width, nullptr);
        pango_layout_set_width(
            word, std::max(width - figure_width - arrangement_.gap / 2, 1) * PANGO_SCALE);
        pango_layout_set_ellipsize(word, PANGO_ELLIPSIZE_END);
        pango_layout_set_auto_dir(word, FALSE);
        const double base = top - 0.38 * arrangement_.label_height;
        const auto rows_above = [](PangoLayout* layout) {
            return static_cast<double>(pango_layout_get_baseline(layout)) / PANGO_SCALE;
        };
        cairo_set_source_rgb(cairo_.get(), 0.1, 0.1, 0.12);
        cairo_move_to(cairo_.get(), left, base - rows_above(word));
        pango_cairo_show_layout(cairo_.get(), word);
        cairo_set_source_rgb(cairo_.get(), 0.45, 0.45, 0.5);
        cairo_move_to(cairo_.get(), left + width - figure_width, base - rows_above(probability));
        pango_cairo_show_layout(cairo_.get(), probability);
    }

    PangoFonts fonts_;
    Arrangement arrangement_;
    int side_;
    cv::Mat canvas_;
    SurfacePointer surface_;
    CairoPointer cairo_;
};

int Figure::headline_height(PangoFonts& fonts, const std::string& text, int width, int side) {
    const LayoutPointer layout(pango_layout_new(fonts.context()));
    const FontDescriptionPointer description = fonts.describe(kHeadlineFont, kHeadlineSize * side);
    pango_layout_set_font_description(layout.get(), description.get());
    wrap(layout.get(), text, width);
    int height = 0;
    pango_layout_get_pixel_size(layout.get(), nullptr, &height);
    return height;
}

void draw_attention(cv::Mat& rgb, const language::Caption& caption, std::size_t word,
                    const FigureStyle& style) {
    const FrameFormat format{vision::PixelFormat::RGB, rgb.cols, rgb.rows};
    const std::vector<float> row = attention_row(caption, word);
    PreparedOverlay prepared;
    if (caption.geometry.kind == vision::Geometry::Kind::Boxes) {
        const ColourMap colours = make_colour_map(Colours::Heat, style.attention_opacity, 1.0);
        prepare(draw_attention_boxes(row, caption.geometry, rgb.cols, rgb.rows, colours), format,
                prepared);
    } else {
        const HeatMap map(row, caption.geometry);
        map.prepare(format, make_colour_map(style.colours, style.attention_opacity, map.contrast()),
                    prepared);
    }
    blend(prepared, {{rgb.data}, {static_cast<int>(rgb.step)}});
}

/// "0.83": never by the locale.
std::string two_decimals(double probability) {
    const int hundredths = static_cast<int>(std::lround(100.0 * std::clamp(probability, 0.0, 1.0)));
    const std::string digits = std::to_string(hundredths % 100);
    return std::to_string(hundredths / 100) + (digits.size() == 1 ? ".0" : ".") + digits;
}

}  // namespace

vision::Image draw_figure(const vision::Image& picture, const language::Caption& caption,
                          const FigureStyle& style) {
    const auto pixels =
        static_cast<std::size_t>(std::max(picture.width, 0)) * std::max(picture.height, 0) * 3;
    if (pixels == 0 || picture.pixels.size() != pixels) {
        throw Error("cannot draw a figure of an empty picture: give one with at least one pixel");
    }
    const int words =
        has_attention(caption) ? std::min(static_cast<int>(caption.tokens.size()), kMostWords) : 0;
    Arrangement arrangement = arrange(words + 1, picture, style.panel_side);
    const std::string headline = drawable_text(caption.text, 1000);
    PangoFonts fonts;
    fonts.set_language(caption.language);
    arrangement.headline_height = Figure::headline_height(
        fonts, headline, arrangement.width() - 2 * arrangement.margin, style.panel_side);

    Figure figure(arrangement, style.panel_side);
    figure.set_language(caption.language);
    figure.add_headline(headline);
    const cv::Mat source(picture.height, picture.width, CV_8UC3,
                         const_cast<std::uint8_t*>(picture.pixels.data()));
    cv::Mat small;
    const bool shrinks = arrangement.panel_width < picture.width;
    cv::resize(source, small, {arrangement.panel_width, arrangement.panel_height}, 0, 0,
               shrinks ? cv::INTER_AREA : cv::INTER_CUBIC);
    figure.add_panel(0, small, "", "");
    for (int i = 0; i < words; ++i) {
        const language::Token& token = caption.tokens[static_cast<std::size_t>(i)];
        cv::Mat panel = small.clone();
        draw_attention(panel, caption, static_cast<std::size_t>(i), style);
        figure.add_panel(i + 1, panel, drawable_text(token.text, 60),
                         two_decimals(std::exp(token.log_probability)));
    }
    return figure.take();
}

void write_picture(const vision::Image& image, const std::string& path) {
    const cv::Mat rgb(image.height, image.width, CV_8UC3,
                      const_cast<std::uint8_t*>(image.pixels.data()));
    cv::Mat bgr;
    cv::cvtColor(rgb, bgr, cv::COLOR_RGB2BGR);
    const std::size_t dot = path.rfind('.');
    const std::string extension = dot == std::string::npos ? "" : path.substr(dot);
    std::vector<std::uint8_t> encoded;
    try {
        if (extension.empty() || !cv::imencode(extension, bgr, encoded)) {
            throw Error("cannot write " + path + ": give it an extension such as .png or .jpg");
        }
    } catch (const cv::Exception&) {
        throw Error("cannot write " + path + ": pictures are written as .png, .jpg or .webp, not " +
                    extension);
    }
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"),
                                                               std::fclose);
    if (file == nullptr ||
        std::fwrite(encoded.data(), 1, encoded.size(), file.get()) != encoded.size() ||
        std::fflush(file.get()) != 0) {
        throw Error("cannot write " + path +
                    ": check that its folder exists, may be written and is not full");
    }
}

}  // namespace seesay::overlay
