// Porter's second stemming algorithm, step by step as its description numbers them.
#include "models/metrics/stemmer.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "models/metrics/utf8.hpp"

namespace seesay::metrics {
namespace {

struct Rule {
    std::u32string_view suffix;
    std::u32string_view replacement;
};

bool is_vowel(char32_t c) {
    return std::u32string_view(U"aeiouy").find(c) != std::u32string::npos;
}

/// A word on its way to its stem. 'Y' marks a y that acts as a consonant.
class Word {
 public:
    explicit Word(std::u32string letters) : letters_(std::move(letters)) {
        if (letters_.front() == U'\'') letters_.erase(0, 1);
        for (std::size_t i = 0; i < letters_.size(); ++i)
            if (letters_[i] == U'y' && (i == 0 || is_vowel(letters_[i - 1]))) letters_[i] = U'Y';
        find_regions();
    }

    std::u32string stem() && {
        step_0();
        step_1a();
        static constexpr std::array<std::u32string_view, 8> kKept{
            U"inning",  U"outing",  U"canning", U"herring",
            U"earring", U"proceed", U"exceed",  U"succeed"};
        if (std::find(kKept.begin(), kKept.end(), letters_) == kKept.end()) {
            step_1b();
            step_1c();
            step_2();
            step_3();
            step_4();
            step_5();
        }
        std::replace(letters_.begin(), letters_.end(), U'Y', U'y');
        return std::move(letters_);
    }

 private:
    /// R1 is what follows the first consonant after a vowel, R2 the same within R1.
    void find_regions() {
        first_region_ = region_after(0);
        for (const std::u32string_view prefix : {U"gener", U"commun", U"arsen"})
            if (letters_.starts_with(prefix)) first_region_ = prefix.size();
        second_region_ = region_after(first_region_);
    }

    std::size_t region_after(std::size_t start) const {
        for (std::size_t i = start + 1; i < letters_.size(); ++i)
            if (!is_vowel(letters_[i]) && is_vowel(letters_[i - 1])) return i + 1;
        return letters_.size();
    }

    bool ends_with(std::u32string_view suffix) const { return letters_.ends_with(suffix); }

    std::size_t before(std::u32string_view suffix) const { return letters_.size() - suffix.size(); }

    bool in_first_region(std::u32string_view suffix) const {
        return before(suffix) >= first_region_;
    }

    bool in_second_region(std::u32string_view suffix) const {
        return before(suffix) >= second_region_;
    }

    void replace(std::u32string_view suffix, std::u32string_view replacement) {
        letters_.replace(before(suffix), suffix.size(), replacement);
    }

    bool has_vowel_before(std::size_t end) const {
        return std::any_of(letters_.begin(), letters_.begin() + static_cast<std::ptrdiff_t>(end),
                           is_vowel);
    }

    /// A short syllable ends at `end`: consonant, vowel, consonant other than w, x, Y; or, at the
    /// beginning of the word, vowel, consonant.
    bool short_syllable_before(std::size_t end) const {
        if (end < 2) return false;
        const char32_t last = letters_[end - 1];
        if (is_vowel(last) || !is_vowel(letters_[end - 2])) return false;
        if (end == 2) return true;
        return last != U'w' && last != U'x' && last != U'Y' && !is_vowel(letters_[end - 3]);
    }

    /// The longest of the rules' suffixes that ends the word, or null.
    template <std::size_t N>
    const Rule* longest(const std::array<Rule, N>& rules) const {
        const Rule* best = nullptr;
        for (const Rule& rule : rules)
            if (ends_with(rule.suffix) &&
                (best == nullptr || rule.suffix.size() > best->suffix.size()))
                best = &rule;
        return best;
    }

    void step_0() {
        for (const std::u32string_view suffix : {U"'s'", U"'s", U"'"}) {
            if (ends_with(suffix)) {
                replace(suffix, U"");
                return;
            }
        }
    }

    void step_1a() {
        if (ends_with(U"sses")) {
            replace(U"sses", U"ss");
        } else if (ends_with(U"ied") || ends_with(U"ies")) {
            letters_.resize(letters_.size() - (letters_.size() > 4 ? 2 : 1));
        } else if (ends_with(U"us") || ends_with(U"ss")) {
            return;
        } else if (ends_with(U"s") && letters_.size() >= 2 &&
                   has_vowel_before(letters_.size() - 2)) {
            letters_.pop_back();
        }
    }

    void step_1b() {
        static constexpr std::array<Rule, 6> kRules{{{U"eed", U"ee"},
                                                     {U"eedly", U"ee"},
                                                     {U"ed", U""},
                                                     {U"edly", U""},
                                                     {U"ing", U""},
                                                     {U"ingly", U""}}};
        const Rule* rule = longest(kRules);
        if (rule == nullptr) return;
        if (!rule->replacement.empty()) {
            if (in_first_region(rule->suffix)) replace(rule->suffix, rule->replacement);
            return;
        }
        if (!has_vowel_before(before(rule->suffix))) return;
        replace(rule->suffix, U"");
        if (ends_with(U"at") || ends_with(U"bl") || ends_with(U"iz")) {
            letters_ += U'e';
        } else if (ends_with_double()) {
            letters_.pop_back();
        } else if (letters_.size() <= first_region_ && short_syllable_before(letters_.size())) {
            letters_ += U'e';
        }
    }

