// The media half of `seesay doctor` in a build without GStreamer.
#include "tools/examination.hpp"

namespace seesay::tools {

void examine_media(Examination& examination) {
    examination.fact(
        "media",
        "this program was built without GStreamer: train, evaluate, score, import, models");
}

}  // namespace seesay::tools
