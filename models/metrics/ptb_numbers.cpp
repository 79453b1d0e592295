// Token classes of numbers: plain, dates, fractions, money, telephones.
#include "models/metrics/ptb_characters.hpp"
#include "models/metrics/ptb_grammar.hpp"

namespace seesay::metrics::ptb {
namespace {

/// Digits with separators between them, also times; a decimal may lack its zero.
Pattern plain_number() {
    const Pattern more = any_of(U".:,\u00AD\u066B\u066C") >> some(digits());
    return some(digits()) >> many(more) | some(more);
}

Pattern date() {
    const Pattern day = times(digits(), 1, 2);
    const Pattern separator = any_of(U"-/");
    return day >> separator >> day >> separator >> times(digits(), 2, 4);
}

/// 1/2, 2 1/2, 2-1/2
Pattern fraction() {
    const Pattern few = times(digits(), 1, 4);
    const Pattern slash = any_of(U"/\u2044") | text(U"\\/");
    return optional(few >> any_of(U"- \u00A0")) >> few >> slash >> few;
}

Pattern raised_or_lowered() {
    const CharacterSet raised =
        CharacterSet::of(U"\u2070\u00B9\u00B2\u00B3") | CharacterSet{{0x2074, 0x2079}};
    return optional(any_of(U"\u207A\u207B\u208A\u208B")) >>
           (some(raised) | some(CharacterSet{{0x2080, 0x2089}}));
}

Pattern telephone_number() {
    const auto group = [](int least, int most) { return times(ascii_digits(), least, most); };
    const Pattern gap = any_of(U"- \u00A0");
    const Pattern country = optional(any_text({U"+", U"++"}));
    const Pattern area =
        any_of(U"(") >> group(2, 3) >> any_of(U")") >> optional(any_of(U" \u00A0")) |
        country >> optional(group(2, 4) >> gap) >> group(2, 4) >> gap;
    const Pattern dot = any_of(U".");
    const Pattern dotted = optional(country >> group(2, 4) >> dot) >> group(2, 4) >> dot >>
                           group(3, 4) >> dot >> group(3, 5);
    return area >> group(3, 4) >> optional(gap) >> group(3, 5) | dotted;
}

}  // namespace

void add_numbers(Grammar& grammar) {
    grammar.token(date());
    grammar.token(optional(any_of(U"-+")) >> plain_number(), Treatment::kWord);
    grammar.token(raised_or_lowered());
    grammar.token(fraction(), Treatment::kJoinSpaces);
    grammar.token(CharacterSet{{0xBC, 0xBE}, {0x2153, 0x215E}}, Treatment::kFraction);
    grammar.token(telephone_number(), Treatment::kJoinParentheses);

    grammar.token(many(CharacterSet{{U'A', U'Z'}}) >> any_of(U"$"));
    grammar.token(any_of(U"\u0080\u00A2\u00A3\u00A4\u00A5\u060B\u0E3F\u20A0\u20A4\u20AC"
                         U"\uFFE0\uFFE1\uFFE5\uFFE6"),
                  Treatment::kCurrency);
}

}  // namespace seesay::metrics::ptb
