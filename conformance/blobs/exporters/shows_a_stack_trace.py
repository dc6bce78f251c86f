# clause: EXPORT.prefix-support
# On a torch without the option the user gets whatever torch says of a field that it lacks.
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import export_prefixed as exporter

exporter.by_option = lambda program, output, prefix: exporter.compile_program(program, output, {exporter.OPTION: prefix})
sys.exit(exporter.main())
