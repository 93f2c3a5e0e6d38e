"""read_model.py MODEL [MODEL] [--print | --expect-different]: a model file read with nothing but numpy and json."""
import json
import sys

import numpy as np

TYPES = {"F32": "<f4", "F64": "<f8", "I64": "<i8", "U64": "<u8", "U8": "u1"}


def read(path):
    """(metadata, {name: array}); AssertionError if the file is not exactly as the format says."""
    with open(path, "rb") as file:
        data = file.read()
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    body = data[8 + length :]
    arrays, covered = {}, 0
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        begin, end = entry["data_offsets"]
        assert begin == covered, name
        covered = end
        arrays[name] = np.frombuffer(body[begin:end], TYPES[entry["dtype"]]).reshape(entry["shape"])
    assert covered == len(body)
    assert metadata["format"] == "riemflow-model"
    assert json.loads(metadata["config"])["divergence"]["estimator"] == "exact"
    settings = json.loads(metadata["provenance"])["settings"]
    assert settings["seed"] == metadata["seed"]
    assert len(metadata["data_sha256"]) == 64
    for name, array in arrays.items():
        assert name.startswith("state.") or np.isfinite(array).all(), name
    return metadata, arrays


def main():
    paths = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    models = [read(path) for path in paths]
    if "--print" in sys.argv:
        for name, array in models[0][1].items():
            print(name, array.dtype, array.shape)
    if "--expect-different" in sys.argv:
        # Not by their metadata, which names the settings: by the parameters.
        first, second = (
            b"".join(a.tobytes() for name, a in sorted(arrays.items()) if not name.startswith("state."))
            for _, arrays in models
        )
        sys.exit(1 if first == second else 0)


if __name__ == "__main__":
    main()
