// Reads caption JSON as a stream of events: nothing but names and captions is kept.
#include "models/metrics/caption_json.hpp"

#include <cstdint>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "models/error.hpp"

namespace seesay::metrics {
namespace {

using Json = nlohmann::json;

/// Reads bytes and counts the lines, so that messages can name one.
class LineCountingIterator {
 public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    LineCountingIterator() = default;
    LineCountingIterator(std::istream& stream, std::size_t& line) : bytes_(stream), line_(&line) {}

    char operator*() const { return *bytes_; }
    LineCountingIterator& operator++() {
        if (*bytes_ == '\n') ++*line_;
        ++bytes_;
        return *this;
    }
    LineCountingIterator operator++(int) {
        LineCountingIterator old = *this;
        ++*this;
        return old;
    }
    bool operator==(const LineCountingIterator& other) const { return bytes_ == other.bytes_; }
    bool operator!=(const LineCountingIterator& other) const { return bytes_ != other.bytes_; }

 private:
    std::istreambuf_iterator<char> bytes_;
    std::size_t* line_ = nullptr;
};

/// Where in the document an event happens.
enum class Place {
    kRoot,
    kImages,
    kImage,
    kSentences,
    kSentence,
    kAnnotations,  ///< of an annotation file, or the array that a result file is
    kAnnotation,
    kIgnored,
};

class CaptionEvents final : public nlohmann::json_sax<Json> {
 public:
    CaptionEvents(const std::filesystem::path& file, const std::size_t& line)
        : file_(file), line_(line) {}

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t value) override { return number(std::to_string(value)); }
    bool number_unsigned(number_unsigned_t value) override { return number(std::to_string(value)); }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }

    bool string(string_t& value) override {
        switch (place()) {
            case Place::kImage:
                if (key_ == "file_name" || key_ == "filename") image_.image = std::move(value);
                if (key_ == "filepath") image_.folder = std::move(value);
                if (key_ == "split") image_.split = std::move(value);
                break;
            case Place::kSentence:
                if (key_ == "raw") sentence_ = std::move(value);
                break;
            case Place::kAnnotation:
                if (key_ == "caption") annotation_.caption = std::move(value);
                if (key_ == "image_id") annotation_.image_id = std::move(value);
                break;
            default:
                break;
        }
        return true;
    }

    bool key(string_t& value) override {
        key_ = std::move(value);
        return true;
    }

    bool start_object(std::size_t) override {
        Place next = Place::kIgnored;
        if (places_.empty()) next = Place::kRoot;
        if (place() == Place::kImages) next = Place::kImage;
        if (place() == Place::kSentences) next = Place::kSentence;
        if (place() == Place::kAnnotations) next = Place::kAnnotation;
        if (next == Place::kImage) image_ = {};
        if (next == Place::kSentence) sentence_.reset();
        if (next == Place::kAnnotation) annotation_ = {};
        places_.push_back(next);
        return true;
    }

    bool end_object() override {
        const Place ended = place();
        places_.pop_back();
        if (ended == Place::kImage) finish_image();
        if (ended == Place::kSentence) finish_sentence();
        if (ended == Place::kAnnotation) finish_annotation();
        return true;
    }

    bool start_array(std::size_t) override {
        Place next = Place::kIgnored;
        if (places_.empty()) {
            next = Place::kAnnotations;
            is_result_ = true;
        } else if (place() == Place::kRoot && key_ == "images") {
            next = Place::kImages;
            has_images_ = true;
        } else if (place() == Place::kRoot && key_ == "annotations") {
            next = Place::kAnnotations;
            has_annotations_ = true;
        } else if (place() == Place::kImage && key_ == "sentences") {
            next = Place::kSentences;
            is_karpathy_ = true;
        }
        places_.push_back(next);
        return true;
    }

    bool end_array() override {
        places_.pop_back();
        return true;
    }

    bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
        std::string reason = error.what();
        // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error …"
        if (const auto colon = reason.find(": "); colon != std::string::npos)
            reason.erase(0, colon + 2);
        fail("is not valid JSON: " + reason);
    }

    CaptionFile take() {
        if (!is_result_ && !is_karpathy_ && !(has_images_ && has_annotations_))
            throw Error(file_.string() +
                        " is JSON without captions: it should be COCO annotations (\"images\" and "
                        "\"annotations\"), a COCO result ([{\"image_id\", \"caption\"}]) or have "
                        "\"images\" with \"sentences\"");
        for (Annotation& annotation : annotations_)
            attach(annotation);
        return std::move(captions_);
    }

 private:
    struct Annotation {
        std::string image_id;
        std::optional<std::string> caption;
        std::size_t line = 0;
    };

    [[noreturn]] void fail(const std::string& what) const { fail(line_, what); }
    [[noreturn]] void fail(std::size_t line, const std::string& what) const {
        throw Error(file_.string() + ":" + std::to_string(line) + ": " + what);
    }

    Place place() const { return places_.empty() ? Place::kIgnored : places_.back(); }

    bool number(std::string value) {
        if (place() == Place::kImage && key_ == "id") image_.id = std::move(value);
        // Karpathy's own number "imgid" says nothing outside his file.
        else if (place() == Place::kImage && key_ == "cocoid")
            image_.id = std::move(value);
        else if (place() == Place::kAnnotation && key_ == "image_id")
            annotation_.image_id = std::move(value);
        return true;
    }

    void finish_sentence() {
        if (!sentence_) fail("a sentence has no \"raw\" text");
        image_.captions.push_back(std::move(*sentence_));
    }

    void finish_image() {
        if (image_.image.empty()) fail("an image has no \"file_name\" or \"filename\"");
        if (captions_.find(image_.image) != nullptr)
            fail("image " + image_.image + " appears a second time");
        CaptionFile::Entry& entry = captions_.entry(image_.image);
        entry.captions = std::move(image_.captions);
        entry.split = std::move(image_.split);
        entry.folder = std::move(image_.folder);
        const std::string id = image_.id;
        if (!id.empty() && !captions_.set_id(entry, id))
            fail("image id " + id + " appears a second time");
    }

    void finish_annotation() {
        if (annotation_.image_id.empty())
            fail("a caption has no \"image_id\" (a whole number or a name)");
        if (!annotation_.caption)
            fail("the entry for image " + annotation_.image_id +
                 " has no \"caption\"; is this a file of boxes?");
        annotation_.line = line_;
        annotations_.push_back(std::move(annotation_));
    }

    void attach(Annotation& annotation) {
        CaptionFile::Entry* entry = nullptr;
        if (is_result_) {
            entry = &captions_.entry(annotation.image_id);
        } else if (const auto* known = captions_.find(annotation.image_id); known != nullptr) {
            entry = &captions_.entry(known->image);
        } else {
            fail(annotation.line, "a caption is for image id " + annotation.image_id +
                                      ", which \"images\" does not list");
        }
        entry->captions.push_back(std::move(*annotation.caption));
    }

    const std::filesystem::path& file_;
    const std::size_t& line_;
    std::vector<Place> places_;
    std::string key_;
    CaptionFile::Entry image_;
    std::optional<std::string> sentence_;
    Annotation annotation_;
    std::vector<Annotation> annotations_;
    CaptionFile captions_;
    bool has_images_ = false;
    bool has_annotations_ = false;
    bool is_karpathy_ = false;
    bool is_result_ = false;
};

}  // namespace

CaptionFile read_caption_json(const std::filesystem::path& file, std::istream& stream) {
    std::size_t line = 1;
    CaptionEvents events(file, line);
    Json::sax_parse(LineCountingIterator(stream, line), LineCountingIterator(), &events);
    return events.take();
}

}  // namespace seesay::metrics
