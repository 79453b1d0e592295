// Caption files in the formats people have: TSV, COCO annotations, COCO results, Karpathy's splits.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace seesay::metrics {

/// Captions by image, in the order in which the file names the images.
class CaptionFile {
 public:
    struct Entry {
        std::string image;                  ///< file name; of a COCO result the image id
        std::vector<std::string> captions;  ///< raw UTF-8, in the order of the file
        std::string split;                  ///< Karpathy: train, restval, val, test; else empty
        std::string folder;                 ///< Karpathy: "filepath" of COCO images; else empty
        std::string id;                     ///< COCO image id as decimal text; else empty
    };

    const std::vector<Entry>& entries() const { return entries_; }

    /// The entry of an image by name or, where no name fits, by COCO id; null if there is none.
    const Entry* find(std::string_view image) const;

    /// The entry of that name, made if it is new.
    Entry& entry(std::string_view image);

    /// Lets `find` know an entry by its COCO id. False if another entry has that id.
    bool set_id(Entry& entry, std::string id);

 private:
    using Index = std::unordered_map<std::string, std::size_t>;

    std::vector<Entry> entries_;
    Index names_;
    Index ids_;
};

/// Reads a caption file; the content says which format it has:
/// - TSV: `image<TAB>caption`, several lines an image, blank lines ignored;
/// - COCO annotations: {"images": [{"id", "file_name"}], "annotations": [{"image_id", "caption"}]};
/// - COCO results: [{"image_id", "caption"}];
/// - Karpathy's: {"images": [{"filename", "split", "sentences": [{"raw"}]}]}.
/// A byte order mark and CRLF are fine. JSON is read as a stream, so only captions take memory.
/// Errors name file and line: unreadable, not UTF-8, malformed, no caption at all, a caption of an
/// unknown image.
CaptionFile read_captions(const std::filesystem::path& file);

/// Reads a list of images: one file name a line; blank lines and lines that start with # are
/// ignored, a byte order mark and CRLF are fine. Errors name file and line: unreadable, an image
/// listed twice, none at all.
std::vector<std::string> read_image_list(const std::filesystem::path& file);

}  // namespace seesay::metrics
