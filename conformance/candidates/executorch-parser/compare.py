"""Compares what the reference and a candidate read off one program: the same error code, or the same tensors wherever the
candidate names one.

    compare.py PROGRAM REFERENCE.json CANDIDATE.json      exit 0 and one line, or the differences
"""
import json
import sys

SCALAR_TYPES = {"BYTE": 0, "CHAR": 1, "SHORT": 2, "INT": 3, "LONG": 4, "HALF": 5, "FLOAT": 6, "DOUBLE": 7, "BOOL": 11}


def main():
    program, reference, candidate = sys.argv[1:]
    name = program.rsplit("/", 1)[-1]
    have, want = json.load(open(candidate)), json.load(open(reference))
    if "error" in want or "error" in have:
        codes = [side.get("error", {}).get("code") for side in (have, want)]
        if codes[0] != codes[1]:
            sys.exit(f"{name}: the candidate's error is {codes[0]}, the reference's {codes[1]}")
        print(f"{name}: both refuse it with {codes[0]:#x}")
        return
    if not have["tensors"]:
        sys.exit(f"{name}: the candidate names no tensor")
    for tensor in have["tensors"]:
        method = want["methods"][tensor["method"]]
        if "value" in tensor:
            index = tensor["value"]
        else:
            kind = "input" if "input" in tensor else "output"
            index = method[kind + "s"][tensor[kind]]
        same = [t for t in method["tensors"] if t["value"] == index]
        if not same:
            sys.exit(f"{name}: the reference has no tensor at value {index}")
        mine = same[0]
        ours = (SCALAR_TYPES[mine["scalar_type"]], mine["sizes"], mine["strides"], mine["device"])
        theirs = (tensor["scalar_type"], tensor["sizes"], tensor["strides"], tensor["device"])
        if ours != theirs:
            sys.exit(f"{name}: value {index}: the candidate says {theirs}, the reference {ours}")
    print(f"{name}: the same {len(have['tensors'])} input and output tensors")


main()
