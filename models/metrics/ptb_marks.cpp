// Token classes that are no words: quotation marks, brackets, punctuation, symbols, white space.
#include "models/metrics/ptb_characters.hpp"
#include "models/metrics/ptb_grammar.hpp"
#include "models/metrics/ptb_parts.hpp"

namespace seesay::metrics::ptb {
namespace {

void add_quotes(Grammar& grammar) {
    const Pattern double_quote = any_of(U"\"") | text(U"&quot;");
    grammar.token_before(double_quote, ascii_letters() | ascii_digits() | CharacterSet::of(U"$"),
                         Treatment::kQuoteBefore);
    grammar.token(double_quote, Treatment::kQuoteAfter);
    grammar.token_before(any_of(U"'"), Pattern(ascii_letters()) >> none_of(U" \t\n\r\u00A0"),
                         Treatment::kQuoteBefore);
    grammar.token(clitic(), Treatment::kQuoteAfter);
    const CharacterSet marks = CharacterSet::of(U"`\u201E\u201F\u2039\u203A\u00AB\u00BB") |
                               CharacterSet{{0x91, 0x94}, {0x2018, 0x201D}};
    grammar.token(apostrophe() | text(U"''") | times(marks, 1, 2), Treatment::kQuoteAfter);
}

void add_punctuation(Grammar& grammar) {
    grammar.token(some(any_of(U"-")), Treatment::kHyphens);
    grammar.token(times(any_of(U"."), 3, 5) |
                      times(any_of(U".") >> any_of(U" \u00A0"), 2, 4) >> any_of(U".") |
                      any_of(U"\u0085\u2026"),
                  Treatment::kEllipsis);
    for (const char32_t repeated : std::u32string_view(U"@#_*"))
        grammar.token(some(CharacterSet{{repeated, repeated}}));
    grammar.token(times(text(U"\\*"), 1, 3));
    grammar.token(some(any_of(U"?!")));
    grammar.token(
        any_of(U",;:.=/\u3001\u00A1\u00BF\u037E\u0589\u061F\u06D4\u0700\u0701\u0702"
               U"\u07FA\u3002"));
}

}  // namespace

void add_marks(Grammar& grammar) {
    add_quotes(grammar);
    grammar.token(any_of(U"(){}[]"), Treatment::kBracket);
    add_punctuation(grammar);
    grammar.token(any_text({U"<<", U">>"}));
    grammar.token(symbols());
    grammar.token(some(white_space()), Treatment::kSkip);
}

}  // namespace seesay::metrics::ptb
