"""Makes real models twice from the C++ that torch emits: without a prefix and under executorch_.

    $(conformance/candidates/fetch-python 2.15.0) conformance/blobs/prefixed/make_prefixed_blobs.py OUTPUT_FOLDER

For each model of make_real_blobs.py that is named here: OUTPUT_FOLDER/NAME/plain.so, executorch_.so, inputs.npz and
expect.npz. One of them also as wrong.so, by an exporter that has a list of names and misses one. A model that is there
already is not made again.
"""

import pathlib
import shutil
import sys
import tempfile
import zipfile

import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import export_prefixed as exporter
import make_real_blobs as real

NAMES = ("view_of_view", "constants", "in_place_slice")
PREFIX = "executorch_"
FORGOTTEN = "aoti_torch_get_storage_offset"  # which every model calls


def emit(model, folder):
    """The unpacked C++ package of a model, and its tensors beside it."""
    inputs = tuple(tensor.clone() for tensor in model.inputs)
    eager = model(*(tensor.clone() for tensor in inputs))
    torch.export.save(torch.export.export(model, inputs, dynamic_shapes=model.dynamic), folder / "program.pt2")
    package = folder / "package"
    package.mkdir()
    archive = exporter.compile_program(folder / "program.pt2", package / "model.pt2", {"aot_inductor.package_cpp_only": True})
    with zipfile.ZipFile(archive) as members:
        members.extractall(package)
    real.save_tensors(folder / "inputs.npz", "input", inputs)
    real.save_tensors(folder / "expect.npz", "output", eager if isinstance(eager, tuple) else (eager,))
    return package


def build_wrong(package, output):
    whole = exporter.is_shim
    exporter.is_shim = lambda name: whole(name) and name != FORGOTTEN
    try:
        exporter.build(package, output, PREFIX)
        exporter.check_imports(output, PREFIX)
        sys.exit(f"{output}: check_imports() does not see {FORGOTTEN}")
    except exporter.ExportError as error:
        print(f"a list that misses one name: {error}")
    finally:
        exporter.is_shim = whole


def make(name, folder):
    package = emit(real.models()[name], folder)
    exporter.build(package, folder / "plain.so", "")
    names = exporter.build(package, folder / f"{PREFIX}.so", PREFIX)
    exporter.check_imports(folder / f"{PREFIX}.so", PREFIX)
    if name == NAMES[0]:
        build_wrong(package, folder / "wrong.so")
    shutil.rmtree(package)
    print(f"{name}: made, {len(names)} names under {PREFIX}", flush=True)


def main(output):
    output.mkdir(parents=True, exist_ok=True)
    for name in NAMES:
        if (output / name).is_dir():
            print(f"{name}: there already")
            continue
        part = pathlib.Path(tempfile.mkdtemp(dir=output, prefix=f".{name}-"))
        try:
            make(name, part)
            part.chmod(0o755)
            part.rename(output / name)
        finally:
            shutil.rmtree(part, ignore_errors=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: make_prefixed_blobs.py OUTPUT_FOLDER")
    main(pathlib.Path(sys.argv[1]))
