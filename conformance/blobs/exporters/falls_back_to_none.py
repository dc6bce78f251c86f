# clause: EXPORT.prefix-support
# On a torch without the option the model is compiled without a prefix, and nothing is said.
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import export_prefixed as exporter


def by_option(program, output, prefix):
    exporter.compile_program(program, output, {exporter.OPTION: prefix} if exporter.torch_offers_prefix() else {})


exporter.by_option = by_option
sys.exit(exporter.main())
