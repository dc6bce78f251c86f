"""Compares the identifier tables with Python's own, code point by code point.

    python3 xid_compare.py path/to/device_map_xid_dump
    1114112 code points agree (Unicode 14.0.0 and newer: 0 unassigned then)

Code points that were unassigned when the tables were made and have been assigned since are counted
and not compared, so that a newer Python does not fail the test.
"""

import subprocess
import sys
import unicodedata

# The version in the head of xid_ranges.inc.
TABLE_AGE = (14, 0, 0)


def main() -> int:
    answers = subprocess.run([sys.argv[1]], check=True, capture_output=True).stdout.decode()
    if len(answers) != 0x110000:
        print(f"have {len(answers)} answers, want {0x110000}")
        return 1
    newer = tuple(map(int, unicodedata.unidata_version.split("."))) > TABLE_AGE
    wrong, unassigned_then = [], 0
    for code_point, have in enumerate(answers):
        text = chr(code_point)
        # '_' starts an identifier in Python, and is no XID_Start.
        start = text.isidentifier() and text != "_"
        go_on = ("a" + text).isidentifier()
        want = str(int(start) + 2 * int(go_on))
        if have == want:
            continue
        if newer and have == "0":
            unassigned_then += 1
            continue
        wrong.append(f"U+{code_point:04X}: have {have}, want {want}")
    for line in wrong[:20]:
        print(line)
    agreed = len(answers) - len(wrong) - unassigned_then
    print(
        f"{agreed} code points agree (Unicode 14.0.0 and newer: {unassigned_then} unassigned then)"
    )
    return 1 if wrong or unassigned_then > 20000 else 0


if __name__ == "__main__":
    sys.exit(main())
