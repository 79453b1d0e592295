// Tokenises captions and runs every caption metric over them.
#include "models/metrics/caption_scores.hpp"

#include <iterator>
#include <utility>

#include "models/metrics/cider.hpp"
#include "models/metrics/cider_d.hpp"
#include "models/metrics/corpus.hpp"
#include "models/metrics/ptb_tokenizer.hpp"
#include "models/metrics/rouge_l.hpp"

namespace seesay::metrics {
namespace {

std::vector<Sentence> split_all(const std::vector<Sentence>& sentences) {
    std::vector<Sentence> words;
    words.reserve(sentences.size());
    for (const Sentence& sentence : sentences)
        words.push_back(split_words(sentence));
    return words;
}

}  // namespace

ReferenceSet::ReferenceSet(const std::vector<std::vector<std::string>>& references) {
    std::vector<std::string> lines;
    for (const auto& captions : references)
        lines.insert(lines.end(), captions.begin(), captions.end());
    std::vector<Sentence> sentences = PtbTokenizer().words_of_lines(lines);
    auto next = sentences.begin();
    tokens_.reserve(references.size());
    for (const auto& captions : references) {
        const auto end = next + static_cast<std::ptrdiff_t>(captions.size());
        tokens_.emplace_back(std::make_move_iterator(next), std::make_move_iterator(end));
        next = end;
    }
}

ReferenceSet ReferenceSet::of_tokens(std::vector<std::vector<Sentence>> tokens) {
    ReferenceSet set;
    set.tokens_ = std::move(tokens);
    return set;
}

CaptionScores ReferenceSet::score(const std::vector<std::string>& candidates) const {
    return score_tokens(PtbTokenizer().words_of_lines(candidates));
}

CaptionScores ReferenceSet::score_tokens(const std::vector<Sentence>& candidates) const {
    check_corpus(candidates.size(), tokens_);
    const RougeLScores rouge_l_scores = rouge_l(candidates, tokens_);

    const std::vector<Sentence> candidate_words = split_all(candidates);
    std::vector<std::vector<Sentence>> reference_words;
    reference_words.reserve(tokens_.size());
    for (const auto& sentences : tokens_)
        reference_words.push_back(split_all(sentences));
    const BleuScores bleu_scores = bleu(candidate_words, reference_words);
    const CiderScores cider_d_scores = cider_d(candidate_words, reference_words);
    const CiderScores cider_scores = cider(candidate_words, reference_words);

    CaptionScores scores{
        bleu_scores.corpus, rouge_l_scores.corpus, cider_d_scores.corpus, cider_scores.corpus, {}};
    scores.images.reserve(candidates.size());
    for (std::size_t i = 0; i < candidates.size(); ++i)
        scores.images.push_back({bleu_scores.images[i], rouge_l_scores.images[i],
                                 cider_d_scores.images[i], cider_scores.images[i]});
    return scores;
}

CaptionScores evaluate(const std::vector<std::string>& candidates,
                       const std::vector<std::vector<std::string>>& references) {
    return ReferenceSet(references).score(candidates);
}

}  // namespace seesay::metrics
