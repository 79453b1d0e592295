// Caption updates of every shape, for the tests of events, publisher and seesaypublish.
#pragma once

#include <memory>
#include <string>

#include "elements/events/event_json.hpp"
#include "elements/meta/caption_update.hpp"

namespace seesay::testing {

/// "a dog runs" on a 2 × 3 grid: three words, attention that sums to 1 a row, all fields set.
language::Caption grid_caption();
/// Two words over three boxes.
language::Caption boxes_caption();
/// A model without attention.
language::Caption plain_caption();

elements::CaptionUpdate update_of(language::Caption caption);
/// A grid update whose text is `text` and whose frame is the `number`th, one second apart.
std::shared_ptr<const elements::CaptionUpdate> numbered_update(
    int number, const std::string& text = "a dog runs");
/// Stream `cam1`, sequence 1, a fixed run id and time.
elements::EventHeader header();

/// While it lives, C and C++ write numbers with a comma (a German locale made on the spot).
class CommaLocale {
 public:
    CommaLocale();
    ~CommaLocale();
    CommaLocale(const CommaLocale&) = delete;
    CommaLocale& operator=(const CommaLocale&) = delete;

 private:
    std::string directory_;
};

/// A fresh folder, removed with all it holds.
class TemporaryFolder {
 public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const std::string& path() const { return path_; }

 private:
    std::string path_;
};

}  // namespace seesay::testing
