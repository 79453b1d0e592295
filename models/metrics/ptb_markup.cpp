// Token classes that come from the web: tags, entities, addresses, faces.
#include "models/metrics/ptb_characters.hpp"
#include "models/metrics/ptb_grammar.hpp"
#include "models/metrics/ptb_parts.hpp"

namespace seesay::metrics::ptb {
namespace {

void add_pages(Grammar& grammar) {
    const Pattern last = none_of(U" \t\n\f\r\"<>|.!?(){},-");
    grammar.token(any_text({U"http://", U"https://"}) >> some(none_of(U" \t\n\f\r\"<>|(){}")) >>
                  last);

    const Pattern www = text(U"www.") >>
                        some(some(none_of(U" \t\n\f\r\"<>|.!?(){},")) >> any_of(U".")) >>
                        times(ascii_letters(), 2, 4);
    // A bare host name has none of the ASCII characters from , to _ in it.
    const CharacterSet not_in_name =
        CharacterSet::of(U" \t\n\f\r\"`'<>|!(){}$") | CharacterSet{{U',', U'_'}};
    const Pattern host =
        some(some(~not_in_name) >> any_of(U".")) >> any_text({U"com", U"net", U"org", U"edu"});
    const Pattern path = any_of(U"/") >> some(none_of(U" \t\n\f\r\"<>|()")) >> last;
    grammar.token((www | host) >> optional(path));
}

void add_people(Grammar& grammar) {
    const Pattern domain = some(none_of(U" \t\n\f\r\"<>|(){}.\u00A0"));
    grammar.token(optional(any_of(U"<") | text(U"&lt;")) >> alphanumeric() >>
                  many(none_of(U" \t\n\f\r\"<>|()\u00A0{}")) >> any_of(U"@") >> domain >>
                  many(any_of(U".") >> domain) >> optional(any_of(U">") | text(U"&gt;")));
    const CharacterSet handle = ascii_letters() | CharacterSet::of(U"_");
    grammar.token(any_of(U"@") >> Pattern(handle) >> many(handle | ascii_digits()));
    grammar.token(any_of(U"#") >> some(word_letter()));
}

void add_faces(Grammar& grammar) {
    // :) ;-D =P
    grammar.token_before(optional(any_of(U"<>")) >> any_of(U":;=") >> optional(any_of(U"-o*'")) >>
                             any_of(U"()DPdpO\\{@|[]"),
                         ~(ascii_letters() | ascii_digits()), Treatment::kParentheses);
    // ^_^ (^.^) (>-<)
    const Pattern eye = any_of(U"-^x=~<>'");
    grammar.token(eye >> any_of(U"_") >> eye, Treatment::kParentheses);
    grammar.token(any_of(U"(") >> (eye >> optional(any_of(U"_.")) >> eye |
                                   any_of(U"^x=~<>") >> any_of(U"-") >> any_of(U"^x=~<>'`")) >>
                      any_of(U")"),
                  Treatment::kParentheses);
}

}  // namespace

void add_markup(Grammar& grammar) {
    grammar.token(sgml_tag(), Treatment::kJoinSpaces);
    grammar.token(
        any_text({U"&MD;", U"&mdash;", U"&ndash;"}) | any_of(U"\u0096\u0097\u2013\u2014\u2015"),
        Treatment::kDash);
    grammar.token(text(U"&amp;"), Treatment::kAmpersand);
    const Pattern typesetting =
        any_text({U"HT", U"TL", U"UR", U"LR", U"QC", U"QL", U"QR", U"odq", U"cdq"});
    grammar.token(any_of(U"&") >> (typesetting | any_of(U"#") >> some(ascii_digits())) >>
                  any_of(U";"));
    grammar.token(text(U"&lt;") | text(U"&gt;") | any_of(U"<>"), Treatment::kBracket);
    grammar.token(text(U"&nbsp;"), Treatment::kSkip);
}

void add_addresses(Grammar& grammar) {
    add_pages(grammar);
    add_people(grammar);
    add_faces(grammar);
}

}  // namespace seesay::metrics::ptb
