// A captioner without a network: the scores of the next word are looked up by the word before.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "models/language/captioner.hpp"

namespace seesay::language {

/// Words `a` to `f` have ids 4 to 9. Attention is one-hot: step t lights place t mod L.
class TableCaptioner final : public Captioner {
 public:
    enum Id { kPad = 0, kStart = 1, kEnd = 2, kUnknown = 3, kA = 4, kB, kC, kD, kE, kF, kSize };
    /// Logits of the next word by the word before; words that are not named have −20, the
    /// end −30.
    using Table = std::map<int, std::map<int, float>>;

    explicit TableCaptioner(Table table)
        : Captioner({"table", "", "", ""},
                    Vocabulary::from_tokens(
                        "en", {"<pad>", "<start>", "<end>", "<unk>", "a", "b", "c", "d", "e", "f"}),
                    DecodingOptions{}, 1),
          table_(std::move(table)) {}

    [[nodiscard]] std::unique_ptr<PreparedPictures> prepare(
        std::span<const vision::FeatureSet* const> features) const override {
        std::vector<int> attended;
        for (const auto* set : features) {
            attended.push_back(set->count);
        }
        return std::make_unique<Pictures>(attended);
    }
    [[nodiscard]] std::unique_ptr<DecoderState> start(
        const PreparedPictures& /*prepared*/, std::span<const int> pictures) const override {
        auto state = std::make_unique<State>();
        state->pictures.assign(pictures.begin(), pictures.end());
        return state;
    }
    void select(DecoderState& state, std::span<const int> rows) const override {
        auto& own = dynamic_cast<State&>(state);
        std::vector<int> pictures;
        for (const int row : rows) {
            pictures.push_back(own.pictures.at(static_cast<std::size_t>(row)));
        }
        own.pictures = pictures;
    }
    void step(const PreparedPictures& prepared, DecoderState& state, std::span<const int> tokens,
              StepOutput& output) const override {
        auto& own = dynamic_cast<State&>(state);
        output.logits_stride = padded(kSize);
        output.logits.resize(tokens.size() * static_cast<std::size_t>(output.logits_stride));
        output.attention_stride = padded(prepared.longest());
        output.attention.resize(tokens.size() * static_cast<std::size_t>(output.attention_stride));
        for (int row = 0; row < static_cast<int>(tokens.size()); ++row) {
            float* logits = output.logits.row(row, output.logits_stride);
            std::fill_n(logits, static_cast<int>(kSize), -20.F);
            logits[kEnd] = -30.F;
            if (const auto entry = table_.find(tokens[static_cast<std::size_t>(row)]);
                entry != table_.end()) {
                for (const auto& [word, logit] : entry->second) {
                    logits[word] = logit;
                }
            }
            const int places = prepared.attended(own.pictures.at(static_cast<std::size_t>(row)));
            output.attention.row(row, output.attention_stride)[own.time % places] = 1.F;
        }
        ++own.time;
    }

 private:
    struct Pictures final : PreparedPictures {
        explicit Pictures(std::vector<int> attended) : PreparedPictures(std::move(attended)) {}
    };
    struct State final : DecoderState {
        std::vector<int> pictures;
        int time = 0;
    };
    Table table_;
};

}  // namespace seesay::language
