"""``tfmigrate explain CODE...``."""

import sys

from tfmigrate.commands.arguments import OK, Parser, add_color, add_format, printer_to


def parser() -> Parser:
    """Returns the parser of the command."""
    command_parser = Parser(
        prog="tfmigrate explain",
        description="Explains rules: what each does and why, an example, and what is left to you.",
        allow_abbrev=False,
    )
    command_parser.add_argument(
        "codes", metavar="CODE", nargs="+", help="A rule's code, such as TFM201."
    )
    add_format(command_parser)
    add_color(command_parser)
    return command_parser


def main(arguments: list[str]) -> int:
    """Runs ``tfmigrate explain`` with the arguments after it."""
    own = parser()
    options = own.parse_intermixed_args(arguments)

    from tfmigrate.report import rule_docs

    known = {topic.code: topic for topic in rule_docs.topics()}
    wanted = [code.upper() for code in options.codes]
    for code in wanted:
        if code not in known:
            own.error(f"unknown code {code}; `tfmigrate rules` lists all codes")
    if options.format == "json":
        print(rule_docs.as_json([known[code] for code in wanted]))
        return OK
    printer = printer_to(sys.stdout, options.color)
    for index, code in enumerate(wanted):
        if index:
            printer.line()
        rule_docs.print_topic(known[code], printer)
    return OK
