"""Makes real AOTInductor blobs with the torch of the interpreter that runs this, for the suite's BLOB clauses.

    $(conformance/candidates/fetch-python 2.15.0) conformance/blobs/make_real_blobs.py OUTPUT_FOLDER [--only NAME]...

For each model: OUTPUT_FOLDER/NAME/model.pt2, inputs.npz, expect.npz (eager outputs) and model.json (which traits the
model is here for, and the outputs' dtypes and strides). A model that is there already is not made again. Blobs are
built for the processor they are made on, so OUTPUT_FOLDER is a cache and never travels.

In the .npz files member NAME.npy is input_0, input_1, ... or output_0, ...; a dtype that numpy lacks is stored as the
integer of its width and named in the member, as in output_0.bfloat16.npy.
"""

import argparse
import json
import pathlib
import shutil
import sys
import tempfile

import numpy
import torch


class Model(torch.nn.Module):
    """A function with example inputs; `traits` says why it is in the set."""

    def __init__(self, function, inputs, traits, dynamic=None, constants=None):
        super().__init__()
        self.function = function
        self.inputs = inputs
        self.traits = traits
        self.dynamic = dynamic
        for name, value in (constants or {}).items():
            self.register_buffer(name, value)

    def forward(self, *inputs):
        return self.function(self, *inputs)


def iota(*sizes, dtype=torch.float32):
    count = 1
    for size in sizes:
        count *= size
    return (torch.arange(count) % 61 - 30).to(dtype).reshape(sizes) / (1 if not dtype.is_floating_point else 8)


def add_in_slice(self, x):
    x[2:5].add_(1)
    return x * 2


def two_and_the_input(self, x):
    y = x + 1
    return y, y, x


def models():
    """Name to model, each made anew: a model may change its inputs."""
    return {
        "pointwise": Model(lambda self, x, y: torch.relu(x * 2 + y), (iota(8, 4), iota(8, 4)), ["pointwise"]),
        "reduction": Model(lambda self, x: (x.sum(dim=1), x.amax(dim=0)), (iota(8, 16),), ["reduction"]),
        "scalar_output": Model(lambda self, x: x.sum(), (iota(5, 7),), ["scalar"]),
        "view_of_view": Model(
            lambda self, x: (x * 2)[1:].t()[2:].unsqueeze(0), (iota(6, 8),), ["offset", "permuted"]),
        "transpose_output": Model(lambda self, x: (x + 1).transpose(0, 2), (iota(2, 3, 4),), ["permuted"]),
        "slice_output": Model(lambda self, x: (x * 3)[3:7], (iota(9, 5),), ["offset"]),
        "sliced_inputs": Model(
            lambda self, x, y: x[2:6].t() * y[:, 1:5], (iota(8, 4), iota(4, 8)), ["offset", "permuted"]),
        "concat": Model(lambda self, x, y: torch.cat([x, y * 2], dim=1), (iota(4, 3), iota(4, 5)), ["concat"]),
        "in_place_slice": Model(add_in_slice, (iota(8, 4),), ["offset", "mutation"]),
        "bfloat16": Model(lambda self, x: (x * 2 + 1, x.t()), (iota(6, 8, dtype=torch.bfloat16),), ["bfloat16"]),
        "half": Model(lambda self, x: (x * 2).t(), (iota(6, 8, dtype=torch.float16),), ["half", "permuted"]),
        "integers": Model(
            lambda self, x, y: (x + y.to(torch.int64), y * 3),
            (iota(5, 6, dtype=torch.int64), iota(5, 6, dtype=torch.int32)), ["integers"]),
        "bool_output": Model(lambda self, x: x > 0, (iota(4, 8),), ["bool"]),
        "dynamic_shapes": Model(
            lambda self, x: (x * 2)[1:].t(), (iota(8, 4),), ["dynamic", "offset", "permuted"],
            dynamic={"inputs": ({0: torch.export.Dim("rows", min=2, max=64)},)}),
        "constants": Model(
            lambda self, x: (x * self.scale + self.shift, self.scale), (iota(4, 6),), ["constants"],
            constants={"scale": iota(6) + 1, "shift": torch.tensor(0.5)}),
        "aliased_outputs": Model(two_and_the_input, (iota(4, 4),), ["aliasing"]),
        "linear": Model(
            lambda self, x: torch.nn.functional.linear(x, self.weight, self.bias), (iota(3, 8),), ["unbindable"],
            constants={"weight": iota(5, 8), "bias": iota(5)}),
    }


def save_tensors(path, prefix, tensors):
    """An .npz whose members keep dtypes that numpy lacks under the integer of their width."""
    members = {}
    for index, tensor in enumerate(tensors):
        name = f"{prefix}_{index}"
        tensor = tensor.detach().clone().contiguous()
        if tensor.dtype == torch.bfloat16:
            name, tensor = f"{name}.bfloat16", tensor.view(torch.uint16)
        members[name] = tensor.numpy()
    numpy.savez(path, **members)


def make(name, folder):
    model = models()[name]
    inputs = tuple(tensor.clone() for tensor in model.inputs)
    eager = model(*(tensor.clone() for tensor in inputs))
    outputs = eager if isinstance(eager, tuple) else (eager,)
    program = torch.export.export(model, inputs, dynamic_shapes=model.dynamic)
    torch._inductor.aoti_compile_and_package(
        program, package_path=str(folder / "model.pt2"), inductor_configs={"aot_inductor.link_libtorch": False})
    save_tensors(folder / "inputs.npz", "input", inputs)
    save_tensors(folder / "expect.npz", "output", outputs)
    about = {
        "name": name,
        "traits": model.traits,
        "torch": torch.__version__,
        "outputs": [{"dtype": str(t.dtype).split(".")[1], "sizes": list(t.shape), "strides": list(t.stride())}
                    for t in outputs],
    }
    (folder / "model.json").write_text(json.dumps(about, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--only", action="append", choices=sorted(models()), help="this model alone; may be repeated")
    arguments = parser.parse_args()
    arguments.output.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in arguments.only or sorted(models()):
        target = arguments.output / name
        if target.is_dir():
            print(f"{name}: there already")
            continue
        # Made beside its place and moved there when whole, so that a broken-off run leaves no half-made model.
        part = pathlib.Path(tempfile.mkdtemp(dir=arguments.output, prefix=f".{name}-"))
        try:
            make(name, part)
            part.chmod(0o755)
            part.rename(target)
            print(f"{name}: made", flush=True)
        except Exception as error:  # one model that cannot be compiled must not cost the others
            failed.append(name)
            print(f"{name}: {type(error).__name__}: {error}", file=sys.stderr)
            shutil.rmtree(part, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
