// Captions of a single picture: no pipeline, the networks are asked directly.
#pragma once

#include <functional>
#include <string>

#include "models/vision/image.hpp"
#include "pipeline/caption_job.hpp"

namespace seesay::pipeline {

/// Whether `path` is a file that holds one still picture (an animation is a film). False where it
/// cannot be read.
bool is_still_picture(const std::string& path);

/// Whether a name ends like a picture's (.png, .jpg, …).
bool has_picture_name(const std::string& path);

/// As `run`, for the picture that `read` gives (it may throw Error; the outputs are open by then).
/// An `output` becomes the figure: a panel a word.
CaptionJobResult caption_picture(const CaptionJob& job, const CaptionCallbacks& callbacks,
                                 const std::function<vision::Image()>& read,
                                 const std::string& stream);

}  // namespace seesay::pipeline
