// Lists of abbreviations; each one was checked against the Java tokeniser.
#include "models/metrics/ptb_abbreviations.hpp"

#include "models/metrics/ptb_characters.hpp"

namespace seesay::metrics::ptb {
namespace {

/// A word whose first letter must be the capital given; the others may have any case.
Pattern capitalised(std::u32string_view word) {
    return any_of(word.substr(0, 1)) >> text(word.substr(1));
}

Pattern any_capitalised(std::initializer_list<std::u32string_view> words) {
    std::vector<Pattern> parts;
    for (const std::u32string_view word : words)
        parts.push_back(capitalised(word));
    return Pattern::make({Pattern::Kind::kChoice, {}, std::move(parts), 0, 0});
}

/// U.S.-U.K and the pairs with U.S that the treebank has.
Pattern country_pair() {
    return any_text({U"Canada-U.S", U"Sino-U.S", U"Korean-U.S", U"EU-U.S", U"Japan-U.S", U"non-U.S",
                     U"U.S.-U.K", U"U.S.-U.S.S.R"});
}

}  // namespace

Pattern before_lower_case() {
    const Pattern months = any_text({U"jan", U"feb", U"mar", U"apr", U"jun", U"jul", U"aug", U"sep",
                                     U"sept", U"oct", U"nov", U"dec"});
    const Pattern days = any_text({U"mon", U"tue", U"tues", U"wed", U"thu", U"thurs", U"fri"});
    const Pattern states =
        any_text({U"ala",  U"ariz", U"calif", U"colo", U"conn", U"ct",   U"dak",
                  U"fla",  U"ga",   U"ind",   U"kan",  U"kans", U"ky",   U"md",
                  U"mich", U"minn", U"mo",    U"mont", U"neb",  U"nev",  U"okla",
                  U"penn", U"tenn", U"va",    U"vt",   U"wis",  U"wisc", U"wyo"}) |
        any_capitalised({U"Az", U"Ark", U"Del", U"Ill", U"La", U"Mass", U"Miss", U"Ore", U"Pa",
                         U"Tex", U"Wash"});
    const Pattern companies =
        any_text({U"inc",   U"co",      U"cos",  U"corp", U"pty",   U"ptys", U"ppty",
                  U"pptys", U"pte",     U"ptes", U"ppte", U"pptes", U"ltd",  U"plc",
                  U"rt",    U"bancorp", U"bhd",  U"assn", U"univ",  U"intl", U"sys"});
    const Pattern others =
        any_text({U"tel", U"est", U"ext", U"sq", U"jr", U"bros", U"ed.d", U"ph.d", U"esq", U"etc",
                  U"al", U"seq", U"bldg", U"sr", U"rd", U"blvd"});
    return months | days | states | companies | others;
}

Pattern before_names() {
    const Pattern titles =
        any_text({U"mr",     U"mrs",   U"ms",   U"dr",   U"drs",   U"prof",  U"profs", U"sen",
                  U"sens",   U"rep",   U"reps", U"atty", U"attys", U"lt",    U"col",   U"gen",
                  U"messrs", U"gov",   U"govs", U"adm",  U"rev",   U"maj",   U"sgt",   U"cpl",
                  U"pvt",    U"capt",  U"st",   U"ste",  U"ave",   U"pres",  U"lieut", U"hon",
                  U"brig",   U"comdr", U"cmdr", U"pfc",  U"spc",   U"supt",  U"supts", U"det",
                  U"mt",     U"ft",    U"adj",  U"adv",  U"asst",  U"assoc", U"ens",   U"insp",
                  U"mlle",   U"mme",   U"msgr", U"sfc"}) |
        capitalised(U"Miss");
    const Pattern others =
        any_text({U"vs", U"v", U"alex", U"wm", U"jos", U"cie", U"a.k.a", U"cf", U"treas", U"ph",
                  U"invt", U"elec", U"natl", U"mfg", U"mtg", U"dept"});
    return initials() | titles | others;
}

Pattern before_numbers() {
    return any_text({U"ca", U"fig", U"figs", U"prop", U"no", U"nos", U"art", U"pp", U"op"});
}

Pattern initials() {
    return Pattern(ascii_letters()) >> many(text(U".") >> Pattern(ascii_letters())) |
           country_pair();
}

Pattern acronym() {
    return Pattern(ascii_letters()) >> some(text(U".") >> Pattern(ascii_letters())) |
           country_pair();
}

Pattern sentence_opener() {
    return any_capitalised(
        {U"About", U"According", U"Additionally", U"After",  U"An",      U"A",     U"As",
         U"At",    U"But",       U"Did",          U"During", U"Earlier", U"He",    U"Her",
         U"Here",  U"How",       U"However",      U"If",     U"In",      U"It",    U"Last",
         U"Many",  U"More",      U"Mr.",          U"Ms.",    U"Now",     U"Once",  U"One",
         U"Other", U"Our",       U"She",          U"Since",  U"So",      U"Some",  U"Such",
         U"That",  U"The",       U"Their",        U"Then",   U"There",   U"These", U"They",
         U"This",  U"We",        U"When",         U"While",  U"What",    U"Who",   U"Why",
         U"Yet",   U"You"});
}

}  // namespace seesay::metrics::ptb
