#!/usr/bin/env python3
"""Compares the encoder of a package with onnxruntime on the same weights: float32, batch 1, one picture in turn.

    pip install numpy onnx onnxruntime
    tools/bench_onnxruntime.py [--package DIR] [--threads N] [--rounds N] [--json OUT]

Both sides run in the same span of time: a picture through seesay (build/release/tests/encoder_bench --on-request), a
picture through onnxruntime, and so on. Prints medians and their ratio (seesay / onnxruntime), and the largest difference
of the features, which shows that both compute the same network. Figures are valid on a quiet machine only."""
import argparse
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import time

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

ROOT = pathlib.Path(__file__).resolve().parent.parent
EPSILON = 1e-3


def read_safetensors(path):
    data = path.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    types = {"F32": np.float32, "F16": np.float16}
    tensors = {}
    for name, entry in json.loads(data[8:8 + length]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        array = np.frombuffer(data[begin:end], types[entry["dtype"]]).astype(np.float32)
        tensors[name] = array.reshape(entry["shape"])
    return tensors


class Graph:
    """An ONNX graph of EfficientNet-Lite, read off the weights: BatchNorm as its own node, as an export has it."""

    def __init__(self, tensors, height, width):
        self.tensors, self.size = tensors, (height, width)
        self.nodes, self.initialisers, self.output = [], [], "picture"

    def constant(self, name, array):
        self.initialisers.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def convolution(self, name, norm, stride, depthwise, clip):
        weight = self.tensors[name + ".weight"]
        kernel = weight.shape[2]
        pads_before, pads_after = [], []
        for size in self.size:
            total = max((-(-size // stride) - 1) * stride + kernel - size, 0)
            pads_before.append(total // 2)
            pads_after.append(total - total // 2)
        self.size = tuple(-(-size // stride) for size in self.size)
        self.nodes.append(helper.make_node(
            "Conv", [self.output, self.constant(name + ".weight", weight)], [name], kernel_shape=[kernel, kernel],
            strides=[stride, stride], pads=pads_before + pads_after, group=weight.shape[0] if depthwise else 1))
        parts = [self.constant(f"{norm}.{part}", self.tensors[f"{norm}.{part}"])
                 for part in ("weight", "bias", "running_mean", "running_var")]
        self.nodes.append(helper.make_node("BatchNormalization", [name] + parts, [name + "/norm"], epsilon=EPSILON))
        self.output = name + "/norm"
        if clip:
            self.nodes.append(helper.make_node("Clip", [self.output, "zero", "six"], [name + "/clip"]))
            self.output = name + "/clip"

    def block(self, index, stride):
        prefix, entry = f"_blocks.{index}.", self.output
        if prefix + "_expand_conv.weight" in self.tensors:
            self.convolution(prefix + "_expand_conv", prefix + "_bn0", 1, False, True)
        self.convolution(prefix + "_depthwise_conv", prefix + "_bn1", stride, True, True)
        self.convolution(prefix + "_project_conv", prefix + "_bn2", 1, False, False)
        inputs = self.tensors[prefix + ("_expand_conv" if prefix + "_expand_conv.weight" in self.tensors
                                        else "_depthwise_conv") + ".weight"].shape
        channels = inputs[1] if prefix + "_expand_conv.weight" in self.tensors else inputs[0]
        if stride == 1 and channels == self.tensors[prefix + "_project_conv.weight"].shape[0]:
            self.nodes.append(helper.make_node("Add", [self.output, entry], [prefix + "sum"]))
            self.output = prefix + "sum"


def block_strides(architecture):
    """Repeats of the seven stages, the first block of each with the stage's stride."""
    depth = {"efficientnet-lite0": 1.0, "efficientnet-lite1": 1.1, "efficientnet-lite2": 1.2}[architecture]
    strides = []
    for stage, (repeats, stride) in enumerate([(1, 1), (2, 2), (2, 2), (3, 2), (3, 1), (4, 2), (1, 1)]):
        count = repeats if stage in (0, 6) else -int(-(depth * repeats) // 1)
        strides += [stride] + [1] * (count - 1)
    return strides


def build_model(package):
    manifest = json.loads((package / "model.json").read_text())
    height, width = manifest["preprocessing"]["height"], manifest["preprocessing"]["width"]
    graph = Graph(read_safetensors(package / "weights.safetensors"), height, width)
    graph.constant("zero", np.float32(0))
    graph.constant("six", np.float32(6))
    graph.convolution("_conv_stem", "_bn0", 2, False, True)
    for index, stride in enumerate(block_strides(manifest["architecture"])):
        graph.block(index, stride)
    graph.convolution("_conv_head", "_bn1", 1, False, True)
    onnx_graph = helper.make_graph(
        graph.nodes, "encoder", [helper.make_tensor_value_info("picture", TensorProto.FLOAT, [1, 3, height, width])],
        [helper.make_tensor_value_info(graph.output, TensorProto.FLOAT, None)], graph.initialisers)
    model = helper.make_model(onnx_graph, opset_imports=[helper.make_opsetid("", 13)])
    model.ir_version = 8
    return model, manifest


class Seesay:
    """encoder_bench in its on-request mode: one line in, one line out with the milliseconds of one picture."""

    def __init__(self, program, package, threads):
        self.process = subprocess.Popen([program, str(package), "--threads", str(threads), "--on-request"],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.path = self.process.stdout.readline().strip()

    def run(self, command="run"):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit("bench_onnxruntime: encoder_bench ended early; run it by hand to see why")
        return line

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--package", type=pathlib.Path, default=ROOT / "models/packages/encoder-lite2")
    parser.add_argument("--program", default=str(ROOT / "build/release/tests/encoder_bench"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--json", dest="output")
    arguments = parser.parse_args()
    if not os.path.exists(arguments.program):
        sys.exit(f"bench_onnxruntime: {arguments.program} is missing; build the target encoder_bench")

    model, manifest = build_model(arguments.package)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = arguments.threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    seesay = Seesay(arguments.program, arguments.package, arguments.threads)

    # The picture and seesay's features for it, to show that both sides compute the same.
    sample = json.loads(seesay.run("features"))
    shape = (manifest["preprocessing"]["height"], manifest["preprocessing"]["width"], 3)
    pixels = np.frombuffer(bytes.fromhex(sample["pixels"]), np.uint8).reshape(shape).astype(np.float32)
    mean = np.array(manifest["preprocessing"]["mean"], np.float32)
    deviation = np.array(manifest["preprocessing"]["deviation"], np.float32)
    picture = np.ascontiguousarray(((pixels - mean) / deviation).transpose(2, 0, 1)[None])
    features = session.run(None, {"picture": picture})[0][0]
    pooled = features.reshape(features.shape[0], -1).mean(1)
    difference = float(np.abs(pooled - np.array(sample["pooled"], np.float32)).max())

    ours, theirs = [], []
    for _ in range(arguments.rounds + 5):
        ours.append(float(seesay.run()))
        start = time.perf_counter()
        session.run(None, {"picture": picture})
        theirs.append((time.perf_counter() - start) * 1e3)
    seesay.close()
    ours, theirs = statistics.median(ours[5:]), statistics.median(theirs[5:])
    result = {"threads": arguments.threads, "path": seesay.path, "seesay_ms": round(ours, 3),
              "onnxruntime": onnxruntime.__version__, "onnxruntime_ms": round(theirs, 3), "ratio": round(ours / theirs, 3),
              "largest_difference_of_pooled_features": difference}
    print(f"encoder {manifest['name']}, {arguments.threads} thread(s), {arguments.rounds} pictures in turn")
    print(f"  seesay ({seesay.path})  {ours:8.2f} ms")
    print(f"  onnxruntime {onnxruntime.__version__}     {theirs:8.2f} ms")
    print(f"  ratio {ours / theirs:.3f}   (features differ by at most {difference:.1e})")
    if arguments.output:
        pathlib.Path(arguments.output).write_text(json.dumps(result, indent=1) + "\n")
    if difference > 1e-3:
        sys.exit("bench_onnxruntime: the two sides do not compute the same network")


if __name__ == "__main__":
    main()
