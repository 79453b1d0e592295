// Pango lays out, Cairo draws. All lengths are in square units of one picture row; drawing scales
// them to pixels.
#include "elements/overlay/text_layout.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace seesay::overlay {
namespace {

// Of the em.
constexpr double kPaddingAcross = 0.55;
constexpr double kPaddingDown = 0.22;
constexpr double kCornerRadius = 0.38;
constexpr double kOutline = 0.13;
constexpr float kLineSpacing = 1.0F;

// Of the picture.
constexpr double kWidthUsed = 0.9;
constexpr double kMarginDown = 0.045;

constexpr double kReadableRows = 12.0;

struct Colour {
    double red, green, blue;
};
constexpr Colour kText{1.0, 1.0, 1.0};
constexpr Colour kCurrentWord{1.0, 0.86, 0.36};
constexpr Colour kBox{0.03, 0.03, 0.05};

double rows(int pango_units) {
    return static_cast<double>(pango_units) / PANGO_SCALE;
}

void rounded_rectangle(cairo_t* cairo, double x, double y, double width, double height,
                       double radius) {
    const double quarter = std::numbers::pi / 2;
    cairo_new_sub_path(cairo);
    cairo_arc(cairo, x + width - radius, y + radius, radius, -quarter, 0);
    cairo_arc(cairo, x + width - radius, y + height - radius, radius, 0, quarter);
    cairo_arc(cairo, x + radius, y + height - radius, radius, quarter, 2 * quarter);
    cairo_arc(cairo, x + radius, y + radius, radius, 2 * quarter, 3 * quarter);
    cairo_close_path(cairo);
}

/// More than `lines` lines hold of the narrowest letters, so that a cut here is hidden behind the
/// ellipsis.
std::size_t most_characters(double line_width, double em, int lines) {
    return static_cast<std::size_t>(std::ceil(line_width / em * 8.0 + 40.0)) *
           static_cast<std::size_t>(lines);
}

}  // namespace

double em_height(const PictureSize& picture, double text_height) {
    const double height = picture.height;
    const double width = picture.width * picture.pixel_aspect_ratio;
    double part = text_height;
    if (width < height) {
        part = std::max(text_height * width / height, std::min(text_height, 0.036));
    }
    if (part * height < kReadableRows) {
        part = std::max(part, std::min(kReadableRows / height, 0.055));
    }
    return std::clamp(part, 0.03, 0.06) * height;
}

TextLayout::TextLayout() : layout_(pango_layout_new(fonts_.context())) {
    pango_layout_set_wrap(layout_.get(), PANGO_WRAP_WORD_CHAR);
    pango_layout_set_ellipsize(layout_.get(), PANGO_ELLIPSIZE_END);
    pango_layout_set_alignment(layout_.get(), PANGO_ALIGN_CENTER);
    pango_layout_set_line_spacing(layout_.get(), kLineSpacing);
}

void TextLayout::warm_up(const std::string& font) {
    const FontDescriptionPointer description = fonts_.describe(font, 32.0);
    pango_layout_set_font_description(layout_.get(), description.get());
    pango_layout_set_text(layout_.get(), "Seesay", -1);
    const Box area{0.0, 0.0, 32.0, 32.0};
    picture_ = {32, 32, 1.0};
    em_ = 32.0;
    PlacedImage scratch = start_image(area);
    show_text(start_drawing(scratch).get());
}

