#!/usr/bin/python3
"""Makes the files of tests/weights/checkpoints and what a reader has to find in them (expected.json).

Needs Debian's python3-torch (1.13.1) and python3-numpy. Run: /usr/bin/python3 make_checkpoints.py
The files are committed; this is here to show how they came about and to make them again.
"""
import argparse
import collections
import io
import json
import os
import pickle
import tarfile
import zipfile

import numpy
import torch

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "checkpoints")
expected = {}
NAMES = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16",
         torch.int64: "I64", torch.int32: "I32", torch.int16: "I16", torch.int8: "I8",
         torch.uint8: "U8", torch.bool: "BOOL"}


class Scale(torch.nn.Module):
    """A module of our own: the legacy form stores the source text of the classes it pickles."""

    def __init__(self, inner=None):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.tensor([1.5, -2.0]))
        self.register_buffer("offset", torch.tensor([[3.0], [4.0]]))
        self.inner = inner


def describe(tensors):
    """What the reader must give: name, type, shape and the values as numbers, row by row."""
    return [{"name": name, "type": NAMES[tensor.dtype], "shape": list(tensor.shape),
             "values": tensor.detach().reshape(-1).double().tolist()} for name, tensor in tensors]


def path(name):
    return os.path.join(HERE, name)


def save(name, value, tensors, **options):
    torch.save(value, path(name), **options)
    expected[name] = describe(tensors)


def both(name, value, tensors):
    save(name + ".zip.pth", value, tensors)
    save(name + ".legacy.pth", value, tensors, _use_new_zipfile_serialization=False)


def repack(source, target, method, zip64=False):
    """The same members in another zip file."""
    limits = zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT
    if zip64:  # everything counts as too large for the old fields
        zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = 0, 0
    with zipfile.ZipFile(path(source)) as read, zipfile.ZipFile(path(target), "w", method) as write:
        for name in read.namelist():
            write.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), read.read(name), method)
    zipfile.ZIP64_LIMIT, zipfile.ZIP_FILECOUNT_LIMIT = limits
    expected[target] = expected[source]


def main():
    os.makedirs(HERE, exist_ok=True)
    torch.manual_seed(1)

    network = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    state = network.state_dict()
    both("state_dict", state, state.items())
    save("protocol4.zip.pth", state, state.items(), pickle_protocol=4)
    save("protocol5.legacy.pth", state, state.items(), pickle_protocol=5,
         _use_new_zipfile_serialization=False)
    repack("state_dict.zip.pth", "deflated.zip.pth", zipfile.ZIP_DEFLATED)
    repack("state_dict.zip.pth", "zip64.zip.pth", zipfile.ZIP_STORED, zip64=True)

    types = {str(dtype)[6:]: torch.tensor([0, 1, 1]).to(dtype) for dtype in NAMES}
    types["real"] = torch.tensor([[-1.5, 3e-8], [65504.0, 1e30]])
    both("types", types, types.items())

    base = torch.arange(24.0).reshape(4, 6)
    views = {"base": base, "transposed": base.t(), "rows": base[1:3], "columns": base[:, ::2],
             "cell": base[2, 3], "expanded": base[0:1].expand(3, 6), "empty": base[:0],
             "permuted": torch.arange(24).reshape(2, 3, 4).permute(2, 0, 1)}
    both("views", views, views.items())

    optimizer = torch.optim.Adam(network.parameters())
    network(torch.ones(4, 3)).sum().backward()
    optimizer.step()
    state = network.state_dict()
    nested = {"epoch": 3, "state_dict": state, "args": argparse.Namespace(beam=3, name="a"),
              "optimizer": optimizer.state_dict(), "list": [torch.ones(1), {"x": torch.zeros(2)}]}
    tensors = [("state_dict." + name, tensor) for name, tensor in state.items()]
    for index, slot in optimizer.state_dict()["state"].items():
        tensors += [(f"optimizer.state.{index}.{name}", tensor) for name, tensor in slot.items()
                    if torch.is_tensor(tensor)]
    tensors += [("list.0", torch.ones(1)), ("list.1.x", torch.zeros(2))]
    both("nested", nested, tensors)

    parameters = {"p": torch.nn.Parameter(torch.tensor([1.0, 2.0]))}
    both("parameter", parameters, parameters.items())
    # Without this the file would hold the path of this script on the machine it ran on.
    lines = torch.serialization.get_source_lines_and_file
    torch.serialization.get_source_lines_and_file = (
        lambda *args: (*lines(*args)[:2], "make_checkpoints.py"))
    both("module", Scale(Scale()), Scale(Scale()).state_dict().items())

    numpy_content = {"rows": numpy.arange(6, dtype="<f4").reshape(2, 3),
                     "columns": numpy.asfortranarray(numpy.arange(6, dtype="<i8").reshape(2, 3)),
                     "words": {"a", "b"}, "raw": b"\xff\x00", "big": 1 << 80, "negative": -(1 << 40),
                     "frequency": collections.defaultdict(float, {("a", "b"): 2.0})}
    arrays = [("rows", torch.arange(6.0).reshape(2, 3)), ("columns", torch.arange(6).reshape(2, 3))]
    for protocol in (0, 2, 4):
        name = f"numpy.protocol{protocol}.pkl"
        with open(path(name), "wb") as file:
            pickle.dump(numpy_content, file, protocol)
        expected[name] = describe(arrays)

    untyped()
    refused(network)
    with open(path("expected.json"), "w") as file:
        json.dump(expected, file, indent=0, allow_nan=False)
        file.write("\n")


