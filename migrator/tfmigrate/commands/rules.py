"""``tfmigrate rules``."""

import sys

from tfmigrate.commands.arguments import OK, Parser, add_color, add_format, printer_to


def parser() -> Parser:
    """Returns the parser of the command."""
    command_parser = Parser(
        prog="tfmigrate rules", description="Lists all rules.", allow_abbrev=False
    )
    add_format(command_parser)
    add_color(command_parser)
    return command_parser


def main(arguments: list[str]) -> int:
    """Runs ``tfmigrate rules`` with the arguments after it."""
    options = parser().parse_args(arguments)

    from tfmigrate.report import rule_docs

    if options.format == "json":
        print(rule_docs.as_json(rule_docs.topics()))
    else:
        rule_docs.print_topics(printer_to(sys.stdout, options.color))
    return OK
