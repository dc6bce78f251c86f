#!/usr/bin/env python3
"""Checks the recipes of corpus/devmap: closed schema, labels, clauses, one defect per case.

    python3 corpus/devmap/lint.py
        prints the counts; a fault is a line "FILE: what is wrong", and then the exit code is 1
    python3 corpus/devmap/lint.py --self-test
        breaks good recipes in every way that the linter knows, and wants each one found

It uses the standard library alone. Of JSON Schema it understands the words that schema.json uses
and refuses others, so that a rule in the schema is never skipped without a word.
"""

import copy
import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
CLAUSES = HERE.parent.parent / "conformance" / "clauses.def"
# Judged over the mapping's own devices and a runtime's exports: no recipe can hold it.
WITHOUT_RECIPES = {"MAP.token-exported"}
LEAST_PER_CLAUSE = 2
KNOWN_WORDS = {
    "$schema",
    "$ref",
    "title",
    "description",
    "definitions",
    "type",
    "additionalProperties",
    "required",
    "properties",
    "enum",
    "pattern",
    "items",
    "minItems",
    "oneOf",
}
TYPES = {"object": dict, "array": list, "string": str, "integer": int}


def schema_faults(value, schema, root, path):
    """Yields a text for each way in which value breaks schema."""
    unknown = set(schema) - KNOWN_WORDS
    if unknown:
        raise ValueError(
            f"schema.json uses {sorted(unknown)}, which this linter does not understand"
        )
    if "$ref" in schema:
        yield from schema_faults(
            value, root["definitions"][schema["$ref"].split("/")[-1]], root, path
        )
        return
    if "oneOf" in schema:
        tries = [list(schema_faults(value, option, root, path)) for option in schema["oneOf"]]
        if sum(not faults for faults in tries) != 1:
            nearest = min(tries, key=len)
            why = "; ".join(nearest) or "several fit"
            yield f"{path}: fits none of the {len(tries)} forms; nearest: {why}"
        return
    if "enum" in schema and not any(
        value == one and type(value) is type(one) for one in schema["enum"]
    ):
        yield f"{path}: {value!r} is none of {schema['enum']}"
        return
    wanted = TYPES.get(schema.get("type"), object)
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        yield f"{path}: {value!r} is no {schema['type']}"
        return
    if "pattern" in schema and not re.search(schema["pattern"], value, re.DOTALL):
        yield f"{path}: {value!r} does not match {schema['pattern']}"
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            yield f"{path}: has {len(value)} items, at least {schema['minItems']} are needed"
        for index, item in enumerate(value):
            yield from schema_faults(item, schema.get("items", {}), root, f"{path}[{index}]")
    if isinstance(value, dict):
        yield from object_faults(value, schema, root, path)


def object_faults(value, schema, root, path):
    for key in schema.get("required", []):
        if key not in value:
            yield f"{path}: {key} is missing"
    others = schema.get("additionalProperties", True)
    for key, item in value.items():
        if key in schema.get("properties", {}):
            yield from schema_faults(item, schema["properties"][key], root, f"{path}.{key}")
        elif others is False:
            yield f"{path}: unknown key {key!r}"
        elif isinstance(others, dict):
            yield from schema_faults(item, others, root, f"{path}.{key}")


def read_clauses(text):
    """Ids and levels of section MAP, out of the clause table."""
    rows = re.findall(r"^AOTI_CLAUSE\(\w+, MAP, (\w+), (\w+),", text, re.MULTILINE)
    return {"MAP." + name.replace("_", "-"): level for name, level in rows}


def bad_overrides(overrides):
    """Whether these overrides are a defect by themselves: no mapping, a raised error, or an answer
    that is no at::k text."""
    if "returns" in overrides:
        answer = overrides["returns"].get("text")
        if isinstance(answer, dict):
            answer = answer.get("start", "") + answer["repeat"]
        return answer is None or re.fullmatch(r"at::k[^\W\d]\w*", answer) is None
    if "raises" in overrides or isinstance(overrides["base"], str):
        return "raises" in overrides or overrides["base"] != "CpuDeviceOpOverrides"
    return bad_overrides(overrides["base"])


