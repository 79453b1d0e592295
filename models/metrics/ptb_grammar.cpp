// Which character sequences are tokens, found by experiments with the Java tokeniser.
#include "models/metrics/ptb_grammar.hpp"

#include "models/metrics/ptb_abbreviations.hpp"
#include "models/metrics/ptb_characters.hpp"

namespace seesay::metrics::ptb {
namespace {

using Classes = std::vector<TokenClass>;

Pattern one(const CharacterSet& set) {
    return set;
}

Pattern letter() {
    return unicode_letters();
}
Pattern letter_or_digit() {
    return unicode_letters() | digits();
}

/// ' in its spellings.
Pattern apostrophe() {
    return one(CharacterSet::of(U"'\u2019") | CharacterSet{{0x92, 0x92}}) | text(U"&apos;");
}

/// Also the marks that people use for it inside a word.
Pattern loose_apostrophe() {
    return apostrophe() | one(CharacterSet::of(U"\u2018\u201B") | CharacterSet{{0x91, 0x91}});
}

/// &eacute; and its like count as one letter.
Pattern letter_entity() {
    return text(U"&") >> any_of(U"aeiouAEIOU") >> any_text({U"acute", U"grave", U"uml"}) >>
           text(U";");
}

Pattern word_letter() {
    return one(word_letters()) | letter_entity();
}

/// Letters, then letters and digits; a period, ! or ? between letters belongs to the word.
Pattern word() {
    const Pattern run = word_letter() >> many(word_letter() | one(digits()));
    return run >> many(any_of(U".!?") >> run);
}

/// 's 'm 'd 're 've 'll
Pattern clitic() {
    return apostrophe() >> (any_of(U"msdMSD") | any_text({U"re", U"ve", U"ll"}));
}

/// n't
Pattern negation() {
    return text(U"n") >> loose_apostrophe() >> text(U"t");
}

/// A digit string with separators inside; also times, and decimals without their zero.
Pattern plain_number() {
    const Pattern separator = any_of(U".:,\u00AD\u066B\u066C");
    return some(one(digits())) | many(one(digits())) >> some(separator >> some(one(digits())));
}

Pattern sgml_name() {
    return one(ascii_letters()) >>
           many(one(ascii_letters() | ascii_digits() | CharacterSet::of(U"_:.-")));
}

/// <b>, </b>, <br />, <a href="x y">, <!-- x -->
Pattern sgml_tag() {
    const Pattern blanks = many(text(U" "));
    const Pattern value = text(U"'") >> many(none_of(U"'\r\n")) >> text(U"'") |
                          text(U"\"") >> many(none_of(U"\"\r\n")) >> text(U"\"") | sgml_name();
    const Pattern attribute =
        some(text(U" ")) >> (sgml_name() | sgml_name() >> blanks >> text(U"=") >> blanks >> value);
    const Pattern comment =
        any_of(U"!?") >> one(ascii_letters() | CharacterSet::of(U"-")) >> many(none_of(U">\r\n"));
    const Pattern opening = sgml_name() >> many(attribute) >> blanks >> optional(text(U"/"));
    const Pattern closing = text(U"/") >> sgml_name();
    return text(U"<") >> (comment | opening | closing) >> blanks >> text(U">");
}

void add_assimilations(Classes& classes) {
    classes.push_back(
        {{any_text({U"cannot"}) | apostrophe() >> text(U"twas")}, Treatment::kSplitLastThree});
    classes.push_back({{apostrophe() >> text(U"tis") |
                        any_text({U"gonna", U"gotta", U"lemme", U"gimme", U"wanna"})},
                       Treatment::kSplitLastTwo});
}

void add_entities(Classes& classes) {
    classes.push_back({{sgml_tag()}, Treatment::kJoinSpaces});
    classes.push_back({{any_text({U"&MD;", U"&mdash;", U"&ndash;"}) |
                        one(CharacterSet{{0x96, 0x97}, {0x2013, 0x2015}})},
                       Treatment::kDash});
    classes.push_back({{text(U"&amp;")}, Treatment::kAmpersand});
    classes.push_back({{text(U"&") >> (any_text({U"HT", U"TL", U"UR", U"LR", U"QC", U"QL", U"QR",
                                                 U"odq", U"cdq"}) |
                                       text(U"#") >> some(one(ascii_digits()))) >>
                        text(U";")},
                       Treatment::kKeep});
}

/// Words whose apostrophe belongs to them.
Pattern apostrophe_word() {
    const Pattern vowel_before = many(letter()) >> letter() >> any_of(U"aeiouyAEIOUY");
    const Pattern other_capital{
        CharacterSet{{U'A', U'H'}, {U'J', U'X'}, {U'Z', U'Z'}, {U'n', U'n'}}};
    return apostrophe() >> text(U"n") >> optional(apostrophe()) |
           any_of(U"lLdDjJ") >> apostrophe() |
           any_text({U"dunkin", U"somethin", U"ol"}) >> apostrophe() |
           other_capital >> loose_apostrophe() >> letter() >> some(letter()) |
           apostrophe() >> one(CharacterSet{{U'2', U'9'}}) >> text(U"0s") |
           apostrophe() >> any_text({U"em", U"til", U"till", U"cause"}) |
           some(letter()) >> any_of(U"aeiouyAEIOUY") >> loose_apostrophe() >>
               one(CharacterSet::of(U"aeiou") | CharacterSet{{U'A', U'Z'}}) >> many(letter()) |
           any_text({U"cont'd", U"cont'd.", U"nor'easter", U"c'mon", U"e'er", U"s'mores", U"ev'ry",
                     U"li'l", U"nat'l"});
}

void add_words(Classes& classes) {
    const Pattern soft_hyphen = text(U"\u00AD");
    const CharacterSet not_n{{U'A', U'M'}, {U'O', U'Z'}, {U'a', U'm'}, {U'o', U'z'}};
    classes.push_back({{word(), clitic()}, Treatment::kWord});
    classes.push_back(
        {{many(one(ascii_letters()) | soft_hyphen) >> one(not_n) >> many(soft_hyphen), negation()},
         Treatment::kWord});
    classes.push_back({{word()}, Treatment::kWord});
    classes.push_back({{apostrophe_word()}});
    classes.push_back({{text(U"y") >> apostrophe(), letter()}});
}

void add_addresses(Classes& classes) {
    const Pattern path = none_of(U" \t\n\f\r\"<>|()");
    const Pattern path_end = none_of(U" \t\n\f\r\"<>|.!?(){},-");
    classes.push_back({{any_text({U"http://", U"https://"}) >> some(path) >> path_end}});

    const Pattern www = text(U"www.") >>
                        some(some(none_of(U" \t\n\f\r\"<>|.!?(){},")) >> text(U".")) >>
                        times(one(ascii_letters()), 2, 4);
    // Of the ASCII characters from , to _ none may be part of a bare host name.
    const CharacterSet not_host =
        CharacterSet::of(U" \t\n\f\r\"`'<>|.!?(){}$") | CharacterSet{{U',', U'_'}};
    const Pattern host =
        some(some(one(~not_host)) >> text(U".")) >> any_text({U"com", U"net", U"org", U"edu"});
    classes.push_back({{(www | host) >> optional(text(U"/") >> some(path) >> path_end)}});

    const Pattern domain = some(none_of(U" \t\n\f\r\"<>|(){}.\u00A0"));
    classes.push_back(
        {{one(ascii_letters() | ascii_digits()) >> many(none_of(U" \t\n\f\r\"<>|()\u00A0{}")) >>
          text(U"@") >> many(domain >> text(U".")) >> domain}});
    const CharacterSet handle = ascii_letters() | CharacterSet::of(U"_");
    classes.push_back(
        {{text(U"@") >> one(handle) >> many(one(handle | ascii_digits())) |
          text(U"#") >> word_letter() >> many(word_letter() | one(digits()) | text(U"_")) >>
              (word_letter() | one(digits()))}});
}

void add_clitics(Classes& classes) {
    classes.push_back({{clitic(), one(~ascii_letters())}, Treatment::kQuoteAfter});
    classes.push_back({{negation()}, Treatment::kQuoteAfter});
}

void add_numbers(Classes& classes) {
    const Pattern digit = digits();
    const Pattern slash = text(U"/") | text(U"\\/") | text(U"\u2044");
    classes.push_back({{times(digit, 1, 2) >> any_of(U"-/") >> times(digit, 1, 2) >>
                        any_of(U"-/") >> times(digit, 2, 4)}});
    classes.push_back({{optional(any_of(U"-+")) >> plain_number()}, Treatment::kWord});
    classes.push_back({{optional(any_of(U"\u207A\u207B\u208A\u208B")) >>
                        (some(one(CharacterSet::of(U"\u2070\u00B9\u00B2\u00B3") |
                                  CharacterSet{{0x2074, 0x2079}})) |
                         some(one(CharacterSet{{0x2080, 0x2089}})))}});
    classes.push_back({{optional(times(digit, 1, 4) >> any_of(U"- \u00A0")) >> times(digit, 1, 4) >>
                        slash >> times(digit, 1, 4)},
                       Treatment::kJoinSpaces});
    classes.push_back({{one(CharacterSet{{0xBC, 0xBE}, {0x2153, 0x215E}})}, Treatment::kFraction});
}

/// Tokens of the treebank itself, and compounds with a slash.
void add_compounds(Classes& classes) {
    const Pattern ampersand = text(U"&") | text(U"&amp;");
    classes.push_back(
        {{any_text({U"-RRB-", U"-LRB-", U"-RCB-", U"-LCB-", U"-RSB-", U"-LSB-", U"C.D.s", U"pro-",
                    U"anti-"}) |
          text(U"S") >> ampersand >> any_text({U"P-500", U"Ls"}) |
          text(U"Cap") >> apostrophe() >> text(U"n") | text(U"c") >> apostrophe() >> text(U"est")},
         Treatment::kAmpersand});
    const Pattern hyphenated = some(one(ascii_letters() | ascii_digits())) >>
                               times(text(U"-") >> some(one(ascii_letters())), 0, 2);
    classes.push_back({{hyphenated >> times((text(U"/") | text(U"\\/")) >> hyphenated, 1, 2)}});
}

void add_currency(Classes& classes) {
    classes.push_back({{many(one(CharacterSet{{U'A', U'Z'}})) >> text(U"$") | text(U"#")}});
    classes.push_back({{one(CharacterSet{{0xA2, 0xA5},
                                         {0x80, 0x80},
                                         {0x20A0, 0x20A0},
                                         {0x20A4, 0x20A4},
                                         {0x20AC, 0x20AC},
                                         {0x060B, 0x060B},
                                         {0x0E3F, 0x0E3F},
                                         {0xFFE0, 0xFFE1},
                                         {0xFFE5, 0xFFE6}})},
                       Treatment::kCurrency});
}

void add_abbreviations(Classes& classes) {
    const Pattern space = spaces();
    const Pattern any_space = white_space();
    const Pattern period = text(U".");
    const Pattern sentence_end = any_space >> (any_space | one(capitals()) | sgml_tag());

    classes.push_back({{initials() >> period, some(space) >> sentence_opener() >> any_space},
                       Treatment::kInitialPeriod});
    classes.push_back({{before_numbers() >> period, optional(any_space) >> one(digits())}});
    classes.push_back(
        {{any_text({U"pty.", U"pte.", U"co."}), space >> any_text({U"ltd", U"lim"})}});
    classes.push_back({{before_lower_case() >> period, sentence_end}, Treatment::kSentencePeriod});
    classes.push_back({{before_lower_case() >> period}});
    classes.push_back({{before_names() >> period}});
    classes.push_back({{before_names(), space}});
    classes.push_back({{initials(), any_space}});
    classes.push_back({{apostrophe() >> times(one(ascii_digits()), 2, 2), any_space}});
    classes.push_back({{word() >> period, any_of(U",;:\u3001")}, Treatment::kWord});
}

Pattern telephone_number() {
    const Pattern digit = ascii_digits();
    const Pattern gap = any_of(U"- \u00A0");
    const Pattern country = optional(any_text({U"+", U"++"}));
    const Pattern area =
        text(U"(") >> times(digit, 2, 3) >> text(U")") >> optional(any_of(U" \u00A0")) |
        country >> optional(times(digit, 2, 4) >> gap) >> times(digit, 2, 4) >> gap;
    return area >> times(digit, 3, 4) >> optional(gap) >> times(digit, 3, 5) |
           optional(country >> times(digit, 2, 4) >> text(U".")) >> times(digit, 2, 4) >>
               text(U".") >> times(digit, 3, 4) >> text(U".") >> times(digit, 3, 5);
}

void add_quotes_and_faces(Classes& classes) {
    const Pattern double_quote = text(U"\"") | text(U"&quot;");
    classes.push_back({{telephone_number()}, Treatment::kJoinParentheses});
    classes.push_back(
        {{double_quote, one(ascii_letters() | ascii_digits() | CharacterSet::of(U"$"))},
         Treatment::kQuoteBefore});
    classes.push_back({{double_quote}, Treatment::kQuoteAfter});
    classes.push_back({{text(U"<") | text(U"&lt;")}, Treatment::kBracket});
    classes.push_back({{text(U">") | text(U"&gt;")}, Treatment::kBracket});
    classes.push_back({{optional(any_of(U"<>")) >> any_of(U":;=") >> optional(any_of(U"-o*'")) >>
                            any_of(U"()DPdpO\\{@|[]"),
                        one(~(ascii_letters() | ascii_digits()))},
                       Treatment::kParentheses});
    const Pattern eye = any_of(U"-^x=~<>'");
    classes.push_back(
        {{any_of(U"^x=~<>") >> text(U".") >> any_of(U"^x=~<>") | eye >> text(U"_") >> eye |
          text(U"(") >> eye >> optional(any_of(U"_.")) >> eye >> text(U")") |
          text(U"(") >> any_of(U"^x=~<>") >> text(U"-") >> any_of(U"^x=~<>'`") >> text(U")")},
         Treatment::kParentheses});
    classes.push_back({{any_of(U"{}[]()")}, Treatment::kBracket});
}

void add_punctuation(Classes& classes) {
    classes.push_back({{some(text(U"-"))}, Treatment::kHyphens});
    classes.push_back(
        {{times(text(U"."), 3, 5) | times(text(U".") >> any_of(U" \u00A0"), 2, 4) >> text(U".") |
          one(CharacterSet{{0x85, 0x85}, {0x2026, 0x2026}})},
         Treatment::kEllipsis});
    classes.push_back({{some(text(U"@")) | some(text(U"#")) | some(text(U"_"))}});
    classes.push_back({{some(text(U"*")) | times(text(U"\\*"), 1, 3)}});
    classes.push_back({{any_of(U",;:\u3001")}});
    classes.push_back({{some(any_of(U"?!"))}});
    classes.push_back(
        {{any_of(U".\u00A1\u00BF\u037E\u0589\u061F\u06D4\u0700\u0701\u0702\u07FA\u3002")}});
    classes.push_back({{any_of(U"=")}});
    classes.push_back({{any_of(U"/")}});
}

void add_hyphenated(Classes& classes) {
    const Pattern alphanumeric = ascii_letters() | ascii_digits();
    const Pattern soft = one(ascii_letters() | ascii_digits() | CharacterSet::of(U"\u00AD"));
    const Pattern tail = text(U"-") >> (some(soft) | acronym() >> text(U"."));
    const Pattern with_numbers = alphanumeric >> many(soft | any_of(U".,")) >> some(tail);
    const Pattern inside = any_of(U",;:\u3001");
    classes.push_back({{with_numbers >> text(U"."), inside}, Treatment::kWord});
    classes.push_back({{with_numbers}, Treatment::kWord});

    const Pattern hyphen = any_of(U"-_\u058A\u2010\u2011");
    const Pattern elided = optional(any_of(U"dDoOlL") >> loose_apostrophe() >> letter_or_digit());
    const Pattern part = elided >> some(letter_or_digit());
    const Pattern compound = part >> many(hyphen >> part);
    classes.push_back({{compound >> text(U"."), inside}});
    classes.push_back({{compound}});

    const Pattern capital_run = some(one(CharacterSet{{U'A', U'Z'}}));
    const Pattern joined = capital_run >> some((any_of(U"+&") | text(U"&amp;")) >> capital_run);
    classes.push_back({{joined >> text(U"."), inside}, Treatment::kAmpersand});
    classes.push_back({{joined}, Treatment::kAmpersand});
}

void add_the_rest(Classes& classes) {
    const CharacterSet line_space = CharacterSet::of(U" \t\n\r\u00A0");
    classes.push_back(
        {{text(U"'"), one(ascii_letters()) >> one(~line_space)}, Treatment::kQuoteBefore});
    classes.push_back({{clitic()}, Treatment::kQuoteAfter});
    const CharacterSet marks = CharacterSet::of(U"`\u201E\u201F\u2039\u203A\u00AB\u00BB") |
                               CharacterSet{{0x91, 0x94}, {0x2018, 0x201D}};
    classes.push_back(
        {{apostrophe() | text(U"''") | times(one(marks), 1, 2)}, Treatment::kQuoteAfter});
    classes.push_back({{any_text({U"<<", U">>"})}});
    classes.push_back({{one(symbols())}});
    classes.push_back({{some(one(white_space())) | text(U"&nbsp;")}, Treatment::kSkip});
}

}  // namespace

const std::vector<TokenClass>& token_classes() {
    static const Classes kClasses = [] {
        Classes classes;
        add_assimilations(classes);
        add_entities(classes);
        add_words(classes);
        add_addresses(classes);
        add_clitics(classes);
        add_numbers(classes);
        add_compounds(classes);
        add_currency(classes);
        add_abbreviations(classes);
        add_quotes_and_faces(classes);
        add_punctuation(classes);
        add_hyphenated(classes);
        add_the_rest(classes);
        return classes;
    }();
    return kClasses;
}

}  // namespace seesay::metrics::ptb
