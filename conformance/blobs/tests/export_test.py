"""The exporter's reading of C++, and what it says of files that are none; needs no torch.

    ctest -R conformance.blobs.exporter      or: python3 conformance/blobs/tests/export_test.py; ends with "OK"
"""

import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True
import export_prefixed

# What stands before and after, under the prefix P_.
ROWS = (
    ("aoti_torch_empty(x); aoti_record_function_start()", "P_aoti_torch_empty(x); P_aoti_record_function_start()"),
    ("my_aoti_torch_x xaoti_torch_y aoti_torchy torch_new_x", "my_aoti_torch_x xaoti_torch_y aoti_torchy torch_new_x"),
    ('"aoti_torch_a" // aoti_torch_b\n/* aoti_torch_c\n */ aoti_torch_d',
     '"aoti_torch_a" // aoti_torch_b\n/* aoti_torch_c\n */ P_aoti_torch_d'),
    ('R"(a " aoti_torch_a)" aoti_torch_b', 'R"(a " aoti_torch_a)" P_aoti_torch_b'),
    ('u8R"m(a )" aoti_torch_a)m" aoti_torch_b', 'u8R"m(a )" aoti_torch_a)m" P_aoti_torch_b'),
    ('"a\\"aoti_torch_a" "b\\\naoti_torch_b" aoti_torch_c', '"a\\"aoti_torch_a" "b\\\naoti_torch_b" P_aoti_torch_c'),
    ("1'000'000 aoti_torch_a '\\'' aoti_torch_b '\"' aoti_torch_c",
     "1'000'000 P_aoti_torch_a '\\'' P_aoti_torch_b '\"' P_aoti_torch_c"),
    ('# 1 "aoti_torch_a.cpp"\naoti_torch_b', '# 1 "aoti_torch_a.cpp"\nP_aoti_torch_b'),
    ("0x1p-3f+aoti_torch_a", "0x1p-3f+P_aoti_torch_a"),
)


class Export(unittest.TestCase):
    def test_names(self):
        for source, want in ROWS:
            self.assertEqual(export_prefixed.renamed(source, "P_")[0], want)

    def test_paths(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "a program's.pt2"
            with self.assertRaisesRegex(export_prefixed.ExportError, "a program's.pt2: there is no such file"):
                export_prefixed.check_paths(program, "model.so")
            program.write_text("")
            export_prefixed.check_paths(program, pathlib.Path(folder) / "model.so")
            with self.assertRaisesRegex(export_prefixed.ExportError, "there is no folder .*missing to write it to"):
                export_prefixed.check_paths(program, pathlib.Path(folder) / "missing/model.so")


if __name__ == "__main__":
    unittest.main()
