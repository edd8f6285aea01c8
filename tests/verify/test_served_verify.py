"""The tool ``verify`` of ``tfmigrate mcp``, by a client of the official SDK."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

EXAMPLE = Path(__file__).parents[2] / "docs/examples/agent"


def answer(folder: Path, **arguments: Any) -> dict[str, Any]:
    """Returns the document that the tool answers with."""

    async def asked() -> Any:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-m", "tfmigrate", "mcp"],
            cwd=str(folder),
            env={"TF_CPP_MIN_LOG_LEVEL": "3", "XDG_CACHE_HOME": str(folder / "cache")},
        )
        async with stdio_client(command) as streams, ClientSession(*streams) as session:
            await session.initialize()
            return await session.call_tool("verify", arguments)

    result = asyncio.run(asked())
    assert not result.is_error
    document: dict[str, Any] = json.loads(result.content[0].text)
    return document


def test_what_cannot_run_is_answered_with_a_document(tmp_path: Path) -> None:
    found = answer(tmp_path, original="nowhere.py", migrated="port.py")
    assert (found["verdict"], found["cause"]) == ("could not run", "usage")
    assert "nowhere.py: no such file" in found["conclusion"]


@pytest.mark.long
def test_a_port_is_judged(tmp_path: Path) -> None:
    folder = tmp_path / "program"
    shutil.copytree(EXAMPLE, folder)
    found = answer(folder, original="original.py", migrated="ported.py", fail_fast=True)
    assert (found["verdict"], found["cause"]) == ("different", "initial-values")
    assert found["first_difference"]["variable"] == "hidden/kernel"
