"""``tfmigrate mcp``: a server of the Model Context Protocol, on standard input and output."""

import importlib.util

from tfmigrate.commands.arguments import FAILED, OK, Parser, complain


def parser() -> Parser:
    """Returns the parser of the command."""
    return Parser(
        prog="tfmigrate mcp",
        description="Serves migrate, explain and verify to agents: a server of the Model Context "
        "Protocol on standard input and output, which a client starts. verify EXECUTES programs.",
        allow_abbrev=False,
    )


def main(arguments: list[str]) -> int:
    """Serves until the client closes its end; returns the exit code."""
    parser().parse_args(arguments)
    if importlib.util.find_spec("mcp") is None:
        complain("tfmigrate mcp needs the package mcp; run: pip install 'tfmigrate[mcp]'")
        return FAILED

    from tfmigrate.commands.mcp_server import made

    made().run("stdio")
    return OK
