"""Writes, builds and runs the evidence: for each kind of finding of each clause the shortest program, beside a C++ program
that carries it and needs nothing of ours.

    evidence.py BUILD AOTI_CTS_CORPUS CORPUS EXECUTORCH       exit 1 when a finding does not show
"""
import json
import pathlib
import re
import subprocess
import sys

NOTE = re.compile(r"^(PARSE\.[a-z-]+): ([^,]+), (\d+) vectors?; shortest: (\S+) \((\d+) bytes\)$")
LOADS = "accepted though invalid"
OTHER_CODE = "wrong error code"
CODES = {"NotSupported": 0x10, "InvalidArgument": 0x12, "MemoryAllocationFailed": 0x21, "InvalidProgram": 0x23}


def write(folder, template, index, note, clauses):
    clause, kind, count, vector, size = note.groups()
    entry = index[vector]
    data = (folder.parent.parent / "export" / entry["file"]).read_bytes()
    rows = [data[i:i + 16] for i in range(0, len(data), 16)]
    text = template
    for key, value in {
            "FINDING": f"{clause}: {kind}", "CLAUSE": clause, "ABOUT": entry["about"], "SIZE": size,
            "SENTENCE": clauses[clause], "ID": entry["file"],
            "BYTES": "\n".join("    " + " ".join(f"0x{b:02x}," for b in row) for row in rows)}.items():
        text = text.replace(f"@{key}@", value)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / entry["file"]).write_bytes(data)
    (folder / "show.cpp").write_text(text)


def build(folder, wheel):
    include = wheel / "include"
    subprocess.run(
        ["g++", "-std=c++20", "-w", "-DC10_USING_CUSTOM_GENERATED_MACROS", f"-I{include}",
         f"-I{include}/executorch/runtime/core/portable_type/c10", "show.cpp", "-o", "show", f"-L{wheel}/lib",
         "-lexecutorch", f"-Wl,-rpath,{wheel}/lib"], cwd=folder, check=True)


def shows(folder, kind, answer):
    """Whether the program shows its finding, and how it ended. `answer`: what the contract wants of the program."""
    ended = subprocess.run(["./show"], cwd=folder, capture_output=True, text=True, timeout=60)
    (folder / "output.txt").write_text(ended.stdout + ended.stderr)
    how = f"signal {-ended.returncode}" if ended.returncode < 0 else f"exit {ended.returncode}"
    if kind == OTHER_CODE:
        have = re.search(r"error (0x[0-9a-f]+)$", ended.stdout, re.M)
        return have is not None and int(have[1], 16) != CODES[answer["error"]], f"{how}, {have[0] if have else 'no error'}"
    return (ended.returncode == 0 if kind == LOADS else ended.returncode < 0), how


def main():
    build_dir, tool, corpus, wheel = (pathlib.Path(a).resolve() for a in sys.argv[1:])
    here = pathlib.Path(__file__).resolve().parent
    report = json.loads((build_dir / "report.json").read_text())
    clauses = {r["clause"]: r["sentence"] for r in report["results"] if "sentence" in r}
    subprocess.run([tool, "export", corpus, build_dir / "export"], check=True)
    index = {v["id"]: v for v in json.loads((build_dir / "export" / "index.json").read_text())["vectors"]}
    template = (here / "show.cpp.in").read_text()
    hidden = []
    notes = [note for note in map(NOTE.match, report["notes"]) if note]
    for note in notes:
        kind = note.group(2)
        folder = build_dir / "evidence" / f"{note.group(1)}.{kind.replace(' ', '-').lower()}"
        write(folder, template, index, note, clauses)
        build(folder, wheel)
        shown, how = shows(folder, kind, index[note.group(4)]["expect"]["portable"])
        print(f"{'shown' if shown else 'NOT SHOWN':9} {note.group(1)}: {kind} ({note.group(3)} vectors), "
              f"{note.group(4)}: {how}")
        if not shown:
            hidden.append(folder.name)
    if hidden or not notes:
        sys.exit(f"not shown: {', '.join(hidden) or 'there is no finding at all'}")


main()
