// The rules, from what is cheap to know to what must be opened.
#include "elements/source/finite_input.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "elements/source/remote_file.hpp"

namespace seesay::elements {

std::unique_ptr<FilmInput> open_finite(const std::string& location,
                                       const FilmInputOptions& options) {
    const std::string path = local_path(location);
    std::error_code failed;
    if (std::filesystem::is_character_file(path, failed)) {
        return nullptr;
    }
    if (!path.empty() || location == "-") {
        return FilmInput::open(location, options);
    }
    if (!is_http_address(location)) {
        return nullptr;
    }
    auto film = FilmInput::open(location, options);
    // An address without an end (a camera's pictures, a live list) is a stream.
    const bool ends = film->seekable() || film->duration_ns() > 0;
    return ends ? std::move(film) : nullptr;
}

}  // namespace seesay::elements
