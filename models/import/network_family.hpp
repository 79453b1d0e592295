// Names a network by the tensors it has, also where it cannot be imported: the message then says
// what was found.
#pragma once

#include <string>

#include "models/weights/checkpoint.hpp"

namespace seesay::import {

/// "Show, Attend and Tell (sgrvinod's tutorial)" and so on; empty if unknown.
std::string network_family(const weights::Checkpoint& checkpoint);

/// One line: container, number of tensors, first top-level keys, family.
std::string describe_content(const weights::Checkpoint& checkpoint);

}  // namespace seesay::import
