// Whether an encoder in bfloat16 may stand in for float32 in front of a captioner.
#pragma once

#include "models/language/captioner.hpp"
#include "models/vision/grid_encoder.hpp"
#include "models/weights/model_package.hpp"

namespace seesay::runtime {

/// True if the captions of all probe pictures of the encoder package are word for word equal with
/// the features of `exact` and of `fast`, which both count as those of `encoder`. Throws Error if a
/// caption cannot be made.
bool captions_agree(vision::GridEncoder& exact, vision::GridEncoder& fast,
                    const weights::ModelPackage& encoder, const language::Captioner& captioner);

}  // namespace seesay::runtime
