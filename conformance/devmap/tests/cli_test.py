"""Device mappings through the command: plug-ins in C, files, and stand-ins for torch.

python3 conformance/devmap/tests/cli_test.py path/to/aoti-cts path/to/plugins        OK
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TOOL = PLUGINS = ""


def run(*arguments, standin=None):
    environment = dict(os.environ)
    if standin:
        environment["PYTHONPATH"] = os.pathsep.join([str(HERE / standin), str(HERE)])
    return subprocess.run([TOOL, *arguments], text=True, capture_output=True, env=environment)


class Cases(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def written(self, devices, **more):
        path = self.path("mapping.json")
        pathlib.Path(path).write_text(
            json.dumps({"schema_version": 1, "kind": "device-map", "devices": devices, **more})
        )
        return path

    def check(self, *arguments, standin=None, wanted):
        """Runs check and returns {clause: verdict} of section MAP, and the report."""
        report = self.path("report.json")
        done = run("check", "--json", report, *arguments, standin=standin)
        self.assertEqual(done.returncode, wanted, done.stdout + done.stderr)
        parsed = json.loads(pathlib.Path(report).read_text())
        return {
            row["clause"]: row["verdict"]
            for row in parsed["results"]
            if row["clause"].startswith("MAP.")
        }, parsed

    def failed(self, verdicts):
        return {
            clause
            for clause, verdict in verdicts.items()
            if verdict not in ("PASS", "INFO", "SKIP")
        }

    def details(self, report, clause):
        return " ".join(
            str(case.get("detail")) + json.dumps(case.get("failures", case))
            for row in report["results"]
            if row["clause"] == clause
            for case in row["cases"]
        )


class Plugin(Cases):
    def plugin(self, name):
        return os.path.join(PLUGINS, f"{name}.so")

    def test_minimal_conforms(self):
        verdicts, _ = self.check("--devmap", self.plugin("minimal"), "--strict", wanted=0)
        self.assertEqual(self.failed(verdicts), set())
        # What it leaves out is skipped, and said so.
        self.assertEqual(
            {clause for clause, verdict in verdicts.items() if verdict == "SKIP"},
            {"MAP.noop-kept", "MAP.lazy", "MAP.invalid", "MAP.token-exported"},
        )

    def test_an_older_interface(self):
        verdicts, _ = self.check("--devmap", self.plugin("short_hook"), wanted=0)
        self.assertEqual(verdicts["MAP.builtin"], "PASS")

    def test_crash_is_one_verdict(self):
        verdicts, report = self.check(
            "--devmap", self.plugin("crashes"), "--select", "MAP.b*", wanted=5
        )
        self.assertEqual(verdicts, {"MAP.builtin": "CRASH"})
        self.assertIn("SIGABRT", self.details(report, "MAP.builtin"))

    def test_hang_is_one_verdict(self):
        verdicts, _ = self.check(
            "--devmap",
            self.plugin("hangs"),
            "--timeout",
            "0.3",
            "--select",
            "MAP.builtin/*c*u*",
            wanted=5,
        )
        self.assertEqual(verdicts, {"MAP.builtin": "TIMEOUT"})

    def test_unknown_code(self):
        verdicts, report = self.check(
            "--devmap", self.plugin("unknown_code"), "--select", "MAP.b*", wanted=1
        )
        self.assertEqual(verdicts, {"MAP.builtin": "FAIL"})
        self.assertIn("lookup returned 9, known are 0 to 2", self.details(report, "MAP.builtin"))

    def test_unusable_ones_say_why(self):
        for name, text in {
            "shorter_hook": "struct_size of the hook",
            "null_lookup": "create, destroy, add and lookup are needed",
            "other_version": "does not serve version 1",
            "no_export": "exports no aoti_plugin_device_map",
        }.items():
            with self.subTest(name):
                verdicts, report = self.check(
                    "--devmap", self.plugin(name), "--select", "MAP.meta", wanted=1
                )
                self.assertEqual(verdicts, {"MAP.meta": "FAIL"})
                self.assertIn(text, self.details(report, "MAP.meta"))
                done = run("devmap", "--devmap", self.plugin(name))
                self.assertEqual(done.returncode, 3)
                self.assertIn(text, done.stderr)

    def test_crash_of_the_table(self):
        done = run("devmap", "--devmap", self.plugin("minimal"))
        self.assertEqual(done.returncode, 3)
        self.assertIn("the plug-in has no devices()", done.stderr)


GOOD = {
    "cpu": {"answer": "at::kCPU"},
    "cuda": {"answer": "at::kCUDA"},
    "xpu": {"answer": "at::kXPU"},
    "mps": {"answer": "at::kMPS"},
    "meta": {"answer": "at::kMeta"},
    "tpu": {"error": "no device type for tpu"},
    "mtia": {"error": "no device type for mtia"},
}


class File(Cases):
    def test_good(self):
        verdicts, _ = self.check("--devmap", self.written(GOOD), wanted=0)
        self.assertEqual(self.failed(verdicts), set())
        self.assertEqual(verdicts["MAP.token-exported"], "PASS")
        # Nothing can be registered in a file.
        self.assertEqual(verdicts["MAP.missing"], "SKIP")

    def test_faults(self):
        for change, clause in [
            ({"xpu": {"answer": "at::kMPS"}}, "MAP.builtin"),
            ({"meta": {"error": "none"}}, "MAP.meta"),
            ({"tpu": {"answer": "at::kCPU"}}, "MAP.unsupported"),
            ({"npu": {"answer": "kPrivateUse1"}}, "MAP.invalid"),
            ({"npu": {"answer": "at::k9"}}, "MAP.invalid"),
            ({"npu": {"not_text": "None"}}, "MAP.invalid"),
            ({"npu": {"answer": "at::kNpu"}}, "MAP.token-exported"),
            (
                {"npu": {"answer": "at::kCUDA", "getter": "aoti_torch_device_type_cpu"}},
                "MAP.token-exported",
            ),
        ]:
            with self.subTest(change):
                verdicts, _ = self.check("--devmap", self.written({**GOOD, **change}), wanted=1)
                self.assertEqual(self.failed(verdicts), {clause})

    def test_unreadable_ones_say_where(self):
        for text, words in [
            ("{", "parse error"),
            ('{"schema_version": 2}', "schema_version: is not 1"),
            ('{"schema_version": 1, "kind": "x"}', "kind: is no device-map"),
            ('{"schema_version": 1, "kind": "device-map"}', "devices: is no object"),
            ('{"schema_version": 1, "kind": "device-map", "devices": {}}', "devices: is empty"),
            (
                '{"schema_version": 1, "kind": "device-map", "devices": {"cpu": {}}}',
                "devices.cpu: needs exactly one",
            ),
            (
                '{"schema_version": 1, "kind": "device-map", "devices": {"cpu": {"answer": 1}}}',
                "answer: is no string",
            ),
            (
                '{"schema_version": 1, "kind": "device-map", "devices": {"cpu": {"anwser": ""}}}',
                "unknown key 'anwser'",
            ),
            (
                '{"schema_version": 1, "kind": "device-map", "devices": {"cpu": {"answer": ""}},'
                ' "corpus": "0",'
                ' "cases": {}}',
                "recorded over the corpus '0'",
            ),
        ]:
            with self.subTest(text):
                path = self.path("bad.json")
                pathlib.Path(path).write_text(text)
                done = run("check", "--devmap", path)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn(words, done.stderr)

    def test_usage(self):
        for arguments, words in [
            (("--devmap", "no/such.so"), "no/such.so: No such file"),
            (("--devmap", "no/such.json"), "cannot be read"),
            (
                ("--devmap", self.written(GOOD), "--import", "os"),
                "--import goes with --devmap torch",
            ),
            (("--devmap", self.written(GOOD), "--profile", "core"), "--devmap needs profile map"),
        ]:
            with self.subTest(arguments):
                done = run("check", *arguments)
                self.assertEqual(done.returncode, 2)
                self.assertIn(words, done.stderr)


class Torch(Cases):
    def test_function(self):
        verdicts, report = self.check(
            "--devmap",
            "torch",
            "--python",
            sys.executable,
            "--strict",
            standin="standin_function",
            wanted=0,
        )
        self.assertEqual(set(verdicts.values()), {"PASS", "INFO"})
        self.assertIn("torch 0.0.function", json.dumps(report["candidate"]))

    def test_table(self):
        verdicts, _ = self.check(
            "--devmap", "torch", "--python", sys.executable, standin="standin_table", wanted=1
        )
        self.assertEqual(
            self.failed(verdicts),
            {
                "MAP.builtin",
                "MAP.out-of-tree",
                "MAP.unregistered",
                "MAP.missing",
                "MAP.invalid",
                "MAP.noop-kept",
                "MAP.lazy",
                "MAP.explicit-kept",
                "MAP.raises",
            },
        )

    def test_backend(self):
        verdicts, report = self.check(
            "--devmap",
            "torch",
            "--python",
            sys.executable,
            "--import",
            "standin_backend",
            standin="standin_function",
            wanted=0,
        )
        self.assertEqual(verdicts["MAP.token-exported"], "PASS")
        self.assertIn("npu", self.details(report, "MAP.token-exported"))

    def test_record_is_read_again(self):
        record = self.path("record.json")
        done = run(
            "devmap",
            "--devmap",
            "torch",
            "--python",
            sys.executable,
            "--save",
            record,
            standin="standin_table",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("throw-away overrides", done.stdout)
        recorded, _ = self.check("--devmap", record, wanted=1)
        asked, _ = self.check(
            "--devmap", "torch", "--python", sys.executable, standin="standin_table", wanted=1
        )
        self.assertEqual(recorded, asked)

    def test_without_torch(self):
        done = run(
            "check",
            "--devmap",
            "torch",
            "--python",
            sys.executable,
            "--import",
            "nothing_of_the_kind",
            standin="standin_function",
        )
        self.assertEqual(done.returncode, 3)
        self.assertIn("nothing_of_the_kind", done.stderr)
        done = run("check", "--devmap", "torch", "--python", "/no/such/python")
        self.assertEqual(done.returncode, 3)
        self.assertIn("/no/such/python: No such file", done.stderr)


class Table(Cases):
    def test_reference(self):
        done = run("devmap", "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        table = json.loads(done.stdout)
        rows = {row["device"]: row for row in table["devices"]}
        self.assertEqual(rows["cuda"]["answer"], "at::kCUDA")
        self.assertEqual(rows["cuda"]["runtimes"], [1])
        self.assertEqual(rows["xpu"]["code"], 12)
        self.assertEqual(rows["xpu"]["runtimes"], [None])
        self.assertIn("does not implement", rows["tpu"]["error"])

    def test_runtime_that_is_none(self):
        done = run("devmap", "--runtime", os.path.join(PLUGINS, "no_export.so"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "cuda .* missing")
        done = run("devmap", "--runtime", __file__)
        self.assertEqual(done.returncode, 3)
        self.assertIn("invalid ELF header", done.stdout)


if __name__ == "__main__":
    TOOL, PLUGINS = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