def meaning_faults(recipe, clauses, labels):
    """Yields what a closed schema cannot say."""
    level = clauses.get(recipe["clause"])
    if level is None:
        yield f"clause {recipe['clause']} is not in conformance/clauses.def"
    elif (recipe["result"] == "acceptable") != (level == "MAY"):
        yield (
            f"result {recipe['result']} for the {level} clause {recipe['clause']}: "
            "acceptable goes with MAY, and only there"
        )
    for flag in recipe["flags"]:
        if flag not in labels:
            yield f"flag {flag} is not defined in labels.json"
    if recipe["flags"] != sorted(set(recipe["flags"])):
        yield "flags are not sorted, or one stands twice"
    wants = [next(iter(step["want"])) for step in recipe["steps"] if "want" in step]
    errors = sum(want in ("error", "fails") for want in wants)
    last = next(iter(recipe["steps"][-1].get("want", {"none": 0})))
    expected = {
        "valid": ("answer", "any-answer", "at-most"),
        "invalid": ("error", "fails"),
        "acceptable": ("either",),
    }
    if last not in expected[recipe["result"]]:
        yield f"result {recipe['result']}, and the last step wants {last}"
    if recipe["result"] != "invalid" and errors:
        yield f"result {recipe['result']}, and a step wants an error"
    if recipe["result"] == "invalid":
        bad = sum(
            "overrides" in step and bad_overrides(step["overrides"]) for step in recipe["steps"]
        )
        if errors != 1 or bad > 1:
            yield (
                f"an invalid case has one defect; this one wants {errors} errors "
                f"and registers {bad} bad overrides"
            )
    for step in recipe["steps"]:
        if "overrides" in step and {"returns", "raises"} <= set(step["overrides"]):
            yield "overrides have both returns and raises"


def name_faults(name):
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        yield "the file name is not lower-case words with hyphens"


def set_faults(recipes, clauses, labels):
    """Yields (file, fault) for what only the whole set shows."""
    used = {flag for recipe in recipes.values() for flag in recipe["flags"]}
    for label in sorted(set(labels) - used):
        yield "labels.json", f"label {label} is used by no recipe"
    for label, row in labels.items():
        if sorted(row) != ["effect", "kind"] or not all(
            isinstance(text, str) and text for text in row.values()
        ):
            yield "labels.json", f"label {label} needs kind and effect, and nothing else"
    for clause in sorted(set(clauses) - WITHOUT_RECIPES):
        count = sum(recipe["clause"] == clause for recipe in recipes.values())
        if count < LEAST_PER_CLAUSE:
            fault = f"{clause} has {count} recipes, at least {LEAST_PER_CLAUSE} are needed"
            yield "clauses.def", fault
    seen = {}
    for name, recipe in recipes.items():
        steps = json.dumps(recipe["steps"], sort_keys=True)
        if steps in seen:
            yield name, f"does the same as {seen[steps]}"
        seen[steps] = name


def lint(texts, schema, labels, clauses):
    """Checks {name: JSON text}; returns a list of (file, fault)."""
    faults, recipes = [], {}
    for name, text in texts.items():
        try:
            recipe = json.loads(text, object_pairs_hook=no_duplicates)
        except ValueError as error:
            faults.append((name, f"is no JSON: {error}"))
            continue
        if text != json.dumps(recipe, indent=2) + "\n":
            faults.append((name, "is not written as json.dumps(recipe, indent=2) writes it"))
        broken = list(schema_faults(recipe, schema, schema, "recipe"))
        faults += [(name, fault) for fault in list(name_faults(name)) + broken]
        if not broken:
            faults += [(name, fault) for fault in meaning_faults(recipe, clauses, labels)]
            recipes[name] = recipe
    return faults + list(set_faults(recipes, clauses, labels))


def no_duplicates(pairs):
    keys = [key for key, _ in pairs]
    if len(keys) != len(set(keys)):
        raise ValueError(f"a key stands twice among {keys}")
    return dict(pairs)


def read_all():
    texts = {
        path.stem: path.read_text(encoding="utf-8")
        for path in sorted((HERE / "cases").glob("*.json"))
    }
    return (
        texts,
        json.loads((HERE / "schema.json").read_text()),
        json.loads((HERE / "labels.json").read_text()),
        read_clauses(CLAUSES.read_text()),
    )


