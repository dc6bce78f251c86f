#!/usr/bin/env python3
"""Reads the device mapping of the torch that this interpreter imports, and says as JSON what it
answers.

    python3 conformance/devmap/probe.py [--import MODULE]... [--cases FILE]

`--import` loads a backend's module first, so that what it registers is seen. `--cases` runs recipes
of corpus/devmap ({"corpus", "cases": [{"id", "steps"}]}, "-" for stdin). The output is what
`aoti-cts check --devmap FILE.json` reads.

Everything that looks up or registers happens in a forked child: the devices in one, every
throw-away case in one of its own, so that each starts from a registry that nobody has used, and
this process's registry is the one it imported. That it stayed so is checked and stands in the
output (`registry_unchanged`).

torch before the mapping moved into the overrides had a module-level table; then a lookup is what
the code generator did with it, its errors included. Exit code 1: no torch, or one without either;
the reason is on stderr.
"""

import argparse
import importlib
import json
import os
import platform
import signal
import sys
import types

CHILD_SECONDS = 120
BUILTIN = ("cpu", "cuda", "xpu", "mps", "meta", "tpu", "mtia")
FORM = "at::k"


def clean(text):
    """Text that JSON and UTF-8 can carry: lone surrogates as escapes."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def expand(text):
    """A text of a recipe: a string, or {"start", "repeat", "times"}."""
    if isinstance(text, str):
        return text
    return text.get("start", "") + text["repeat"] * text["times"]


class Mapping:
    """The installed torch's mapping, behind the few things that a case does with it."""

    def __init__(self):
        self.common = importlib.import_module("torch._inductor.codegen.common")
        self.utils = importlib.import_module("torch._inductor.codegen.cpp_utils")
        self.registry = self.common.device_op_overrides_dict
        self.function = getattr(self.utils, "device_to_aten", None)
        if self.function is None and not hasattr(self.utils, "DEVICE_TO_ATEN"):
            raise RuntimeError(
                "this torch has neither cpp_utils.device_to_aten nor cpp_utils.DEVICE_TO_ATEN"
            )
        self.registrations = {}

    @property
    def form(self):
        return "device_to_aten" if self.function else "DEVICE_TO_ATEN"

    def state(self):
        """What must not change: who is registered, and the table's rows."""
        rows = dict(getattr(self.utils, "DEVICE_TO_ATEN", {}))
        return {name: id(overrides) for name, overrides in self.registry.items()}, rows

    def generator(self):
        return importlib.import_module("torch._inductor.codegen.cpp_wrapper_cpu")

    def lookup(self, device):
        if self.function:
            return self.function(device)
        # What generating code for the device raises, and the row as the generator sees it: it may
        # have its own reference to the table.
        self.getter(device)
        return getattr(self.generator(), "DEVICE_TO_ATEN", self.utils.DEVICE_TO_ATEN)[device]

    def getter(self, device):
        """The getter that generated code calls for a device, from the generator's own method."""
        wrapper = types.SimpleNamespace(used_cached_devices=set(), used_cached_device_types=set())
        place = types.SimpleNamespace(type=device, index=0)
        text = self.generator().CppWrapperCpu.codegen_device(wrapper, place)
        return "aoti_torch_device_type_" + text.split(",")[0].removeprefix(
            "cached_torch_device_type_"
        )

    def assign_table(self, entries):
        for module in (self.utils, self.generator()):
            table = getattr(module, "DEVICE_TO_ATEN", None)
            if table is not None:
                table.update(entries)
            module.DEVICE_TO_ATEN = {**(table or {}), **entries}

    def count_registrations(self):
        """Counts from now on how often each device is registered."""
        original = self.common.register_device_op_overrides

        def counting(device, overrides):
            self.registrations[device] = self.registrations.get(device, 0) + 1
            return original(device, overrides)

        self.common.register_device_op_overrides = counting
        return original

    def initialisations(self):
        """How often the built-ins were registered: the most that any of them was."""
        return max((self.registrations.get(device, 0) for device in BUILTIN), default=0)


