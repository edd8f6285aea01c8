"""``tfmigrate doctor PATH...``."""

import sys

from tfmigrate.commands.arguments import FAILED, Parser, add_color, add_format, complain, printer_to


def parser() -> Parser:
    """Returns the parser of the command."""
    command_parser = Parser(
        prog="tfmigrate doctor",
        description="Lists the TensorFlow names in Python files that the installed TensorFlow does "
        "not have. Imports TensorFlow in a separate process, and does not run the files.",
        epilog="exit codes: 0 every name was found, 1 some names are missing, 2 a file could not "
        "be read or TensorFlow is not installed",
        allow_abbrev=False,
    )
    command_parser.add_argument(
        "paths", metavar="PATH", nargs="+", help="Python files and folders."
    )
    command_parser.add_argument(
        "--exclude",
        metavar="GLOB",
        action="append",
        default=[],
        help="Skip files and folders that match; may be repeated.",
    )
    command_parser.add_argument(
        "--python",
        metavar="PYTHON",
        default=sys.executable,
        help="The Python interpreter whose TensorFlow to check (default: this one).",
    )
    add_format(command_parser)
    add_color(command_parser)
    return command_parser


def main(arguments: list[str]) -> int:
    """Runs ``tfmigrate doctor`` with the arguments after it."""
    own = parser()
    options = own.parse_intermixed_args(arguments)

    from tfmigrate.doctor import diagnose as doctor
    from tfmigrate.doctor import report as doctor_report
    from tfmigrate.files.discover import UsageError
    from tfmigrate.report.text import print_errors

    try:
        diagnosis = doctor.diagnose(options.paths, options.exclude, options.python)
    except UsageError as error:
        own.error(str(error))
    except doctor.DoctorError as error:
        complain(str(error))
        return FAILED
    if options.format == "json":
        print(doctor_report.as_json(diagnosis))
        return diagnosis.exit_code
    print_errors(diagnosis.errors, printer_to(sys.stderr, options.color))
    doctor_report.print_diagnosis(diagnosis, printer_to(sys.stdout, options.color))
    return diagnosis.exit_code
