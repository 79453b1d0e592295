// TextLayout: a caption laid out for a picture size, and drawn as a rounded translucent box with
// outlined letters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "elements/overlay/argb_image.hpp"
#include "elements/overlay/drawable_text.hpp"
#include "elements/overlay/pango_context.hpp"

namespace seesay::overlay {

enum class TextPosition { Bottom, Top };

struct TextStyle {
    std::string font = kDefaultFont;  ///< Pango font description; its size is ignored
    double text_height = 0.045;       ///< em as a part of the picture's height, 0.03…0.06
    int max_lines = 3;                ///< more text ends in an ellipsis
    TextPosition position = TextPosition::Bottom;
    double box_opacity = 0.68;  ///< 0…1; from 0.65 on, contrast on white is at least 4.5

    bool operator==(const TextStyle&) const = default;
};

struct PictureSize {
    int width = 0;                    ///< pixels
    int height = 0;                   ///< pixels
    double pixel_aspect_ratio = 1.0;  ///< width of a pixel divided by its height

    bool operator==(const PictureSize&) const = default;
};

/// The em in picture rows: `text_height` of the picture's height, within 3 % and 6 % of it.
/// Pictures taller than wide get smaller letters (down to 3.6 %), so that a line holds more; very
/// small pictures larger ones (up to 5.5 %).
double em_height(const PictureSize& picture, double text_height);

/// Lays out one caption at a time. Box and text stay inside 90 % of the width; a word longer than a
/// line is broken; lines are balanced. Not thread-safe; each instance has fonts of its own.
class TextLayout {
 public:
    TextLayout();

    /// Loads fonts, so that the first caption does not have to.
    void warm_up(const std::string& font);

    /// `words` are looked up in `text` for draw_word(). `language` is BCP 47.
    void set(const std::string& text, const std::vector<std::string>& words,
             const std::string& language, const PictureSize& picture, const TextStyle& style);

    /// True where there is nothing visible to draw.
    bool empty() const { return text_.empty(); }
    int line_count() const;
    bool ellipsised() const;
    /// Characters no installed font has; they are drawn as boxes with their code.
    int missing_glyphs() const;

    /// Box and text.
    PlacedImage draw() const;
    /// The letters of one word in the colour of the current word, to be laid over draw()'s picture.
    /// Nothing where the word does not stand in the text.
    std::optional<PlacedImage> draw_word(std::size_t index) const;

 private:
    struct Box {
        double x, y, width, height;  ///< in square units: picture rows
    };

    void balance_lines(double widest);
    void place_box();
    std::vector<Box> word_boxes(const TextRange& range) const;
    PlacedImage start_image(const Box& area) const;
    CairoPointer start_drawing(PlacedImage& placed) const;
    void show_text(cairo_t* cairo) const;

    PangoFonts fonts_;
    LayoutPointer layout_;
    std::string text_;
    std::vector<TextRange> words_;
    PictureSize picture_;
    TextStyle style_;
    double em_ = 0.0;
    Box box_{};
    double text_x_ = 0.0;  ///< where the layout's origin lies
    double text_y_ = 0.0;
};

}  // namespace seesay::overlay
