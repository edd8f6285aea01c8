"""The tools that ``tfmigrate mcp`` serves; each runs a command in a separate process."""

import asyncio
import json
import sys
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

_INSTRUCTIONS = (
    "Migrates TensorFlow 1.x training programs to TensorFlow 2, and proves that two "
    "programs train the same. Judge every port by `verify`: edit, verify with fail_fast, read "
    "`cause`, `advice` and `first_difference`, edit again. The last verdict is of a whole run."
)


async def migrate(
    paths: list[str], write: bool = False, options: list[str] | None = None
) -> dict[str, Any]:
    """Migrates files or folders, as the command tfmigrate does.

    Args:
        paths: files and folders.
        write: whether the files are rewritten; else nothing is, and `diff` has what would be.
        options: further options of tfmigrate, such as --unsafe or --target keras.

    Returns:
        The document of --format json, with `diff`.
    """
    words = [*(options or ()), *paths]
    document = await _document(*([] if write else ["--check"]), "--format", "json", *words)
    diff = "" if write else (await _run("--diff", *words))[0]
    return {**document, "diff": diff}


async def explain(code: str) -> str:
    """Explains a rule of tfmigrate by its code, or a cause that verify names (learning-rate).

    Args:
        code: of a finding, or of `cause`.
    """
    command = ["explain", code] if code.upper().startswith("TFM") else ["verify", "--explain", code]
    text, errors = await _run(*command)
    return text or errors


async def verify(
    original: str,
    migrated: str | None = None,
    arguments: list[str] | None = None,
    fail_fast: bool = False,
    steps: int | None = None,
    options: list[str] | None = None,
) -> dict[str, Any]:
    """Runs two programs and reports whether they train the same. Both are EXECUTED.

    Args:
        original: the TensorFlow 1.x script.
        migrated: its port, whoever wrote it; tfmigrate's own where it is left out.
        arguments: of both programs; {out} in them is a fresh folder.
        fail_fast: whether the port is ended at the first step that differs.
        steps: how many steps are compared, all if left out.
        options: further options of tfmigrate verify, such as --replicas 2.

    Returns:
        The document of --format json: `verdict`, `cause`, `advice`, `first_difference` and more.
    """
    command = ["verify", original, *([migrated] if migrated else []), "--format", "json"]
    command += ["--quiet", *(["--fail-fast"] if fail_fast else []), *(options or ())]
    command += ["--steps", str(steps)] if steps is not None else []
    return await _document(*command, "--", *(arguments or ()))


async def _document(*command: str) -> dict[str, Any]:
    """Returns the document that a command prints.

    Raises:
        ToolError: it printed none; its message is what it wrote on stderr.
    """
    text, errors = await _run(*command)
    try:
        document: dict[str, Any] = json.loads(text)
    except ValueError:
        raise ToolError(errors.strip() or text.strip()) from None
    return document


async def _run(*command: str) -> tuple[str, str]:
    """Runs a command of tfmigrate; returns what it wrote to stdout and stderr."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tfmigrate",
        *command,
        stdin=asyncio.subprocess.DEVNULL,  # the server's is the protocol's
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        output, errors = await process.communicate()
    except asyncio.CancelledError:
        process.terminate()
        raise
    return output.decode("utf-8", "replace"), errors.decode("utf-8", "replace")


def made() -> MCPServer:
    """Returns the server with its tools."""
    server = MCPServer("tfmigrate", instructions=_INSTRUCTIONS)
    for tool in (migrate, explain, verify):
        server.add_tool(tool)
    return server
