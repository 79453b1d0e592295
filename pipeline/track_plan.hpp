// Which tracks of a film a container can hold, and what becomes of each.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "elements/source/film_input.hpp"
#include "models/error.hpp"

namespace seesay::pipeline {

/// The command line asks for something that makes no sense: exit code 2.
struct UsageError : Error {
    using Error::Error;
};

enum class Container { Mp4, Matroska, WebM };

/// By the extension of `output` (.mp4, .m4v, .mov; .mkv; .webm). Throws UsageError for others.
Container container_of(const std::filesystem::path& output);

/// libavformat's name of the muxer.
const char* muxer_name(Container container, const std::filesystem::path& output);

enum class TrackFate {
    Copy,        ///< packet by packet
    Burned,      ///< the captioned video, which is encoded anew
    Attachment,  ///< a cover picture that becomes an attachment (Matroska)
    Rebuilt,  ///< the muxer makes it itself (chapters, time codes) or does without (Ogg Skeleton)
    Dropped,  ///< the container cannot hold it
};

struct PlannedTrack {
    int input = 0;  ///< index in the source
    TrackFate fate = TrackFate::Copy;
    int output = -1;  ///< index in the film that is written, −1 where there is none
};

struct TrackPlan {
    std::vector<PlannedTrack> tracks;  ///< one for each track of the source, in its order
    int outputs = 0;                   ///< tracks written, without the caption track
    std::vector<std::string> dropped;  ///< a sentence for each track that is left out

    [[nodiscard]] const PlannedTrack& of(int input) const {
        return tracks.at(static_cast<std::size_t>(input));
    }
};

/// `copy_video`: the captioned track is copied as well (--burn none). Throws Error, naming a
/// container that can, if the video that has to be copied does not fit.
TrackPlan plan_tracks(const elements::FilmInput& input, Container container, bool copy_video);

}  // namespace seesay::pipeline
