# SPDX-FileCopyrightText: 2026 The adamant authors
# SPDX-License-Identifier: Apache-2.0
"""read_files.py FOLDER: every file of expected.json is read by the safetensors package, with the tensors, the
bytes and the metadata that it says; a file for the C++ side is written."""
import ctypes
import json
import pathlib
import struct
import sys

import safetensors

folder = pathlib.Path(sys.argv[1])
expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
names = {path.name for path in folder.glob("*.safetensors")} - {"from_python.safetensors"}
assert names == set(expected), names ^ set(expected)
tensors = 0
for name, content in expected.items():
    data = (folder / name).read_bytes()
    read = {key: (view["dtype"], list(view["shape"]), bytes(view["data"]).hex())
            for key, view in safetensors.deserialize(data)}
    want = {key: (view["dtype"], view["shape"], view["data"]) for key, view in content["tensors"].items()}
    assert read == want, f"{name}: {[key for key in read.keys() | want.keys() if read.get(key) != want.get(key)]}"
    length, = struct.unpack("<Q", data[:8])
    metadata = json.loads(data[8:8 + length])["__metadata__"]
    for key, value in content["metadata"].items():
        assert metadata[key] == value, (name, key, metadata.get(key))
    tensors += len(read)
print(f"safetensors {safetensors.__version__} read {tensors} tensors of {len(expected)} files")

data = {"weight": ("float32", [2, 3], struct.pack("<6f", *range(6))),
        "bias": ("float16", [2], struct.pack("<2e", 1, -2))}
if hasattr(safetensors, "TensorSpec"):  # since 0.8
    kept = {name: ctypes.create_string_buffer(view[2], len(view[2])) for name, view in data.items()}
    views = {name: safetensors.TensorSpec(dtype=view[0], shape=view[1], data_ptr=ctypes.addressof(kept[name]),
                                          data_len=len(view[2])) for name, view in data.items()}
else:
    views = {name: {"dtype": view[0], "shape": view[1], "data": view[2]} for name, view in data.items()}
safetensors.serialize_file(views, str(folder / "from_python.safetensors"), {"format": "pt"})
