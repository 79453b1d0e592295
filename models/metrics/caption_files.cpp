// Reads line-based caption files and image lists, and tells JSON from TSV.
#include "models/metrics/caption_files.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <unordered_set>
#include <utility>

#include "models/error.hpp"
#include "models/metrics/caption_json.hpp"
#include "models/metrics/utf8.hpp"

namespace seesay::metrics {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::ifstream open(const std::filesystem::path& file) {
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
        throw Error("cannot read " + file.string() + ": it is a folder, not a file");
    errno = 0;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        const int code = errno;
        throw Error("cannot read " + file.string() + ": " +
                    (code != 0 ? std::generic_category().message(code) : "it cannot be opened"));
    }
    return stream;
}

[[noreturn]] void fail(const std::filesystem::path& file, std::size_t line,
                       const std::string& what) {
    throw Error(file.string() + ":" + std::to_string(line) + ": " + what);
}

/// Calls `take(line, number)` for each line without its end and without a byte order mark.
template <typename Take>
void for_each_line(const std::filesystem::path& file, std::istream& stream, const Take& take) {
    std::string line;
    for (std::size_t number = 1; std::getline(stream, line); ++number) {
        std::string_view text = line;
        if (number == 1 && text.starts_with(kByteOrderMark)) text.remove_prefix(3);
        if (text.ends_with('\r')) text.remove_suffix(1);
        if (!is_valid_utf8(text))
            fail(file, number, "is not UTF-8 text; convert the file with iconv");
        take(text, number);
    }
    if (stream.bad()) throw Error("cannot read " + file.string() + ": reading failed half-way");
}

std::string_view trim(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

CaptionFile read_tsv(const std::filesystem::path& file, std::istream& stream) {
    CaptionFile captions;
    for_each_line(file, stream, [&](std::string_view line, std::size_t number) {
        if (trim(line).empty()) return;
        const auto tab = line.find('\t');
        if (tab == std::string_view::npos)
            fail(file, number, "has no tab; each line must be an image name, a tab and a caption");
        const std::string_view image = trim(line.substr(0, tab));
        if (image.empty()) fail(file, number, "has no image name before the tab");
        captions.entry(image).captions.emplace_back(trim(line.substr(tab + 1)));
    });
    return captions;
}

/// JSON starts with a bracket; the stream is left where the text starts, behind a byte order mark.
bool starts_as_json(std::istream& stream) {
    std::string mark(kByteOrderMark.size(), '\0');
    stream.read(mark.data(), static_cast<std::streamsize>(mark.size()));
    const bool marked = stream.gcount() == 3 && mark == kByteOrderMark;
    stream.clear();
    stream.seekg(marked ? 3 : 0);
    const auto start = stream.tellg();
    int character = stream.get();
    while (character == ' ' || character == '\t' || character == '\r' || character == '\n')
        character = stream.get();
    stream.clear();
    stream.seekg(start);
    return character == '{' || character == '[';
}

}  // namespace

const CaptionFile::Entry* CaptionFile::find(std::string_view image) const {
    const std::string key(image);
    if (const auto found = names_.find(key); found != names_.end()) return &entries_[found->second];
    if (const auto found = ids_.find(key); found != ids_.end()) return &entries_[found->second];
    return nullptr;
}

CaptionFile::Entry& CaptionFile::entry(std::string_view image) {
    const auto [place, added] = names_.try_emplace(std::string(image), entries_.size());
    if (added) entries_.push_back({std::string(image), {}, {}, {}, {}});
    return entries_[place->second];
}

bool CaptionFile::set_id(Entry& entry, std::string id) {
    const auto index = static_cast<std::size_t>(&entry - entries_.data());
    const auto [place, added] = ids_.try_emplace(id, index);
    if (!added && place->second != index) return false;
    entry.id = std::move(id);
    return true;
}

CaptionFile read_captions(const std::filesystem::path& file) {
    std::ifstream stream = open(file);
    const bool json = file.extension() != ".tsv" && starts_as_json(stream);
    if (file.extension() == ".json" && !json)
        fail(file, 1, "is not JSON: it should start with { or [");
    CaptionFile captions = json ? read_caption_json(file, stream) : read_tsv(file, stream);
    std::size_t count = 0;
    for (const CaptionFile::Entry& entry : captions.entries())
        count += entry.captions.size();
    if (count == 0) throw Error(file.string() + " holds no captions");
    return captions;
}

std::vector<std::string> read_image_list(const std::filesystem::path& file) {
    std::ifstream stream = open(file);
    std::vector<std::string> images;
    std::unordered_set<std::string> seen;
    for_each_line(file, stream, [&](std::string_view line, std::size_t number) {
        const std::string_view name = trim(line);
        if (name.empty() || name.starts_with('#')) return;
        if (!seen.emplace(name).second)
            fail(file, number, "lists " + std::string(name) + " a second time; remove one");
        images.emplace_back(name);
    });
    if (images.empty()) throw Error(file.string() + " lists no image");
    return images;
}

}  // namespace seesay::metrics
