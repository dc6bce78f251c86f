"""Compares two reports of `aoti-cts check --json` case by case, real device against virtual one.

    agree.py REAL.json VIRTUAL.json

prints each case whose verdicts differ and a last line with the counts. Cases that only the virtual
device can show, and such as need a kernel it does not run, are counted apart: neither is a difference.
Exit code 0 when nothing differs, else 1.
"""
import json
import sys


def cases(path):
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    return {
        (result["clause"], case["name"]): case
        for result in report["results"]
        for case in result["cases"]
        if not case["name"].startswith("seen_in_")
    }


def text(case):
    if case is None:
        return "absent"
    detail = case.get("detail") or ""
    failures = case.get("failures") or []
    if failures and case["verdict"] != "SKIP":
        detail = f"{failures[0]['what']}: have {failures[0]['have']}, want {failures[0]['want']}"
    return f"{case['verdict']} {detail}".strip()


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    real, virtual = cases(sys.argv[1]), cases(sys.argv[2])
    same = different = apart = 0
    for key in sorted(real.keys() | virtual.keys()):
        one, other = real.get(key), virtual.get(key)
        if one and other and one["verdict"] == other["verdict"]:
            same += 1
            continue
        reasons = text(one) + text(other)
        if "needs the virtual device" in reasons or "needs a kernel" in reasons:
            apart += 1
            continue
        different += 1
        print(f"{key[0]}/{key[1]}\n    real     {text(one)}\n    virtual  {text(other)}")
    print(f"{same} cases agree, {different} differ, {apart} can be judged on one of the two alone")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
