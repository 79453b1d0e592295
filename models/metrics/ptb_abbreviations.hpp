// Abbreviations that keep their period, grouped by what usually follows them.
#pragma once

#include "models/metrics/pattern.hpp"

namespace seesay::metrics::ptb {

/// Months, days, states, companies …: usually a lower-case word follows, so a capital means that a
/// sentence ended here. Without the period.
Pattern before_lower_case();

/// Titles of persons, single letters …: a name follows; never at the end of a sentence.
Pattern before_names();

/// fig, ca, art …: abbreviations only where a number follows.
Pattern before_numbers();

/// A single letter, or several with periods between them (u.s, p.m), without the last period.
Pattern initials();

/// The same, but at least two letters.
Pattern acronym();

/// Words that open a sentence behind an abbreviation, in their capitals.
Pattern sentence_opener();

}  // namespace seesay::metrics::ptb
