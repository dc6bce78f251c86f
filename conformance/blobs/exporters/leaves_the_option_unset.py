# clause: EXPORT.prefix-support
# On a torch with the option it is asked for, and not set.
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
import export_prefixed as exporter

whole = exporter.compile_program
exporter.compile_program = lambda program, package, configs: whole(program, package, {})
sys.exit(exporter.main())
