// Examination: the lines of `seesay doctor`, with what is wrong and its cure counted.
#pragma once

#include <string>
#include <vector>

namespace seesay::tools {

enum class Finding {
    Good,
    Slow,    ///< works, but costs time
    Absent,  ///< something that only some uses need
    Broken,  ///< captioning does not work without it
};

class Examination {
 public:
    /// "name: text", printed at once.
    void fact(const std::string& name, const std::string& text);
    /// The same with a judgement; `cure` says what to do about it.
    void judge(Finding finding, const std::string& name, const std::string& text,
               const std::string& cure);

    [[nodiscard]] int broken() const { return broken_; }
    /// Prints the cures, the most urgent first.
    void print_cures() const;

 private:
    struct Cure {
        Finding finding;
        std::string text;
    };
    std::vector<Cure> cures_;
    int broken_ = 0;
};

/// Each examines one thing.
void examine_processor(Examination& examination);
void examine_torch(Examination& examination);
void examine_packages(Examination& examination);
/// Plugin, codecs and fonts; in a build without GStreamer it only says so.
void examine_media(Examination& examination);

}  // namespace seesay::tools
