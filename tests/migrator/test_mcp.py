"""``tfmigrate mcp``, by a client of the official SDK, over standard input and output."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp")

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

OLD = "import tensorflow as tf\nrate = tf.contrib.training.HParams(rate=0.1)\n"


async def _used(folder: Path) -> dict[str, Any]:
    """Returns what the server answers to one client."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "tfmigrate", "mcp"], cwd=str(folder)
    )
    async with stdio_client(command) as streams, ClientSession(*streams) as session:
        await session.initialize()
        found: dict[str, Any] = {"tools": (await session.list_tools()).tools}
        for name, tool, arguments in (
            ("check", "migrate", {"paths": ["old.py"]}),
            ("write", "migrate", {"paths": ["old.py"], "write": True}),
            ("rule", "explain", {"code": "TFM701"}),
            ("bad rule", "explain", {"code": "TFM000"}),
            ("bad option", "migrate", {"paths": ["old.py"], "options": ["--nonsense"]}),
        ):
            found[name] = await session.call_tool(tool, arguments)
            found[f"text after {name}"] = (folder / "old.py").read_text()
    return found


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("program")
    (folder / "old.py").write_text(OLD)
    return asyncio.run(_used(folder))


def test_the_tools_and_their_arguments_are_described(answers: dict[str, Any]) -> None:
    tools = {tool.name: tool for tool in answers["tools"]}
    assert set(tools) == {"migrate", "explain", "verify"}
    assert "EXECUTED" in tools["verify"].description
    assert {"original", "fail_fast", "steps"} <= set(tools["verify"].input_schema["properties"])


def test_a_dry_run_writes_nothing_and_shows_the_change(answers: dict[str, Any]) -> None:
    document = json.loads(answers["check"].content[0].text)
    assert document["dry_run"] and document["findings"]
    assert "-import tensorflow as tf" in document["diff"]
    assert answers["text after check"] == OLD


def test_files_are_rewritten_on_request(answers: dict[str, Any]) -> None:
    document = json.loads(answers["write"].content[0].text)
    assert document["files"]["changed"] == ["old.py"] and document["diff"] == ""
    assert "tfmigrate_runtime" in answers["text after write"]


def test_codes_are_explained(answers: dict[str, Any]) -> None:
    assert "TFM701" in answers["rule"].content[0].text
    assert "unknown code TFM000" in answers["bad rule"].content[0].text


def test_a_wrong_option_is_an_error_with_the_message(answers: dict[str, Any]) -> None:
    assert answers["bad option"].is_error
    assert "--nonsense" in answers["bad option"].content[0].text
