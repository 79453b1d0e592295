// Values are chosen so that every rule of the event format shows in them.
#include "tests/elements/publish_fixtures.hpp"

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <locale>
#include <stdexcept>

#include "tests/elements/subprocess.hpp"

namespace seesay::testing {

language::Caption grid_caption() {
    language::Caption caption;
    caption.tokens = {{4, "a", -0.1F}, {5, "dog", -0.25F}, {6, "runs", -1.5F}};
    caption.text = "a dog runs";
    caption.language = "en";
    caption.end_log_probability = -0.05F;
    caption.confidence = 0.62F;
    caption.attended = 6;
    caption.attention = {0.5F,  0.1F,  0.1F,  0.1F,  0.1F,  0.1F,   //
                         0.05F, 0.05F, 0.05F, 0.05F, 0.05F, 0.75F,  //
                         0.F,   0.F,   1.F,   0.F,   0.F,   0.F};
    caption.geometry.rows = 2;
    caption.geometry.columns = 3;
    caption.frame = {1, 3'200'000'000, 3'200'000'000, 1'709'251'199'000'001, 1280, 720};
    caption.model = {"default", std::string(64, 'a')};
    caption.inference_ns = 12'345'678;
    return caption;
}

language::Caption boxes_caption() {
    language::Caption caption = grid_caption();
    caption.tokens = {{4, "two", -0.5F}, {5, "cats", -0.75F}};
    caption.text = "two cats";
    caption.attended = 3;
    caption.attention = {0.25F, 0.25F, 0.5F, 0.F, 1.F, 0.F};
    caption.geometry = {};
    caption.geometry.kind = vision::Geometry::Kind::Boxes;
    caption.geometry.boxes = {
        {0.F, 0.F, 0.5F, 0.5F}, {0.1F, 0.2F, 0.3F, 0.4F}, {0.5F, 0.5F, 1.F, 1.F}};
    return caption;
}

language::Caption plain_caption() {
    language::Caption caption = grid_caption();
    caption.attention.clear();
    caption.attended = 0;
    caption.geometry = {};
    return caption;
}

elements::CaptionUpdate update_of(language::Caption caption) {
    elements::CaptionUpdate update;
    update.segment = {1, 1, 3'200'000'000, 4'200'000'000, false};
    update.latency_total_ns = 20'000'400;
    update.dropped = {2, 3};
    update.caption = std::make_shared<language::Caption>(std::move(caption));
    return update;
}

std::shared_ptr<const elements::CaptionUpdate> numbered_update(int number,
                                                               const std::string& text) {
    language::Caption caption = grid_caption();
    caption.text = text;
    caption.frame.id = static_cast<std::uint64_t>(number);
    caption.frame.pts_ns = caption.frame.running_time_ns = number * 1'000'000'000LL;
    elements::CaptionUpdate update = update_of(std::move(caption));
    update.segment = {1, static_cast<std::uint64_t>(number), 1'000'000'000,
                      (number + 1) * 1'000'000'000LL, false};
    return std::make_shared<const elements::CaptionUpdate>(std::move(update));
}

elements::EventHeader header() {
    return {"cam1", "0123456789abcdef0123456789abcdef", 1, 1'709'251'200'500'000};
}

namespace {

struct CommaNumbers : std::numpunct<char> {
 protected:
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
};

std::string make_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "seesay-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error("cannot make a temporary folder " + name);
    }
    return name;
}

}  // namespace

CommaLocale::CommaLocale() : directory_(make_folder()) {
    Subprocess localedef({"localedef", "-i", "de_DE", "-f", "UTF-8", directory_ + "/de_DE.UTF-8"});
    localedef.wait(std::chrono::seconds(60));
    ::setenv("LOCPATH", directory_.c_str(), 1);
    if (std::setlocale(LC_ALL, "de_DE.UTF-8") == nullptr ||
        std::localeconv()->decimal_point[0] != ',') {
        throw std::runtime_error("no comma locale: install the Debian package locales");
    }
    std::locale::global(std::locale(std::locale(), new CommaNumbers));
    std::setlocale(LC_ALL, "de_DE.UTF-8");
}

CommaLocale::~CommaLocale() {
    std::locale::global(std::locale::classic());
    std::setlocale(LC_ALL, "C");
    ::unsetenv("LOCPATH");
    std::filesystem::remove_all(directory_);
}

TemporaryFolder::TemporaryFolder() : path_(make_folder()) {
}
TemporaryFolder::~TemporaryFolder() {
    std::filesystem::remove_all(path_);
}

}  // namespace seesay::testing
