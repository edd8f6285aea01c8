"""``tfmigrate completion SHELL``."""

from tfmigrate.commands.arguments import OK, Parser

SHELLS = ("bash", "zsh", "fish")


def parser() -> Parser:
    """Returns the parser of the command."""
    command_parser = Parser(
        prog="tfmigrate completion",
        description="Prints the completion script for a shell. Its first line shows how to install "
        "it.",
        allow_abbrev=False,
    )
    command_parser.add_argument(
        "shell", metavar="SHELL", choices=SHELLS, help=f"One of {', '.join(SHELLS)}."
    )
    return command_parser


def main(arguments: list[str]) -> int:
    """Runs ``tfmigrate completion`` with the arguments after it."""
    options = parser().parse_args(arguments)

    from tfmigrate.commands import completion_scripts

    print(completion_scripts.script(options.shell, parser()), end="")
    return OK
