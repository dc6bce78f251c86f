"""The probe over stand-ins for torch, so that it is tested without 5.6 GB.

python3 conformance/devmap/tests/probe_test.py        OK
"""

import json
import os
import pathlib
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
PROBE = HERE.parent / "probe.py"
CORPUS = HERE.parent.parent.parent / "corpus" / "devmap" / "cases"


def run(standin, *arguments, cases=None, **environment):
    path = os.pathsep.join([str(HERE / standin), str(HERE)])
    command = [sys.executable, "-B", str(PROBE), *arguments]
    if cases is not None:
        command += ["--cases", "-"]
    return subprocess.run(
        command,
        input=json.dumps({"cases": cases or []}),
        text=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )


def record(standin, *arguments, **keywords):
    done = run(standin, *arguments, **keywords)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def recipe(name):
    return {"id": name, "steps": json.loads((CORPUS / f"{name}.json").read_text())["steps"]}


class Function(unittest.TestCase):
    def test_devices(self):
        have = record("standin_function")
        self.assertEqual(have["source"]["mapping"], "device_to_aten")
        self.assertIs(have["registry_unchanged"], True)
        self.assertIs(have["table_exists"], False)
        self.assertEqual(
            have["devices"]["cuda"],
            {
                "answer": "at::kCUDA",
                "class": "CudaDeviceOpOverrides",
                "getter": "aoti_torch_device_type_cuda",
            },
        )
        self.assertIn("no device type", have["devices"]["tpu"]["error"])
        self.assertEqual(have["devices"]["meta"]["class"], "")

    def test_imported_backend(self):
        have = record("standin_function", "--import", "standin_backend")
        self.assertEqual(have["devices"]["npu"]["getter"], "aoti_torch_device_type_privateuse1")
        self.assertEqual(have["devices"]["exits"]["type"], "SystemExit")
        # Registered first, and the built-ins are there all the same.
        self.assertEqual(have["devices"]["cpu"]["answer"], "at::kCPU")

    def test_bad_overrides(self):
        have = record("standin_function")["bad_overrides"]
        self.assertEqual(len(have), 8)
        for kind, reply in have.items():
            self.assertIn("error", reply, kind)
        self.assertEqual(have["raises an exception"]["error"], "thrown away")

    def test_cases_start_fresh(self):
        names = (
            "out-of-tree-privateuse1",
            "unregistered-plain",
            "lazy-builtins-once",
            "out-of-tree-long-suffix",
        )
        have = record("standin_function", cases=[recipe(name) for name in names])["cases"]
        self.assertEqual(
            have["out-of-tree-privateuse1"], [{"done": True}, {"answer": "at::kPrivateUse1"}]
        )
        self.assertIn("cts_npu", have["unregistered-plain"][0]["error"])
        self.assertEqual(have["lazy-builtins-once"][-1], {"count": 1})
        self.assertEqual(len(have["out-of-tree-long-suffix"][-1]["answer"]), 65541)

    def test_a_mapping_that_kills(self):
        case = {"id": "dies", "steps": [{"do": "lookup", "device": "boom"}]}
        have = record(
            "standin_function", "--import", "standin_backend", cases=[case], STANDIN_BOOM="1"
        )
        self.assertEqual(have["cases"]["dies"], {"crash": "signal 6"})
        self.assertEqual(have["devices"]["boom"]["error"], "the process ended with signal 6")
        self.assertEqual(have["devices"]["cuda"]["answer"], "at::kCUDA")
        self.assertIs(have["registry_unchanged"], True)


class Table(unittest.TestCase):
    def test_devices(self):
        have = record("standin_table")
        self.assertEqual(have["source"]["mapping"], "DEVICE_TO_ATEN")
        self.assertIs(have["table_exists"], True)
        self.assertIs(have["registry_unchanged"], True)
        self.assertEqual(have["devices"]["cuda"]["answer"], "at::kCUDA")
        self.assertEqual(
            have["devices"]["tpu"], {"error": "'tpu'", "type": "KeyError", "class": ""}
        )

    def test_what_it_does_not_do(self):
        names = (
            "out-of-tree-privateuse1",
            "out-of-tree-table-assigned-builtin",
            "lazy-registered-first",
            "out-of-tree-on-no-op-base",
        )
        have = record("standin_table", cases=[recipe(name) for name in names])["cases"]
        self.assertEqual(have["out-of-tree-privateuse1"][1]["type"], "KeyError")
        self.assertEqual(have["out-of-tree-table-assigned-builtin"][1], {"answer": "at::kCPU"})
        self.assertIn("unsupported", have["out-of-tree-on-no-op-base"][0])


class Without(unittest.TestCase):
    def test_no_torch(self):
        done = run("standin_nothing", "--import", "nothing_of_the_kind")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, "probe: .*(torch|nothing_of_the_kind)")


if __name__ == "__main__":
    unittest.main()
