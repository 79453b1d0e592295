// From a captioner package to the encoder package that it names.
#pragma once

#include "models/weights/model_package.hpp"

namespace seesay::weights {

/// `package` itself if it is an encoder; else the encoder that its `encoder` key names, looked for
/// beside the captioner's folder and then on the package path. Throws Error when it is not there or
/// its SHA-256 is another.
ModelPackage open_encoder_of(const ModelPackage& package);

}  // namespace seesay::weights
