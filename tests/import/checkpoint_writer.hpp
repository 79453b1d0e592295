// Writes a PyTorch checkpoint (zip form, protocol 2) of float32 tensors, for tests of the
// importers.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace seesay::import {

struct CheckpointTensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::vector<float> values;
};

/// What torch.save writes for an OrderedDict of the tensors; with `keys` for a dictionary that
/// holds that under each of the keys ({"state_dict"}: {"state_dict": …}).
void write_checkpoint(const std::filesystem::path& file,
                      const std::vector<CheckpointTensor>& tensors,
                      const std::vector<std::string>& keys = {});

}  // namespace seesay::import