def make_class(mapping, spec):
    """A class of throw-away overrides, as a recipe describes it."""
    base = spec["base"]
    if isinstance(base, dict):
        bases = (make_class(mapping, base),)
    elif base == "foreign":
        bases = (object,)
    elif base == "CpuDeviceOpOverrides":
        module = importlib.import_module("torch._inductor.codegen.cpu_device_op_overrides")
        bases = (module.CpuDeviceOpOverrides,)
    elif base == "NoOpDeviceOpOverrides" and not hasattr(mapping.common, base):
        raise LookupError(f"this torch has no {base}")
    else:
        bases = (getattr(mapping.common, base),)
    methods = {}
    if "returns" in spec:
        value = value_of(spec["returns"])
        methods["aten_device_type"] = lambda self: value
    if "raises" in spec:

        def raising(self):
            raise RuntimeError(spec["raises"])

        methods["aten_device_type"] = raising
    return type(spec["class"], bases, methods)


def value_of(spec):
    kind, given = next(iter(spec.items()))
    if kind == "text":
        return expand(given)
    if kind == "bytes":
        return given.encode("utf-8")
    return None if kind == "none" else given


def asked(call):
    """The reply of a call that answers with text or raises."""
    try:
        answer = call()
    except BaseException as error:  # what a mapping raises is its own affair, SystemExit included
        return {"error": clean(str(error)), "type": type(error).__name__}
    if not isinstance(answer, str):
        return {"not_text": clean(repr(answer))}
    return {"answer": clean(answer)}


def run_step(mapping, register, step):
    """The reply of one step: done, answer, not_text, error with its type, count, or unsupported."""
    what = step["do"]
    if what == "register":
        try:
            overrides = make_class(mapping, step["overrides"])()
        except LookupError as error:
            return {"unsupported": str(error)}
        try:
            register(expand(step["device"]), overrides)
        except Exception as error:
            return {"error": clean(str(error)), "type": type(error).__name__}
        return {"done": True}
    if what == "lookup":
        return asked(lambda: mapping.lookup(expand(step["device"])))
    if what == "code":
        arguments = (0,) if step["operation"] in ("set_device", "device_guard") else ()
        device = expand(step["device"])
        return asked(
            lambda: getattr(mapping.common.get_device_op_overrides(device), step["operation"])(
                *arguments
            )
        )
    if what == "assign-table":
        mapping.assign_table(step["entries"])
        return {"done": True}
    if what == "initialisations":
        return {"count": mapping.initialisations()}
    return {"unsupported": f"this probe does not know the step {what!r}"}


def run_steps(mapping, steps):
    register = mapping.count_registrations()
    return [run_step(mapping, register, step) for step in steps]


