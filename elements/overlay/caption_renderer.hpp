// CaptionRenderer: keeps the layers of the overlay (attention, caption, current word) ready for a
// frame format and redraws only those that changed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "elements/meta/caption_update.hpp"
#include "elements/overlay/colour_map.hpp"
#include "elements/overlay/prepared_overlay.hpp"
#include "elements/overlay/text_layout.hpp"
#include "elements/overlay/word_clock.hpp"

namespace seesay::overlay {

enum class AttentionDisplay {
    None,
    Words,  ///< the current word's map, and the word picked out in the caption
    Mean,   ///< the mean over all words
};

struct OverlayStyle {
    bool show_text = true;
    AttentionDisplay attention = AttentionDisplay::Words;
    Colours colours = Colours::Heat;
    double attention_opacity = 0.6;     ///< 0…1, of the strongest place
    std::int64_t word_duration_ns = 0;  ///< see WordClock
    TextStyle text;

    bool operator==(const OverlayStyle&) const = default;
};

/// Not thread-safe; one an element.
class CaptionRenderer {
 public:
    /// Loads fonts.
    void warm_up() { text_.warm_up(style_.text.font); }
    void set_style(const OverlayStyle& style);
    /// `pixel_aspect_ratio`: width of a pixel divided by its height.
    void set_frame(const FrameFormat& format, double pixel_aspect_ratio);
    /// After a flush: words begin anew.
    void reset() { clock_.reset(); }

    /// True where `update` would draw anything at all in this style. Cheap.
    bool draws(const std::shared_ptr<const elements::CaptionUpdate>& update) const;

    /// The layers for a frame at `pts` (nanoseconds, −1 unknown), lowest first; valid until the
    /// next call. `update` is not null.
    const std::vector<const PreparedOverlay*>& prepare(
        const std::shared_ptr<const elements::CaptionUpdate>& update, std::int64_t pts);
    /// The same as pictures. A layer that did not change is the same object as before.
    const std::vector<std::shared_ptr<const PlacedImage>>& draw(
        const std::shared_ptr<const elements::CaptionUpdate>& update, std::int64_t pts);

    /// Of the caption drawn last: characters that no installed font has.
    int missing_glyphs() const { return missing_glyphs_; }

 private:
    enum class Output { Planes, Pictures };
    struct Layer {
        bool visible = false;
        PreparedOverlay planes;
        std::shared_ptr<const PlacedImage> picture;
    };

    void forget();
    void refresh(const std::shared_ptr<const elements::CaptionUpdate>& update, std::int64_t pts,
                 Output output);
    void refresh_attention(const language::Caption& caption, std::optional<std::size_t> word);
    void refresh_text(const language::Caption& caption);
    void refresh_word(std::optional<std::size_t> word);
    void store(PlacedImage drawing, Layer& layer) const;

    OverlayStyle style_;
    FrameFormat format_;
    double pixel_aspect_ratio_ = 1.0;
    Output output_ = Output::Planes;
    TextLayout text_;
    WordClock clock_;

    std::shared_ptr<const elements::CaptionUpdate> shown_update_;
    std::optional<std::size_t> shown_word_;
    std::string shown_text_;
    std::string shown_language_;
    int missing_glyphs_ = 0;

    Layer attention_layer_;
    Layer text_layer_;
    Layer word_layer_;
    std::vector<const PreparedOverlay*> planes_;
    std::vector<std::shared_ptr<const PlacedImage>> pictures_;
};

}  // namespace seesay::overlay
