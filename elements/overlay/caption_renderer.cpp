// Three layers with their keys: attention by update and word, text by its letters, current word by
// both.
#include "elements/overlay/caption_renderer.hpp"

#include <algorithm>
#include <utility>

#include "elements/overlay/attention_boxes.hpp"
#include "elements/overlay/attention_rows.hpp"
#include "elements/overlay/heat_map.hpp"

namespace seesay::overlay {

using UpdatePointer = std::shared_ptr<const elements::CaptionUpdate>;

void CaptionRenderer::set_style(const OverlayStyle& style) {
    if (style_ == style) {
        return;
    }
    style_ = style;
    clock_.set_word_duration(style.word_duration_ns);
    forget();
}

void CaptionRenderer::set_frame(const FrameFormat& format, double pixel_aspect_ratio) {
    if (format_ == format && pixel_aspect_ratio_ == pixel_aspect_ratio) {
        return;
    }
    format_ = format;
    pixel_aspect_ratio_ = pixel_aspect_ratio;
    forget();
}

void CaptionRenderer::forget() {
    shown_update_.reset();
    shown_word_.reset();
    shown_text_.clear();
    shown_language_.clear();
    for (Layer* layer : {&attention_layer_, &text_layer_, &word_layer_}) {
        layer->visible = false;
    }
}

bool CaptionRenderer::draws(const UpdatePointer& update) const {
    if (update == nullptr || update->caption == nullptr) {
        return false;
    }
    const language::Caption& caption = *update->caption;
    return (style_.show_text && !caption.text.empty()) ||
           (style_.attention != AttentionDisplay::None && has_attention(caption));
}

const std::vector<const PreparedOverlay*>& CaptionRenderer::prepare(const UpdatePointer& update,
                                                                    std::int64_t pts) {
    refresh(update, pts, Output::Planes);
    planes_.clear();
    for (const Layer* layer : {&attention_layer_, &text_layer_, &word_layer_}) {
        if (layer->visible) planes_.push_back(&layer->planes);
    }
    return planes_;
}

const std::vector<std::shared_ptr<const PlacedImage>>& CaptionRenderer::draw(
    const UpdatePointer& update, std::int64_t pts) {
    refresh(update, pts, Output::Pictures);
    pictures_.clear();
    for (const Layer* layer : {&attention_layer_, &text_layer_, &word_layer_}) {
        if (layer->visible) pictures_.push_back(layer->picture);
    }
    return pictures_;
}

void CaptionRenderer::refresh(const UpdatePointer& update, std::int64_t pts, Output output) {
    if (output != output_) {
        output_ = output;
        forget();
    }
    const language::Caption& caption = *update->caption;
    const bool words = style_.attention == AttentionDisplay::Words;
    const std::optional<std::size_t> word = words ? clock_.word_at(update, pts) : std::nullopt;
    const bool new_update = update != shown_update_;
    const bool new_text = shown_text_ != caption.text || shown_language_ != caption.language;
    if (new_update || word != shown_word_) {
        refresh_attention(caption, word);
    }
    if (style_.show_text && (new_text || new_update || word != shown_word_)) {
        if (new_text) refresh_text(caption);
        if (new_text || word != shown_word_) refresh_word(word);
    }
    shown_update_ = update;
    shown_word_ = word;
}

void CaptionRenderer::refresh_attention(const language::Caption& caption,
                                        std::optional<std::size_t> word) {
    attention_layer_.visible = false;
    if (style_.attention == AttentionDisplay::None || !has_attention(caption)) {
        return;
    }
    const std::vector<float> row = attention_row(caption, word);
    if (caption.geometry.kind == vision::Geometry::Kind::Boxes) {
        const ColourMap colours =
            make_colour_map(Colours::Heat, std::min(1.0, 1.4 * style_.attention_opacity), 1.0);
        store(draw_attention_boxes(row, caption.geometry, format_.width, format_.height, colours),
              attention_layer_);
        return;
    }
    const HeatMap map(row, caption.geometry);
    if (map.contrast() <= 0.F) {
        return;
    }
    const ColourMap colours =
        make_colour_map(style_.colours, style_.attention_opacity, map.contrast());
    if (output_ == Output::Planes) {
        map.prepare(format_, colours, attention_layer_.planes);
    } else {
        // Whole size: GStreamer 1.22 darkens premultiplied pictures that it has to scale.
        attention_layer_.picture = std::make_shared<const PlacedImage>(
            PlacedImage{0, 0, map.draw(format_.width, format_.height, colours)});
    }
    attention_layer_.visible = true;
}

void CaptionRenderer::refresh_text(const language::Caption& caption) {
    std::vector<std::string> words;
    words.reserve(caption.tokens.size());
    for (const language::Token& token : caption.tokens) {
        words.push_back(token.text);
    }
    text_.set(caption.text, words, caption.language,
              {format_.width, format_.height, pixel_aspect_ratio_}, style_.text);
    store(text_.draw(), text_layer_);
    missing_glyphs_ = text_.missing_glyphs();
    shown_text_ = caption.text;
    shown_language_ = caption.language;
}

void CaptionRenderer::refresh_word(std::optional<std::size_t> word) {
    word_layer_.visible = false;
    if (word) {
        store(text_.draw_word(*word).value_or(PlacedImage{}), word_layer_);
    }
}

void CaptionRenderer::store(PlacedImage drawing, Layer& layer) const {
    layer.visible = !drawing.image.pixels.empty();
    if (!layer.visible) {
        return;
    }
    if (output_ == Output::Planes) {
        overlay::prepare(drawing, format_, layer.planes);
        return;
    }
    layer.picture = std::make_shared<const PlacedImage>(std::move(drawing));
}

}  // namespace seesay::overlay
