"""Pictures and weights from a seed, as models/vision/probe_pictures.cpp and tests/vision/seeded_weights.hpp make them;
and a minimal safetensors writer. Used by the scripts that make golden values."""
import json
import struct

import numpy as np

MASK = (1 << 64) - 1
GAMMA = 0x9E3779B97F4A7C15


def splitmix(state, count):
    """The next `count` values of SplitMix64 and the state behind them."""
    index = np.arange(1, count + 1, dtype=np.uint64)
    with np.errstate(over="ignore"):
        z = np.uint64(state) + index * np.uint64(GAMMA)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z = z ^ (z >> np.uint64(31))
    return z, (state + count * GAMMA) & MASK


def probe_pictures(seed, count, width, height):
    state = seed
    pictures = []
    for _ in range(count):
        picture = np.zeros((height, width, 3), np.uint8)
        for channel in range(3):
            sums = np.zeros((height, width), np.int64)
            weight = 32
            cells = 2
            while cells <= 64:
                values, state = splitmix(state, (cells + 1) ** 2)
                grid = (values >> np.uint64(56)).astype(np.int64).reshape(cells + 1, cells + 1)
                v = np.arange(height) * cells * 256 // height
                u = np.arange(width) * cells * 256 // width
                rows, columns = (v // 256)[:, None], (u // 256)[None, :]
                fy, fx = (v % 256)[:, None], (u % 256)[None, :]
                above = grid[rows, columns] * (256 - fx) + grid[rows, columns + 1] * fx
                below = grid[rows + 1, columns] * (256 - fx) + grid[rows + 1, columns + 1] * fx
                sums += weight * ((above * (256 - fy) + below * fy) // 65536)
                weight //= 2
                cells *= 2
            picture[:, :, channel] = sums // 63
        pictures.append(picture)
    return pictures


def seeded_tensor(name, shape):
    """float32 values that depend on the name only: convolutions roughly keep the variance, BatchNorm is near neutral."""
    seed = 0xCBF29CE484222325
    for byte in name.encode():
        seed = ((seed ^ byte) * 0x100000001B3) & MASK
    count = int(np.prod(shape))
    values, _ = splitmix(seed, count)
    uniform = (values >> np.uint64(40)).astype(np.float64) / (1 << 24)
    if len(shape) == 4:
        fan_in = shape[1] * shape[2] * shape[3]
        result = (uniform - 0.5) * 2 * np.sqrt(3.0 / fan_in)
    elif name.endswith((".weight", ".running_var")):
        result = uniform + 0.5
    else:
        result = (uniform - 0.5) * 0.5
    return result.astype(np.float32).reshape(shape)


def write_safetensors(path, arrays):
    names = {"float32": "F32", "uint8": "U8"}
    header, data = {}, b""
    for name, array in arrays.items():
        raw = np.ascontiguousarray(array).tobytes()
        header[name] = {"dtype": names[str(array.dtype)], "shape": list(array.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)
