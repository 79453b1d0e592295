// The batch of hypotheses: all living hypotheses of all tasks advance together, step by step.
#include "models/language/decoding.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "models/error.hpp"
#include "models/language/beam_search.hpp"
#include "models/language/sampling.hpp"
#include "models/language/step_kernels.hpp"

namespace seesay::language {
namespace {

/// A sentence that is fed token by token: one row of the batch.
class ForcedSentence final : public SentenceSearch {
 public:
    ForcedSentence(const SentenceTask& task, const Vocabulary& vocabulary, int attended)
        : task_(task), end_(vocabulary.end()) {
        sentence_.attended = attended;
        for (const int token : task.tokens) {
            if (token < 0 || token >= vocabulary.size()) {
                throw Error("cannot score token " + std::to_string(token) +
                            ": the vocabulary has " + std::to_string(vocabulary.size()) +
                            " tokens");
            }
        }
        done_ = task.tokens.empty() && !task.ends;
    }

    [[nodiscard]] int rows() const override { return done_ ? 0 : 1; }
    [[nodiscard]] int last_token(int /*row*/) const override {
        return sentence_.tokens.empty() ? -1 : sentence_.tokens.back();
    }

    std::vector<int> advance(std::span<const RowScores> rows) override {
        const RowScores& row = rows.front();
        const std::size_t position = sentence_.tokens.size();
        const bool at_end = position == task_.tokens.size();
        const int token = at_end ? end_ : task_.tokens[position];
        const float log_probability = row.logits[token] - row.log_normaliser;
        sum_ += log_probability;
        if (at_end) {
            sentence_.end_log_probability = log_probability;
            sentence_.complete = true;
        } else {
            sentence_.tokens.push_back(token);
            sentence_.log_probabilities.push_back(log_probability);
            sentence_.attention.insert(sentence_.attention.end(), row.attention.begin(),
                                       row.attention.end());
        }
        done_ = at_end || (!task_.ends && sentence_.tokens.size() == task_.tokens.size());
        return done_ ? std::vector<int>{} : std::vector<int>{0};
    }

    std::vector<Sentence> results() override {
        const std::size_t length = sentence_.tokens.size() + (sentence_.complete ? 1 : 0);
        sentence_.score = normalised_score(sum_, length, task_.options);
        return {std::move(sentence_)};
    }

 private:
    const SentenceTask& task_;
    int end_;
    Sentence sentence_;
    double sum_ = 0.0;
    bool done_ = false;
};

std::vector<std::unique_ptr<SentenceSearch>> begin(const Captioner& captioner,
                                                   const PreparedPictures& pictures,
                                                   std::span<const SentenceTask> tasks) {
    std::vector<std::unique_ptr<SentenceSearch>> searches;
    for (const SentenceTask& task : tasks) {
        check(task.options);
        if (task.picture < 0 || task.picture >= pictures.count()) {
            throw Error("there is no prepared picture " + std::to_string(task.picture));
        }
        const int attended = pictures.attended(task.picture);
        if (task.given) {
            searches.push_back(
                std::make_unique<ForcedSentence>(task, captioner.vocabulary(), attended));
        } else if (task.sampling) {
            searches.push_back(std::make_unique<SampledSentence>(task.options, *task.sampling,
                                                                 captioner.vocabulary(), attended));
        } else if (task.options.groups > 1) {
            searches.push_back(std::make_unique<DiverseBeamSearch>(
                task.options, captioner.vocabulary(), attended));
        } else {
            searches.push_back(
                std::make_unique<BeamSearch>(task.options, captioner.vocabulary(), attended));
        }
    }
    return searches;
}

/// The rows of one search in a step's output.
std::vector<RowScores> rows_of(const Captioner& captioner, StepOutput& output, int first, int count,
                               int attended) {
    std::vector<RowScores> rows;
    for (int row = first; row < first + count; ++row) {
        RowScores& scores = rows.emplace_back();
        scores.logits = output.logits.row(row, output.logits_stride);
        scores.log_normaliser =
            step_kernels().log_normaliser(scores.logits, captioner.vocabulary().size());
        if (!std::isfinite(scores.log_normaliser)) {
            throw Error("captioner " + captioner.identity().name +
                        ": the network gave numbers that are not finite; the package is damaged "
                        "or was badly trained");
        }
        if (output.attention_stride > 0) {
            scores.attention = {output.attention.row(row, output.attention_stride),
                                static_cast<std::size_t>(attended)};
        }
    }
    return rows;
}

}  // namespace

std::vector<std::vector<Sentence>> decode_all(const Captioner& captioner,
                                              const PreparedPictures& pictures,
                                              std::span<const SentenceTask> tasks) {
    auto searches = begin(captioner, pictures, tasks);
    std::vector<int> picture_of_row;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        picture_of_row.insert(picture_of_row.end(), static_cast<std::size_t>(searches[i]->rows()),
                              tasks[i].picture);
    }
    auto state = captioner.start(pictures, picture_of_row);
    StepOutput output;
    std::vector<int> tokens;
    std::vector<int> survivors;
    for (;;) {
        tokens.clear();
        for (const auto& search : searches) {
            for (int row = 0; row < search->rows(); ++row) {
                const int token = search->last_token(row);
                tokens.push_back(token < 0 ? captioner.vocabulary().start() : token);
            }
        }
        if (tokens.empty()) {
            break;
        }
        captioner.step(pictures, *state, tokens, output);
        survivors.clear();
        int first = 0;
        for (std::size_t i = 0; i < searches.size(); ++i) {
            const int count = searches[i]->rows();
            if (count == 0) {
                continue;
            }
            const auto rows =
                rows_of(captioner, output, first, count, pictures.attended(tasks[i].picture));
            for (const int row : searches[i]->advance(rows)) {
                survivors.push_back(first + row);
            }
            first += count;
        }
        captioner.select(*state, survivors);
    }
    std::vector<std::vector<Sentence>> sentences;
    for (const auto& search : searches) {
        sentences.push_back(search->results());
    }
    return sentences;
}

