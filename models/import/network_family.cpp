// Tell-tale tensors of the public captioning, detection and backbone checkpoints.
#include "models/import/network_family.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "models/weights/printable.hpp"

namespace seesay::import {
namespace {

struct Sign {
    std::string_view part;  ///< of a tensor's name
    std::string_view family;
};

/// The most telling first.
constexpr std::array<Sign, 16> signs{{
    {"_se_reduce.", "EfficientNet with squeeze-and-excitation (B0 to B7)"},
    {"core.att_lstm.weight_ih", "Up-Down captioner (ruotianluo)"},
    {"core.i2h.", "Att2in captioner (ruotianluo)"},
    {"model.encoder.layers.0.self_attn.linears", "Transformer captioner (ruotianluo)"},
    {"mhatt.attention.m_k", "Meshed-Memory Transformer"},
    {"attention.full_att.weight", "Show, Attend and Tell (sgrvinod)"},
    {"decoder_Wc_att", "Show, Attend and Tell (arctic-captions)"},
    {"Wemb_dec", "neural machine translation (dl4mt)"},
    {"v_att.v_proj", "Up-Down VQA (hengyuan-hu)"},
    {"box_predictor.attr_linear1", "bottom-up detector (MILVLG)"},
    {"fc_attr", "bottom-up detector (airsplay)"},
    {"roi_heads.", "detector of torchvision or detectron2"},
    {"layer4.2.conv3.weight", "ResNet-50, 101 or 152"},
    {"layer4.1.conv2.weight", "ResNet-18 or 34"},
    {"features.28.weight", "VGG-16 or VGG-19"},
    {"embeddings.word_embeddings.weight", "a BERT-like text network"},
}};

std::string container_name(const weights::Checkpoint& checkpoint) {
    switch (checkpoint.container()) {
        case weights::Checkpoint::Container::Zip:
            return "PyTorch checkpoint";
        case weights::Checkpoint::Container::Legacy:
            return "PyTorch checkpoint (legacy form)";
        case weights::Checkpoint::Container::Pickle:
            return "Python pickle";
    }
    return "file";
}

}  // namespace

std::string network_family(const weights::Checkpoint& checkpoint) {
    const auto& tensors = checkpoint.tensors();
    for (const Sign& sign : signs) {
        if (std::any_of(tensors.begin(), tensors.end(), [&](const weights::NamedTensor& tensor) {
                return tensor.name.find(sign.part) != std::string::npos;
            })) {
            return std::string(sign.family);
        }
    }
    return {};
}

std::string describe_content(const weights::Checkpoint& checkpoint) {
    std::string text = container_name(checkpoint) + " with " +
                       std::to_string(checkpoint.tensors().size()) +
                       (checkpoint.tensors().size() == 1 ? " tensor" : " tensors");
    std::vector<std::string> keys = checkpoint.top_level_keys();
    constexpr std::size_t shown = 5;
    for (std::size_t i = 0; i < std::min(keys.size(), shown); ++i) {
        text += (i == 0 ? ", keys " : ", ") + weights::printable(keys[i]);
    }
    if (keys.size() > shown) {
        text += " and " + std::to_string(keys.size() - shown) + " more";
    }
    if (const std::string family = network_family(checkpoint); !family.empty()) {
        text += ", by its names " + family;
    }
    return text;
}

}  // namespace seesay::import
