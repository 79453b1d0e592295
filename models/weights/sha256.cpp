// SHA-256 by OpenSSL's EVP interface.
#include "models/weights/sha256.hpp"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "models/error.hpp"

namespace seesay::weights {

struct Sha256::Context {
    EVP_MD_CTX* digest = EVP_MD_CTX_new();
    Context() = default;
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context() { EVP_MD_CTX_free(digest); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
    if (context_->digest == nullptr ||
        EVP_DigestInit_ex(context_->digest, EVP_sha256(), nullptr) != 1) {
        throw Error("SHA-256 is not available in this machine's OpenSSL");
    }
}

Sha256::~Sha256() = default;

void Sha256::update(std::span<const std::byte> bytes) {
    if (EVP_DigestUpdate(context_->digest, bytes.data(), bytes.size()) != 1) {
        throw Error("SHA-256 failed inside OpenSSL");
    }
}

void Sha256::update(std::string_view text) {
    update(std::as_bytes(std::span(text.data(), text.size())));
}

std::string Sha256::finish() {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int length = 0;
    if (EVP_DigestFinal_ex(context_->digest, digest.data(), &length) != 1) {
        throw Error("SHA-256 failed inside OpenSSL");
    }
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(std::size_t{2} * length);
    for (unsigned int i = 0; i < length; ++i) {
        text.push_back(digits[digest[i] >> 4U]);
        text.push_back(digits[digest[i] & 15U]);
    }
    return text;
}

std::string sha256_of(std::span<const std::byte> bytes) {
    Sha256 sum;
    sum.update(bytes);
    return sum.finish();
}

std::string sha256_of(std::string_view text) {
    Sha256 sum;
    sum.update(text);
    return sum.finish();
}

std::string sha256_of_file(const std::filesystem::path& file) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rbe"),
                                                                 &std::fclose);
    if (!stream) {
        throw Error(file.string() + ": cannot be read: " + std::generic_category().message(errno));
    }
    Sha256 sum;
    std::vector<std::byte> block(std::size_t{1} << 18U);
    std::size_t got = 0;
    while ((got = std::fread(block.data(), 1, block.size(), stream.get())) > 0) {
        sum.update(std::span(block).first(got));
    }
    if (std::ferror(stream.get()) != 0) {
        throw Error(file.string() + ": cannot be read: " + std::generic_category().message(errno));
    }
    return sum.finish();
}

bool is_sha256(std::string_view text) {
    return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

}  // namespace seesay::weights