def untyped():
    """The form of PyTorch 2.1 and later for types without a storage class: _rebuild_tensor_v3."""
    class Storage:
        pass

    def rebuild():
        pass
    Storage.__module__, Storage.__qualname__ = "torch.storage", "UntypedStorage"
    rebuild.__module__, rebuild.__qualname__ = "torch._utils", "_rebuild_tensor_v3"
    torch.storage.UntypedStorage, torch._utils._rebuild_tensor_v3 = Storage, rebuild
    values = torch.tensor([[1, 2, 3], [4, 5, 6]], dtype=torch.int16)

    class Pickler(pickle.Pickler):
        def persistent_id(self, value):
            if isinstance(value, Storage):
                return "storage", Storage, "0", "cpu", 12
            return None

        def reducer_override(self, value):
            if torch.is_tensor(value):
                return rebuild, (Storage(), 0, (2, 3), (3, 1), False, collections.OrderedDict(),
                                 torch.int16)
            return NotImplemented
    data = io.BytesIO()
    Pickler(data, 2).dump({"t": values})
    with zipfile.ZipFile(path("untyped.zip.pth"), "w") as file:
        for name, content in (("a/data.pkl", data.getvalue()), ("a/byteorder", b"little"),
                              ("a/data/0", values.numpy().tobytes()), ("a/version", b"3\n")):
            file.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content)
    expected["untyped.zip.pth"] = describe([("t", values)])


def refused(network):
    """Files that are no checkpoints, or worse."""
    class Evil:
        def __reduce__(self):
            return os.system, ("touch /tmp/seesay_pickle_was_run",)
    value = {"weight": torch.ones(2), "evil": Evil()}
    both("malicious", value, [("weight", torch.ones(2))])
    torch.jit.script(torch.nn.Linear(2, 2)).save(path("torchscript.pt"))
    with tarfile.open(path("ancient.tar.pth"), "w", format=tarfile.USTAR_FORMAT) as file:
        for name in ("storages", "tensors", "pickle"):
            file.addfile(tarfile.TarInfo(name), io.BytesIO())
    os.truncate(path("ancient.tar.pth"), 1536)
    torch.save({"z": torch.ones(2, dtype=torch.complex64)}, path("complex.zip.pth"))


if __name__ == "__main__":
    main()