    bool ends_with_double() const {
        if (letters_.size() < 2) return false;
        const char32_t last = letters_.back();
        return last == letters_[letters_.size() - 2] &&
               std::u32string_view(U"bdfgmnprt").find(last) != std::u32string_view::npos;
    }

    void step_1c() {
        const std::size_t size = letters_.size();
        if (size > 2 && (letters_.back() == U'y' || letters_.back() == U'Y') &&
            !is_vowel(letters_[size - 2]))
            letters_.back() = U'i';
    }

    void step_2() {
        static constexpr std::array<Rule, 24> kRules{
            {{U"tional", U"tion"}, {U"enci", U"ence"},   {U"anci", U"ance"},   {U"abli", U"able"},
             {U"entli", U"ent"},   {U"izer", U"ize"},    {U"ization", U"ize"}, {U"ational", U"ate"},
             {U"ation", U"ate"},   {U"ator", U"ate"},    {U"alism", U"al"},    {U"aliti", U"al"},
             {U"alli", U"al"},     {U"fulness", U"ful"}, {U"ousli", U"ous"},   {U"ousness", U"ous"},
             {U"iveness", U"ive"}, {U"iviti", U"ive"},   {U"biliti", U"ble"},  {U"bli", U"ble"},
             {U"ogi", U"og"},      {U"fulli", U"ful"},   {U"lessli", U"less"}, {U"li", U""}}};
        const Rule* rule = longest(kRules);
        if (rule == nullptr || !in_first_region(rule->suffix)) return;
        const std::size_t stem_end = before(rule->suffix);
        const char32_t preceding = stem_end > 0 ? letters_[stem_end - 1] : U' ';
        if (rule->suffix == U"ogi" && preceding != U'l') return;
        if (rule->suffix == U"li" &&
            std::u32string_view(U"cdeghkmnrt").find(preceding) == std::u32string_view::npos)
            return;
        replace(rule->suffix, rule->replacement);
    }

    void step_3() {
        static constexpr std::array<Rule, 9> kRules{{{U"tional", U"tion"},
                                                     {U"ational", U"ate"},
                                                     {U"alize", U"al"},
                                                     {U"icate", U"ic"},
                                                     {U"iciti", U"ic"},
                                                     {U"ical", U"ic"},
                                                     {U"ful", U""},
                                                     {U"ness", U""},
                                                     {U"ative", U""}}};
        const Rule* rule = longest(kRules);
        if (rule == nullptr || !in_first_region(rule->suffix)) return;
        if (rule->suffix == U"ative" && !in_second_region(rule->suffix)) return;
        replace(rule->suffix, rule->replacement);
    }

    void step_4() {
        static constexpr std::array<Rule, 18> kRules{{{U"al", U""},
                                                      {U"ance", U""},
                                                      {U"ence", U""},
                                                      {U"er", U""},
                                                      {U"ic", U""},
                                                      {U"able", U""},
                                                      {U"ible", U""},
                                                      {U"ant", U""},
                                                      {U"ement", U""},
                                                      {U"ment", U""},
                                                      {U"ent", U""},
                                                      {U"ism", U""},
                                                      {U"ate", U""},
                                                      {U"iti", U""},
                                                      {U"ous", U""},
                                                      {U"ive", U""},
                                                      {U"ize", U""},
                                                      {U"ion", U""}}};
        const Rule* rule = longest(kRules);
        if (rule == nullptr || !in_second_region(rule->suffix)) return;
        if (rule->suffix == U"ion") {
            const std::size_t stem_end = before(rule->suffix);
            if (stem_end == 0 || (letters_[stem_end - 1] != U's' && letters_[stem_end - 1] != U't'))
                return;
        }
        replace(rule->suffix, U"");
    }

    void step_5() {
        const std::size_t end = letters_.size() - (letters_.empty() ? 0 : 1);
        if (ends_with(U"e")) {
            if (end >= second_region_ || (end >= first_region_ && !short_syllable_before(end)))
                letters_.pop_back();
        } else if (ends_with(U"ll") && end >= second_region_) {
            letters_.pop_back();
        }
    }

    std::u32string letters_;
    std::size_t first_region_ = 0;
    std::size_t second_region_ = 0;
};

}  // namespace

std::string english_stem(std::string_view word) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kExceptions{
        {{"skis", "ski"},
         {"skies", "sky"},
         {"dying", "die"},
         {"lying", "lie"},
         {"tying", "tie"},
         {"idly", "idl"},
         {"gently", "gentl"},
         {"ugly", "ugli"},
         {"early", "earli"},
         {"only", "onli"},
         {"singly", "singl"},
         {"sky", "sky"},
         {"news", "news"},
         {"howe", "howe"},
         {"atlas", "atlas"},
         {"cosmos", "cosmos"},
         {"bias", "bias"},
         {"andes", "andes"}}};
    for (const auto& [exception, stem] : kExceptions)
        if (word == exception) return std::string(stem);
    std::u32string letters = decode_utf8(word);
    if (letters.size() <= 2) return std::string(word);
    return encode_utf8(Word(std::move(letters)).stem());
}

}  // namespace seesay::metrics
