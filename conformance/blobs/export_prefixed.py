"""Compiles a model whose shims all carry a prefix, with the torch of the interpreter that runs this.

    python3 conformance/blobs/export_prefixed.py PROGRAM OUTPUT --prefix executorch_ [--by option|rename]

PROGRAM was written by torch.export.save(). With --by option, torch does it (`aot_inductor.shim_symbol_prefix`), and OUTPUT
is the package that it writes; a torch without that option is an error, at once. With --by rename, OUTPUT is a library: the
C++ package that torch emits (`aot_inductor.package_cpp_only`) is preprocessed, every shim's name in it gets the prefix, and
the result is compiled with the flags that the package names. Without --by: the option where there is one, else renaming.

Names are found by reading the preprocessed text token by token, not by a list: there an identifier that starts as a shim's
does is one, or is a piece that `##` has already completed. Literals and line markers keep theirs. OUTPUT's table of imports
is read afterwards; a shim without the prefix in it is an error.
"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

OPTION = "aot_inductor.shim_symbol_prefix"
SHIM = re.compile(r"aoti_(?:torch|record_function)_\w*")
# In this order: what an identifier must not be looked for in, then words (a number's suffix is part of the number).
TOKEN = re.compile(
    r"""(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
      | (?P<text>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
      | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
      | (?P<comment>//[^\n]*|/\*.*?\*/)
      | (?P<marker>^[ \t]*\#[^\n]*)
      | (?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)
      | (?P<word>[A-Za-z_]\w*)""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)


class ExportError(Exception):
    """What the user has to know, in words."""


def is_shim(name):
    return SHIM.fullmatch(name) is not None


def renamed(source, prefix):
    """Preprocessed C++ with the prefix before every shim's name, and the names."""
    names = set()

    def replace(token):
        word = token["word"]
        if word is None or not is_shim(word):
            return token[0]
        names.add(word)
        return prefix + word

    return TOKEN.sub(replace, source), names


def torch_offers_prefix():
    try:
        import torch._inductor
    except ImportError as error:
        raise ExportError(f"{sys.executable}: has no torch to compile with ({error}); run this by one that has") from error

    return hasattr(torch._inductor.config.aot_inductor, OPTION.split(".")[1])


def check_paths(program, output):
    if not pathlib.Path(program).is_file():
        raise ExportError(f"{program}: there is no such file")
    folder = pathlib.Path(output).resolve().parent
    if not folder.is_dir():
        raise ExportError(f"{output}: there is no folder {folder} to write it to")


def load(program):
    import torch

    try:
        return torch.export.load(program)
    except Exception as error:  # whatever torch meets in a file that is none
        raise ExportError(f"{program}: torch.export.load: {type(error).__name__}: {error}") from error


def compile_program(program, package, configs):
    import torch._inductor

    exported = load(program)
    try:
        return torch._inductor.aoti_compile_and_package(
            exported, package_path=str(package), inductor_configs={"aot_inductor.link_libtorch": False, **configs})
    except Exception as error:  # the compiler's too
        raise ExportError(f"{program}: torch could not compile it: {type(error).__name__}: {error}") from error


def by_option(program, output, prefix):
    import torch

    if not torch_offers_prefix():
        raise ExportError(
            f"this torch ({torch.__version__}) has no option {OPTION}, which the prefix '{prefix}' needs: "
            "update torch to a version that has it, or leave --by away to rename the C++ that it emits")
    check_paths(program, output)
    compile_program(program, output, {OPTION: prefix})


def flags(package, kind):
    (path,) = package.rglob(f"*.wrapper_{kind}_flags.json")
    return json.loads(path.read_text())


def run(*command):
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if ran.returncode != 0:
        raise ExportError(f"{' '.join(map(str, command[:1]))} ended with {ran.returncode}:\n{ran.stderr[-4000:]}")
    return ran.stdout


def build(package, output, prefix):
    """Compiles the unpacked C++ package into a library under the prefix; returns the names that got it."""
    (wrapper,) = package.rglob("*.wrapper.cpp")
    compiling, linking = flags(package, "compile"), flags(package, "linker")
    cflags = [f"-{flag}" for flag in compiling["cflags"]]
    text = run(compiling["compiler"], "-E", *cflags, *(f"-D{name.strip()}" for name in compiling["definitions"]),
               *(f"-I{folder}" for folder in compiling["include_dirs"]), wrapper)
    text, names = renamed(text, prefix)
    source = package / "renamed.ii"
    source.write_text(text)
    run(compiling["compiler"], *cflags, "-w", "-c", source, "-o", package / "renamed.o")
    run(linking["compiler"], "-shared", package / "renamed.o", *package.rglob("*.weights.o"),
        *(f"-L{folder}" for folder in linking["libraries_dirs"]), *(f"-l{name}" for name in linking["libraries"]),
        "-o", output)
    return names


def check_imports(output, prefix):
    imports = [line.split()[-1] for line in run("nm", "-D", "--undefined-only", output).splitlines()]
    plain = sorted(name for name in imports if prefix and SHIM.match(name))
    if plain:
        raise ExportError(f"{output} still imports shims without the prefix '{prefix}': {', '.join(plain)}")


def by_renaming(program, output, prefix):
    check_paths(program, output)
    with tempfile.TemporaryDirectory() as folder:
        package = pathlib.Path(folder)
        archive = compile_program(program, package / "model.pt2", {"aot_inductor.package_cpp_only": True})
        with zipfile.ZipFile(archive) as members:
            members.extractall(package)
        library = package / "model.so"
        names = build(package, library, prefix)
        check_imports(library, prefix)
        shutil.copyfile(library, output)
    print(f"{output}: {len(names)} names under '{prefix}'")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("output")
    parser.add_argument("--prefix", required=True, help="the start of a C identifier; empty for none")
    parser.add_argument("--by", choices=("option", "rename"))
    arguments = parser.parse_args()
    try:
        if not re.fullmatch(r"([A-Za-z_]\w*)?", arguments.prefix, re.ASCII):
            raise ExportError(f"--prefix {arguments.prefix}: is no start of a C identifier")
        option = arguments.by == "option" or (arguments.by is None and torch_offers_prefix())
        (by_option if option else by_renaming)(arguments.program, arguments.output, arguments.prefix)
    except ExportError as error:
        print(f"export_prefixed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
