// Character classes of the Penn Treebank tokenisation.
#include "models/metrics/ptb_characters.hpp"

#include <utf8proc.h>

namespace seesay::metrics::ptb {
namespace {

template <typename Belongs>
CharacterSet basic_plane(const Belongs& belongs) {
    std::vector<CharacterSet::Range> ranges;
    for (char32_t c = 0; c <= 0xFFFF; ++c)
        if (belongs(utf8proc_category(static_cast<utf8proc_int32_t>(c)))) ranges.emplace_back(c, c);
    return CharacterSet(std::move(ranges));
}

}  // namespace

const CharacterSet& unicode_letters() {
    static const CharacterSet kSet = basic_plane([](utf8proc_category_t category) {
        return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
    });
    return kSet;
}

const CharacterSet& word_letters() {
    // Measured: what the Java tokeniser keeps inside a word although it is no letter.
    static const CharacterSet kSet =
        unicode_letters() |
        CharacterSet{{0x00AD, 0x00AD}, {0x02C2, 0x02C5}, {0x02D2, 0x02DF}, {0x02E5, 0x036F},
                     {0x0370, 0x037D}, {0x0384, 0x0385}, {0x03F6, 0x03F6}, {0x0483, 0x0487},
                     {0x055A, 0x055F}, {0x0591, 0x05BD}, {0x05BF, 0x05BF}, {0x05C1, 0x05C2},
                     {0x05C4, 0x05C5}, {0x05C7, 0x05C7}, {0x0615, 0x061A}, {0x064B, 0x065E},
                     {0x0670, 0x0670}, {0x06D6, 0x06EF}, {0x06FA, 0x06FF}, {0x070F, 0x070F},
                     {0x0711, 0x0711}, {0x0730, 0x074F}, {0x07A6, 0x07B1}, {0x07CA, 0x07F5},
                     {0x0900, 0x0903}, {0x093C, 0x093C}, {0x093E, 0x094E}, {0x0951, 0x0955},
                     {0x0962, 0x0963}, {0x0981, 0x0983}, {0x09BC, 0x09C4}, {0x09C7, 0x09C8},
                     {0x09CB, 0x09CD}, {0x09D7, 0x09D7}, {0x09E2, 0x09E3}, {0x0A01, 0x0A03},
                     {0x0A3C, 0x0A3C}, {0x0A3E, 0x0A4F}, {0x0A81, 0x0A83}, {0x0ABC, 0x0ACF},
                     {0x0B82, 0x0B82}, {0x0BBE, 0x0BC2}, {0x0BC6, 0x0BC8}, {0x0BCA, 0x0BCD},
                     {0x0C01, 0x0C03}, {0x0C3E, 0x0C56}, {0x0D3E, 0x0D44}, {0x0D46, 0x0D48},
                     {0x0E30, 0x0E3A}, {0x0E47, 0x0E4E}, {0x0EB1, 0x0EBC}, {0x0EC8, 0x0ECD}};
    return kSet;
}

const CharacterSet& digits() {
    static const CharacterSet kSet =
        basic_plane([](utf8proc_category_t category) { return category == UTF8PROC_CATEGORY_ND; });
    return kSet;
}

const CharacterSet& capitals() {
    static const CharacterSet kSet =
        basic_plane([](utf8proc_category_t category) { return category == UTF8PROC_CATEGORY_LU; });
    return kSet;
}

const CharacterSet& ascii_letters() {
    static const CharacterSet kSet{{U'A', U'Z'}, {U'a', U'z'}};
    return kSet;
}

const CharacterSet& ascii_digits() {
    static const CharacterSet kSet{{U'0', U'9'}};
    return kSet;
}

const CharacterSet& spaces() {
    static const CharacterSet kSet{
        {U' ', U' '}, {U'\t', U'\t'}, {0xA0, 0xA0}, {0x2000, 0x200A}, {0x3000, 0x3000}};
    return kSet;
}

const CharacterSet& white_space() {
    static const CharacterSet kSet =
        spaces() | CharacterSet{{0x0A, 0x0D}, {0x85, 0x85}, {0x2028, 0x2029}};
    return kSet;
}

const CharacterSet& symbols() {
    static const CharacterSet kSet =
        CharacterSet::of(U"+%&~^|\\") |
        CharacterSet{{0x00A6, 0x00A9}, {0x00AC, 0x00AC}, {0x00AE, 0x00B4}, {0x00B6, 0x00BA},
                     {0x00D7, 0x00D7}, {0x00F7, 0x00F7}, {0x0387, 0x0387}, {0x05BE, 0x05BE},
                     {0x05C0, 0x05C0}, {0x05C3, 0x05C3}, {0x05C6, 0x05C6}, {0x05F3, 0x05F4},
                     {0x0600, 0x0603}, {0x0606, 0x060A}, {0x060C, 0x060C}, {0x0614, 0x0614},
                     {0x061B, 0x061B}, {0x061E, 0x061E}, {0x066A, 0x066A}, {0x066D, 0x066D},
                     {0x0703, 0x070D}, {0x07F6, 0x07F8}, {0x0964, 0x0965}, {0x0E4F, 0x0E4F},
                     {0x1FBD, 0x1FBD}, {0x2016, 0x2017}, {0x2020, 0x2023}, {0x2030, 0x2038},
                     {0x203B, 0x203B}, {0x203E, 0x2042}, {0x2044, 0x2044}, {0x207A, 0x207F},
                     {0x208A, 0x208E}, {0x2100, 0x214F}, {0x2190, 0x2BFF}, {0x3012, 0x3012},
                     {0x30FB, 0x30FB}, {0xFF01, 0xFF0F}, {0xFF1A, 0xFF20}, {0xFF3B, 0xFF40},
                     {0xFF5B, 0xFF65}};
    return kSet;
}

}  // namespace seesay::metrics::ptb