def breakages(recipe):
    """Yields (what is broken, name, recipe text) from the good recipe answer-none."""

    def edited(edit, name="answer-none"):
        copied = copy.deepcopy(recipe)
        edit(copied)
        return name, json.dumps(copied, indent=2) + "\n"

    yield "unknown key", *edited(lambda r: r.update(extra=1))
    yield "missing key", *edited(lambda r: r.pop("source"))
    yield "unknown clause", *edited(lambda r: r.update(clause="MAP.nothing"))
    yield "undefined flag", *edited(lambda r: r.update(flags=["Undefined"]))
    yield "unsorted flags", *edited(lambda r: r["flags"].reverse())
    yield "flag twice", *edited(lambda r: r["flags"].append("OutOfTree"))
    yield "unknown result", *edited(lambda r: r.update(result="maybe"))
    yield "acceptable without a MAY clause", *edited(
        lambda r: (r.update(result="acceptable"), r["steps"][1].update(want={"either": True}))
    )
    yield "unknown source", *edited(lambda r: r.update(source="somewhere"))
    yield "no steps", *edited(lambda r: r.update(steps=[]))
    yield "unknown step", *edited(lambda r: r["steps"][0].update(do="forget"))
    yield "step without its want", *edited(lambda r: r["steps"][1].pop("want"))
    yield "unknown want", *edited(lambda r: r["steps"][1].update(want={"anything": True}))
    yield "error that shows nothing", *edited(lambda r: r["steps"][1].update(want={"error": []}))
    yield "two answers in one value", *edited(
        lambda r: r["steps"][0]["overrides"]["returns"].update(integer=1)
    )
    yield "true for an integer", *edited(
        lambda r: r["steps"][0]["overrides"].update(returns={"integer": True})
    )
    yield "returns and raises", *edited(lambda r: r["steps"][0]["overrides"].update(raises="text"))
    yield "valid that wants an error", *edited(lambda r: r.update(result="valid"))
    yield "invalid that wants an answer", *edited(
        lambda r: r["steps"][1].update(want={"answer": "at::kCPU"})
    )
    yield "two defects", *edited(
        lambda r: r["steps"].insert(0, dict(copy.deepcopy(r["steps"][0]), device="gaudi"))
    )
    yield "two errors", *edited(lambda r: r["steps"].append(copy.deepcopy(r["steps"][1])))
    yield "the same as another", *edited(lambda r: None, "answer-nothing")
    yield "bad file name", *edited(lambda r: r["steps"][0].update(device="x"), "Answer_none")
    yield "other formatting", "answer-none", json.dumps(recipe) + "\n"
    yield "no JSON", "answer-none", "{"
    yield "key twice", "answer-none", '{"clause": 1, "clause": 1}'


def self_test():
    texts, schema, labels, clauses = read_all()
    recipe = json.loads(texts["answer-none"])
    missed, count = [], 0
    for what, name, text in breakages(recipe):
        count += 1
        if not lint({**texts, name: text}, schema, labels, clauses):
            missed.append(what)
    for what, faults in [
        (
            "unused label",
            lint(texts, schema, {**labels, "Unused": {"kind": "k", "effect": "e"}}, clauses),
        ),
        ("label without effect", lint(texts, schema, {**labels, "Meta": {"kind": "k"}}, clauses)),
        ("clause without recipes", lint(texts, schema, labels, {**clauses, "MAP.new": "MUST"})),
    ]:
        count += 1
        if not faults:
            missed.append(what)
    for what in missed:
        print(f"not found: {what}")
    print(f"{count - len(missed)} of {count} broken recipes found")
    return 1 if missed else 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:]:
        print(__doc__, file=sys.stderr)
        return 2
    texts, schema, labels, clauses = read_all()
    faults = lint(texts, schema, labels, clauses)
    for name, fault in faults:
        print(f"{name}: {fault}")
    by_result = {}
    for text in texts.values():
        result = json.loads(text)["result"] if not faults else "unchecked"
        by_result[result] = by_result.get(result, 0) + 1
    print(f"{len(texts)} recipes, {len(labels)} labels, {by_result}, {len(faults)} faults")
    return 1 if faults or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
