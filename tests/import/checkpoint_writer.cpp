// A pickle by hand, and a zip file whose members are stored.
#include "tests/import/checkpoint_writer.hpp"

#include <zlib.h>

#include <cstring>
#include <fstream>

namespace seesay::import {
namespace {

std::string little(std::uint64_t value, std::size_t width) {
    std::string text;
    for (std::size_t i = 0; i < width; ++i) {
        text.push_back(static_cast<char>(value >> (8 * i)));
    }
    return text;
}

std::string unicode(const std::string& text) {
    return std::string("X").append(little(text.size(), 4)).append(text);
}

std::string integer(std::int64_t value) {
    return std::string("J").append(little(static_cast<std::uint64_t>(value), 4));
}

std::string tuple(const std::vector<std::int64_t>& values) {
    std::string text = "(";
    for (const std::int64_t value : values) {
        text += integer(value);
    }
    return text + "t";
}

std::string state_dict(const std::vector<CheckpointTensor>& tensors) {
    std::string text = "ccollections\nOrderedDict\n)R(";
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        std::vector<std::int64_t> strides(tensors[i].shape.size());
        std::int64_t step = 1;
        for (std::size_t axis = strides.size(); axis > 0; --axis) {
            strides[axis - 1] = step;
            step *= tensors[i].shape[axis - 1];
        }
        text += unicode(tensors[i].name) + "ctorch._utils\n_rebuild_tensor_v2\n((" +
                unicode("storage") + "ctorch\nFloatStorage\n" + unicode(std::to_string(i)) +
                unicode("cpu") + integer(step) + "tQ" + integer(0) + tuple(tensors[i].shape) +
                tuple(strides) + "\x89" + "ccollections\nOrderedDict\n)RtR";
    }
    return text + "u";
}

class ZipFile {
 public:
    explicit ZipFile(const std::filesystem::path& file) : stream_(file, std::ios::binary) {}

    void add(const std::string& name, const char* data, std::size_t size) {
        const auto crc = ::crc32(0, reinterpret_cast<const Bytef*>(data), static_cast<uInt>(size));
        const std::string sizes = little(crc, 4) + little(size, 4) + little(size, 4) +
                                  little(name.size(), 2) + little(0, 2);
        const std::string head = std::string("\x14\0\0\0\0\0\0\0\0\0", 10) + sizes;
        directory_ += "PK\x01\x02" + std::string("\x14\0", 2) + head + std::string(10, '\0') +
                      little(offset_, 4) + name;
        const std::string local = "PK\x03\x04" + head + name;
        stream_ << local;
        stream_.write(data, static_cast<std::streamsize>(size));
        offset_ += local.size() + size;
        ++count_;
    }

    void finish() {
        stream_ << directory_ << "PK\x05\x06" << little(0, 4) << little(count_, 2)
                << little(count_, 2) << little(directory_.size(), 4) << little(offset_, 4)
                << little(0, 2);
    }

 private:
    std::ofstream stream_;
    std::string directory_;
    std::size_t offset_ = 0;
    std::size_t count_ = 0;
};

}  // namespace

void write_checkpoint(const std::filesystem::path& file,
                      const std::vector<CheckpointTensor>& tensors,
                      const std::vector<std::string>& keys) {
    std::string pickle = "\x80\x02";
    if (keys.empty()) {
        pickle += state_dict(tensors);
    } else {
        pickle += "}(";
        for (const std::string& key : keys) {
            pickle += unicode(key) + state_dict(tensors);
        }
        pickle += "u";
    }
    pickle += ".";
    ZipFile zip(file);
    zip.add("a/data.pkl", pickle.data(), pickle.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        zip.add("a/data/" + std::to_string(i),
                reinterpret_cast<const char*>(tensors[i].values.data()),
                tensors[i].values.size() * sizeof(float));
    }
    zip.add("a/version", "3\n", 2);
    zip.finish();
}

}  // namespace seesay::import
