// Licence texts that have to accompany weights that are passed on.
#pragma once

#include <string>

namespace seesay::import {

/// The Apache License, Version 2.0, in full.
std::string apache_licence();

}  // namespace seesay::import