std::vector<Sentence> decode(const Captioner& captioner, const PreparedPictures& pictures,
                             std::span<const SentenceTask> tasks) {
    std::vector<Sentence> best;
    for (auto& sentences : decode_all(captioner, pictures, tasks)) {
        best.push_back(std::move(sentences.front()));
    }
    return best;
}

Sentence describe(const Captioner& captioner, const vision::FeatureSet& features,
                  const DecodingOptions& options) {
    const vision::FeatureSet* const one[] = {&features};
    SentenceTask task;
    task.options = options;
    return decode(captioner, *captioner.prepare(one), {&task, 1}).front();
}

Sentence score(const Captioner& captioner, const vision::FeatureSet& features,
               const std::vector<int>& tokens, double length_exponent, bool ends) {
    const vision::FeatureSet* const one[] = {&features};
    SentenceTask task;
    task.options.length_exponent = length_exponent;
    task.given = true;
    task.tokens = tokens;
    task.ends = ends;
    return decode(captioner, *captioner.prepare(one), {&task, 1}).front();
}

Caption to_caption(const Captioner& captioner, const vision::FeatureSet& features,
                   const Sentence& sentence, std::int64_t inference_ns) {
    Caption caption;
    double sum = sentence.end_log_probability;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < sentence.tokens.size(); ++i) {
        const int id = sentence.tokens[i];
        words.push_back(captioner.vocabulary().word(id));
        caption.tokens.push_back({id, words.back(), sentence.log_probabilities[i]});
        sum += sentence.log_probabilities[i];
    }
    const std::size_t length = sentence.tokens.size() + (sentence.complete ? 1 : 0);
    caption.text = captioner.tokenizer().sentence(words);
    caption.language = captioner.vocabulary().language();
    caption.end_log_probability = sentence.end_log_probability;
    caption.complete = sentence.complete;
    caption.confidence =
        length == 0 ? 0.F : static_cast<float>(std::exp(sum / static_cast<double>(length)));
    caption.score = sentence.score;
    caption.attention = sentence.attention;
    caption.attended = sentence.attended;
    caption.geometry = features.geometry;
    caption.frame = features.frame;
    caption.model = {captioner.identity().name, captioner.identity().sha256};
    caption.inference_ns = features.inference_ns + inference_ns;
    return caption;
}

}  // namespace seesay::language