void TextLayout::set(const std::string& text, const std::vector<std::string>& words,
                     const std::string& language, const PictureSize& picture,
                     const TextStyle& style) {
    picture_ = picture;
    style_ = style;
    em_ = em_height(picture, style.text_height);
    const double widest = std::max(
        kWidthUsed * picture.width * picture.pixel_aspect_ratio - 2 * kPaddingAcross * em_, em_);
    const std::size_t limit = most_characters(widest, em_, style.max_lines);
    text_ = drawable_text(text, limit);
    std::vector<std::string> drawable_words;
    for (const std::string& word : words) {
        drawable_words.push_back(drawable_text(word, limit));
        if (drawable_words.size() >= limit) break;
    }
    words_ = find_words(text_, drawable_words);

    fonts_.set_language(language);
    pango_layout_context_changed(layout_.get());
    const FontDescriptionPointer description = fonts_.describe(style.font, em_);
    pango_layout_set_font_description(layout_.get(), description.get());
    pango_layout_set_height(layout_.get(), -style.max_lines);
    pango_layout_set_text(layout_.get(), text_.data(), static_cast<int>(text_.size()));
    balance_lines(widest);
    place_box();
}

/// The narrowest width with as few lines as the widest: no lonely last word.
void TextLayout::balance_lines(double widest) {
    const auto set_width = [&](double width) {
        pango_layout_set_width(layout_.get(), static_cast<int>(width * PANGO_SCALE));
    };
    set_width(widest);
    const int lines = line_count();
    if (lines < 2 || ellipsised()) {
        return;
    }
    double narrow = widest / lines;
    double wide = widest;
    for (int i = 0; i < 6; ++i) {
        const double middle = (narrow + wide) / 2;
        set_width(middle);
        (line_count() > lines || ellipsised() ? narrow : wide) = middle;
    }
    set_width(wide);
}

void TextLayout::place_box() {
    PangoRectangle logical{};
    pango_layout_get_extents(layout_.get(), nullptr, &logical);
    const double across = kPaddingAcross * em_;
    const double down = kPaddingDown * em_;
    const double width = picture_.width * picture_.pixel_aspect_ratio;
    const double margin = kMarginDown * picture_.height;
    // Whole rows and pixels keep the edges crisp.
    const double pixel = picture_.pixel_aspect_ratio;
    box_.width = std::ceil((rows(logical.width) + 2 * across) / pixel) * pixel;
    box_.height = std::ceil(rows(logical.height) + 2 * down);
    box_.x = std::round((width - box_.width) / 2 / pixel) * pixel;
    box_.y = std::round(
        style_.position == TextPosition::Top ? margin : picture_.height - margin - box_.height);
    text_x_ = box_.x + across - rows(logical.x);
    text_y_ = box_.y + down - rows(logical.y);
}

int TextLayout::line_count() const {
    return pango_layout_get_line_count(layout_.get());
}

bool TextLayout::ellipsised() const {
    return pango_layout_is_ellipsized(layout_.get()) != FALSE;
}

int TextLayout::missing_glyphs() const {
    return pango_layout_get_unknown_glyphs_count(layout_.get());
}

/// An empty image over `area`, widened to whole pixels and cut to the picture.
PlacedImage TextLayout::start_image(const Box& area) const {
    const double across = picture_.pixel_aspect_ratio;
    const int left = std::max(static_cast<int>(std::floor(area.x / across)), 0);
    const int top = std::max(static_cast<int>(std::floor(area.y)), 0);
    const int right =
        std::min(static_cast<int>(std::ceil((area.x + area.width) / across)), picture_.width);
    const int bottom = std::min(static_cast<int>(std::ceil(area.y + area.height)), picture_.height);
    PlacedImage placed{left, top, {std::max(right - left, 0), std::max(bottom - top, 0), {}}};
    placed.image.pixels.resize(static_cast<std::size_t>(placed.image.width) * placed.image.height);
    return placed;
}

CairoPointer TextLayout::start_drawing(PlacedImage& placed) const {
    ArgbImage& image = placed.image;
    const SurfacePointer surface(cairo_image_surface_create_for_data(
        reinterpret_cast<unsigned char*>(image.pixels.data()), CAIRO_FORMAT_ARGB32, image.width,
        image.height, image.width * 4));
    CairoPointer cairo(cairo_create(surface.get()));
    cairo_translate(cairo.get(), -placed.x, -placed.y);
    cairo_scale(cairo.get(), 1.0 / picture_.pixel_aspect_ratio, 1.0);
    return cairo;
}

