// Apostrophes, letters, tags: the pieces of token classes.
#include "models/metrics/ptb_parts.hpp"

#include "models/metrics/ptb_characters.hpp"

namespace seesay::metrics::ptb {

Pattern apostrophe() {
    return any_of(U"'\u2019\u0092") | text(U"&apos;");
}

Pattern loose_apostrophe() {
    return apostrophe() | any_of(U"`\u2018\u201B\u0091");
}

Pattern word_letter() {
    const Pattern entity =
        text(U"&") >> any_of(U"aeiouAEIOU") >> any_text({U"acute", U"grave", U"uml"}) >> text(U";");
    return Pattern(word_letters()) | entity;
}

Pattern clitic() {
    return apostrophe() >> (any_of(U"msdMSD") | any_text({U"re", U"ve", U"ll"}));
}

Pattern sgml_tag() {
    const Pattern name = Pattern(ascii_letters()) >>
                         many(ascii_letters() | ascii_digits() | CharacterSet::of(U"_:.-"));
    const Pattern blanks = many(any_of(U" "));
    const auto quoted = [](std::u32string_view quote, std::u32string_view forbidden) {
        return any_of(quote) >> many(none_of(forbidden)) >> any_of(quote);
    };
    const Pattern value = quoted(U"'", U"'\r\n") | quoted(U"\"", U"\"\r\n");
    const Pattern attribute =
        some(any_of(U" ")) >> name >> optional(blanks >> any_of(U"=") >> blanks >> value);
    const Pattern opening = name >> many(attribute) >> blanks >> optional(any_of(U"/"));
    const Pattern closing = any_of(U"/") >> name;
    const Pattern comment = any_of(U"!?") >> Pattern(ascii_letters() | CharacterSet::of(U"-")) >>
                            many(none_of(U">\r\n"));
    return any_of(U"<") >> (opening | closing | comment) >> blanks >> any_of(U">");
}

Pattern ampersand() {
    return any_of(U"&") | text(U"&amp;");
}

Pattern alphanumeric() {
    return ascii_letters() | ascii_digits();
}

}  // namespace seesay::metrics::ptb
