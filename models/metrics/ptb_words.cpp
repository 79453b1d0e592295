// Token classes of words: plain ones, contractions, compounds, abbreviations.
#include "models/metrics/ptb_abbreviations.hpp"
#include "models/metrics/ptb_characters.hpp"
#include "models/metrics/ptb_grammar.hpp"
#include "models/metrics/ptb_parts.hpp"

namespace seesay::metrics::ptb {
namespace {

/// Letters, then letters and digits; a period, ! or ? between letters belongs to the word.
Pattern plain_word() {
    const Pattern run = word_letter() >> many(word_letter() | digits());
    return run >> many(any_of(U".!?") >> run);
}

/// n't
Pattern negation() {
    return text(U"n") >> loose_apostrophe() >> text(U"t");
}

/// Inside a sentence a period before these belongs to the word.
Pattern inner_punctuation() {
    return any_of(U",;:\u3001");
}

void add_contractions(Grammar& grammar) {
    grammar.token(any_text({U"cannot", U"'twas"}), Treatment::kSplitLastThree);
    grammar.token(any_text({U"'tis", U"gonna", U"gotta", U"lemme", U"gimme", U"wanna"}),
                  Treatment::kSplitLastTwo);
    grammar.token_before(plain_word(), clitic(), Treatment::kWord);

    // do|n't: what stands before n't does not end in n.
    const Pattern soft_hyphens = many(any_of(U"\u00AD"));
    const CharacterSet not_n{{U'A', U'M'}, {U'O', U'Z'}, {U'a', U'm'}, {U'o', U'z'}};
    grammar.token_before(
        many(ascii_letters() | CharacterSet::of(U"\u00AD")) >> Pattern(not_n) >> soft_hyphens,
        negation(), Treatment::kWord);
    grammar.token_before(text(U"y") >> apostrophe(), unicode_letters());
    grammar.token_before(clitic(), ~ascii_letters(), Treatment::kQuoteAfter);
    grammar.token(negation(), Treatment::kQuoteAfter);
}

/// Words whose apostrophe belongs to them.
void add_apostrophe_words(Grammar& grammar) {
    const Pattern letter = unicode_letters();
    const CharacterSet vowels = CharacterSet::of(U"aeiou");
    const CharacterSet capitals{{U'A', U'Z'}};
    grammar.token(apostrophe() >> text(U"n") >> optional(apostrophe()));
    grammar.token(any_of(U"lLdDjJ") >> apostrophe());
    grammar.token(any_text({U"dunkin", U"somethin", U"ol"}) >> apostrophe());
    grammar.token(apostrophe() >> any_text({U"em", U"til", U"till", U"cause"}));
    grammar.token(apostrophe() >> Pattern(CharacterSet{{U'2', U'9'}}) >> text(U"0s"));
    grammar.token_before(apostrophe() >> times(ascii_digits(), 2, 2), white_space());
    // O'Brien, D'Arcy; not I and Y, which say I'm and Y'all.
    const CharacterSet name_start{{U'A', U'H'}, {U'J', U'X'}, {U'Z', U'Z'}, {U'n', U'n'}};
    grammar.token(Pattern(name_start) >> loose_apostrophe() >> letter >> some(letter));
    // Hawai'i, Shi'ite
    grammar.token(some(letter) >> any_of(U"aeiouyAEIOUY") >> loose_apostrophe() >>
                  Pattern(vowels | capitals) >> many(letter));
    grammar.token(text(U"o") >> loose_apostrophe() >> text(U"o"));
    grammar.token(any_text({U"cont'd", U"cont'd.", U"nor'easter", U"c'mon", U"e'er", U"s'mores",
                            U"ev'ry", U"li'l", U"nat'l"}));
    grammar.token(text(U"cap") >> apostrophe() >> text(U"n") |
                  text(U"c") >> apostrophe() >> text(U"est"));
}

Pattern file_name() {
    const Pattern part = some(word_letter() | digits());
    return part >> many(any_of(U".") >> part) >> any_of(U".") >>
           any_text({U"bat", U"bmp", U"c",   U"class", U"cgi", U"cpp",  U"dll", U"doc",  U"docx",
                     U"exe", U"gif", U"gz",  U"h",     U"htm", U"html", U"jar", U"java", U"jpeg",
                     U"jpg", U"mov", U"mp3", U"pdf",   U"php", U"pl",   U"png", U"ppt",  U"ps",
                     U"py",  U"sql", U"tar", U"txt",   U"wav", U"x",    U"xml", U"zip"});
}

void add_abbreviations(Grammar& grammar) {
    const Pattern period = any_of(U".");
    const Pattern space = white_space();
    const Pattern anything = ~CharacterSet();
    grammar.token_before(initials() >> period,
                         some(space) >> (sentence_opener() | sgml_tag()) >> space,
                         Treatment::kInitialPeriod);
    grammar.token_before(initials(), space);
    grammar.token_before(before_numbers() >> period, optional(space) >> digits());
    grammar.token_before(any_text({U"pty.", U"pte.", U"co."}),
                         Pattern(spaces()) >> any_text({U"ltd", U"lim"}));
    grammar.token_before(before_lower_case() >> period, space >> (space | capitals() | sgml_tag()),
                         Treatment::kSentencePeriod);
    // Reaches further than a word that goes on behind the period: "Sept.The" is two tokens.
    grammar.token_before(before_lower_case() >> period, anything >> anything);
    grammar.token(before_lower_case() >> period);
    grammar.token(before_names() >> period);
    grammar.token_before(plain_word() >> period, inner_punctuation(), Treatment::kWord);
}

/// Words joined by hyphens, slashes, + and &.
void add_compounds(Grammar& grammar) {
    const Pattern period = any_of(U".");
    grammar.token(any_text({U"-RRB-", U"-LRB-", U"-RCB-", U"-LCB-", U"-RSB-", U"-LSB-", U"C.D.s",
                            U"pro-", U"anti-", U"c++", U"c#", U"f#"}));
    grammar.token(text(U"S") >> ampersand() >> any_text({U"P-500", U"Ls"}), Treatment::kAmpersand);

    const Pattern side = some(alphanumeric()) >> times(any_of(U"-") >> some(ascii_letters()), 0, 2);
    grammar.token(side >> times((any_of(U"/") | text(U"\\/")) >> side, 1, 2));

    // 3.5-foot, mid-U.S.
    const CharacterSet soft = ascii_letters() | ascii_digits() | CharacterSet::of(U"\u00AD");
    const Pattern numbered = alphanumeric() >> many(soft | CharacterSet::of(U".,")) >>
                             some(any_of(U"-") >> (some(soft) | acronym() >> period));
    grammar.token_before(numbered >> period, inner_punctuation(), Treatment::kWord);
    grammar.token(numbered, Treatment::kWord);

    // t-shirt, snow_board, l'eau-de-vie
    const CharacterSet inner = unicode_letters() | digits();
    const Pattern part = optional(any_of(U"dDoOlL") >> loose_apostrophe() >> inner) >> some(inner);
    const Pattern hyphenated = part >> many(any_of(U"-_\u058A\u2010\u2011") >> part);
    grammar.token_before(hyphenated >> period, inner_punctuation());
    grammar.token(hyphenated);

    // AT&T
    const Pattern capital_run = some(CharacterSet{{U'A', U'Z'}});
    const Pattern firm = capital_run >> some((any_of(U"+") | ampersand()) >> capital_run);
    grammar.token_before(firm >> period, inner_punctuation(), Treatment::kAmpersand);
    grammar.token(firm, Treatment::kAmpersand);
}

}  // namespace

void add_words(Grammar& grammar) {
    add_contractions(grammar);
    grammar.token(plain_word(), Treatment::kWord);
    add_apostrophe_words(grammar);
}

void add_composed_words(Grammar& grammar) {
    add_abbreviations(grammar);
    grammar.token_before(file_name(), Pattern(white_space()) | any_of(U".?!,"));
    add_compounds(grammar);
}

}  // namespace seesay::metrics::ptb