void TextLayout::show_text(cairo_t* cairo) const {
    cairo_move_to(cairo, text_x_, text_y_);
    pango_cairo_show_layout(cairo, layout_.get());
}

PlacedImage TextLayout::draw() const {
    if (empty()) {
        return {};
    }
    PlacedImage placed = start_image(box_);
    const CairoPointer owner = start_drawing(placed);
    cairo_t* cairo = owner.get();
    rounded_rectangle(cairo, box_.x, box_.y, box_.width, box_.height, kCornerRadius * em_);
    cairo_set_source_rgba(cairo, kBox.red, kBox.green, kBox.blue, style_.box_opacity);
    cairo_fill(cairo);

    cairo_move_to(cairo, text_x_, text_y_);
    pango_cairo_layout_path(cairo, layout_.get());
    cairo_set_line_width(cairo, kOutline * em_);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    cairo_set_tolerance(cairo, 0.3);
    cairo_set_antialias(cairo, CAIRO_ANTIALIAS_FAST);
    cairo_set_source_rgba(cairo, 0.0, 0.0, 0.0, 0.75);
    cairo_stroke(cairo);

    cairo_set_source_rgb(cairo, kText.red, kText.green, kText.blue);
    show_text(cairo);
    return placed;
}

/// A word broken over lines, or of mixed direction, has several boxes. Positions are the picture's.
std::vector<TextLayout::Box> TextLayout::word_boxes(const TextRange& range) const {
    std::vector<Box> boxes;
    const std::unique_ptr<PangoLayoutIter, decltype(&pango_layout_iter_free)> lines(
        pango_layout_get_iter(layout_.get()), pango_layout_iter_free);
    do {
        PangoLayoutLine* line = pango_layout_iter_get_line_readonly(lines.get());
        const int begin = std::max(static_cast<int>(range.begin), line->start_index);
        const int end = std::min(static_cast<int>(range.end), line->start_index + line->length);
        if (begin >= end) {
            continue;
        }
        PangoRectangle logical{};
        pango_layout_iter_get_line_extents(lines.get(), nullptr, &logical);
        int* ends = nullptr;
        int count = 0;
        pango_layout_line_get_x_ranges(line, begin, end, &ends, &count);
        const std::unique_ptr<int, decltype(&g_free)> owner(ends, g_free);
        for (int i = 0; i < count; ++i) {
            const double left = rows(ends[2 * i]);
            const double right = rows(ends[2 * i + 1]);
            boxes.push_back(
                {text_x_ + left, text_y_ + rows(logical.y), right - left, rows(logical.height)});
        }
    } while (pango_layout_iter_next_line(lines.get()));
    return boxes;
}

std::optional<PlacedImage> TextLayout::draw_word(std::size_t index) const {
    if (empty() || index >= words_.size() || words_[index].empty()) {
        return std::nullopt;
    }
    const std::vector<Box> boxes = word_boxes(words_[index]);
    if (boxes.empty()) {
        return std::nullopt;
    }
    Box area = boxes.front();
    for (const Box& box : boxes) {
        const double right = std::max(area.x + area.width, box.x + box.width);
        const double bottom = std::max(area.y + area.height, box.y + box.height);
        area.x = std::min(area.x, box.x);
        area.y = std::min(area.y, box.y);
        area.width = right - area.x;
        area.height = bottom - area.y;
    }
    PlacedImage placed = start_image(area);
    if (placed.image.pixels.empty()) {
        return std::nullopt;
    }
    const CairoPointer owner = start_drawing(placed);
    cairo_t* cairo = owner.get();
    for (const Box& box : boxes) {
        cairo_rectangle(cairo, box.x, box.y, box.width, box.height);
    }
    cairo_clip(cairo);
    cairo_set_source_rgb(cairo, kCurrentWord.red, kCurrentWord.green, kCurrentWord.blue);
    show_text(cairo);
    return placed;
}

}  // namespace seesay::overlay