def in_child(work):
    """Runs work() in a forked child and returns what it returns; or {"crash": why}."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(CHILD_SECONDS)
            os.close(read_end)
            with os.fdopen(write_end, "w", encoding="utf-8") as out:
                json.dump(work(), out)
            code = 0
        except BaseException as error:
            print(f"probe: {type(error).__name__}: {error}", file=sys.stderr)
        finally:
            os._exit(code)
    os.close(write_end)
    with os.fdopen(read_end, encoding="utf-8") as source:
        text = source.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        return {"crash": f"signal {os.WTERMSIG(status)}"}
    if os.WEXITSTATUS(status) != 0:
        return {"crash": "the probe's child failed, see stderr"}
    return json.loads(text)


def initialise(mapping):
    """Lets backends that register on first use do so; returns what went wrong."""
    asked(lambda: mapping.common.get_device_op_overrides("cpu"))
    hook = getattr(mapping.common, "init_backend_registration", None)
    reply = asked(hook) if hook is not None else {}
    return (
        [f"init_backend_registration raised {reply['type']}: {reply['error']}"]
        if "error" in reply
        else []
    )


def device_names(mapping):
    """Every device that the mapping may answer for, and notes."""
    notes = initialise(mapping)
    names = list(BUILTIN) + sorted(set(mapping.registry) - set(BUILTIN))
    names += sorted(set(getattr(mapping.utils, "DEVICE_TO_ATEN", {})) - set(names))
    private = importlib.import_module("torch")._C._get_privateuse1_backend_name()
    if private not in names and private != "privateuseone":
        names.append(private)
    return names, notes


def read_devices(mapping, names):
    """Each device's answer or error, its overrides' class, and the getter."""
    initialise(mapping)
    devices = {}
    for name in names:
        row = asked(lambda: mapping.lookup(name))
        overrides = mapping.registry.get(name)
        row["class"] = type(overrides).__name__ if overrides is not None else ""
        if "answer" in row:
            row["getter"] = asked(lambda: mapping.getter(name)).get("answer", "")
        devices[name] = row
    return devices


def reading(mapping):
    names = in_child(lambda: device_names(mapping))
    if isinstance(names, dict):
        raise RuntimeError(f"listing the devices ended with {names['crash']}")
    names, notes = names
    devices = in_child(lambda: read_devices(mapping, names))
    if "crash" in devices:
        # One of them kills the process: each in a child of its own then.
        devices = {}
        for name in names:
            row = in_child(lambda: read_devices(mapping, [name]))
            devices[name] = row.get(name) or {
                "error": f"the process ended with {row['crash']}",
                "type": "crash",
                "class": "",
            }
    return {"devices": devices, "notes": notes}


def bad_overrides():
    """Throw-away overrides of every bad kind, as steps."""

    def steps(**mapping_kind):
        overrides = {"class": "ThrowAwayOverrides", "base": "DeviceOpOverrides", **mapping_kind}
        return [
            {"do": "register", "device": "throwaway", "overrides": overrides},
            {"do": "lookup", "device": "throwaway"},
        ]

    texts = ("kCUDA", "at::k", "at::k9", "at::kFoo; bar")
    kinds = {f"returns {text!r}": steps(returns={"text": text}) for text in texts}
    kinds["does not implement the mapping"] = steps()
    kinds["returns None"] = steps(returns={"none": True})
    kinds["returns bytes"] = steps(returns={"bytes": "at::kCPU"})
    kinds["raises an exception"] = steps(raises="thrown away")
    return kinds


def probe(imports, cases):
    torch = importlib.import_module("torch")
    mapping = Mapping()
    mapping.generator()  # once here, and not in each child
    for name in imports:
        importlib.import_module(name)
    before = mapping.state()
    record = {
        "schema_version": 1,
        "kind": "device-map",
        "source": {
            "torch": torch.__version__,
            "python": platform.python_version(),
            "imports": imports,
            "mapping": mapping.form,
        },
        "table_exists": any(
            hasattr(module, "DEVICE_TO_ATEN") for module in (mapping.utils, mapping.generator())
        ),
    }
    record.update(reading(mapping))
    record["bad_overrides"] = {
        kind: last(in_child(lambda: run_steps(mapping, steps)))
        for kind, steps in bad_overrides().items()
    }
    record["cases"] = {
        case["id"]: in_child(lambda: run_steps(mapping, case["steps"])) for case in cases
    }
    record["registry_unchanged"] = mapping.state() == before
    return record


def last(replies):
    return replies if isinstance(replies, dict) else replies[-1]


def read_cases(path):
    """The recipes to run, and what tells one corpus from another."""
    if path is None:
        return {"cases": []}
    with sys.stdin if path == "-" else open(path, encoding="utf-8") as source:
        return json.load(source)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--import", dest="imports", action="append", default=[], metavar="MODULE")
    parser.add_argument("--cases", metavar="FILE")
    arguments = parser.parse_args()
    # Whatever torch or a backend prints goes to stderr: stdout is the record's.
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    try:
        given = read_cases(arguments.cases)
        record = probe(arguments.imports, given["cases"])
        if "corpus" in given:
            record["corpus"] = given["corpus"]
    except Exception as error:
        print(f"probe: {type(error).__name__}: {error}", file=sys.stderr)
        return 1
    json.dump(record, out, indent=1)
    out.write("\n")
    out.flush()
    return 0 if record["registry_unchanged"] else 1


if __name__ == "__main__":
    sys.exit(main())
