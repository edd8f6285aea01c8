"""Writes docs/messages.md: every message of tfmigrate and its runtime, from their source.

python scripts/pages/messages.py            writes the page
python scripts/pages/messages.py --check    exit code 1 where the page is not up to date
"""

from __future__ import annotations

import argparse
import re
import sys
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from message_texts import Message, messages

PAGE = Path(__file__).parents[2] / "docs" / "messages.md"
_HEAD = """# Messages

Every message of tfmigrate and of tfmigrate_runtime, by package and file. `{name}` is a
placeholder, `[text]` is optional, and `[one|other]` is one of the two. The indented line after a
message says what to do.

<!-- Written by scripts/pages/messages.py from the source. -->
"""


def page() -> str:
    """Returns the page."""
    parts = [_HEAD]
    for package, of_package in groupby(messages(), key=_package):
        parts.append(f"## {package}\n")
        for _, of_file in groupby(of_package, key=lambda message: message.path):
            parts.append(_section(list(of_file)))
    return "\n".join(parts)


def _package(message: Message) -> str:
    """Returns the package of a message, with dots; families have packages of their own."""
    folders = message.path.split("/")[1:-1]
    return ".".join(folders[:3])


def _section(found: list[Message]) -> str:
    lines = []
    for text, action in dict.fromkeys((message.text, message.action) for message in found):
        lines += [*text.split("\n")] if text else []
        lines += [f"    {line}" for line in action.split("\n")] if action else []
    fence = "`" * (3 if not any("```" in line for line in lines) else 4)
    file = found[0].path.rpartition("/")[2]
    body = "\n".join(line.rstrip() for line in lines)
    return f"### {_escaped(found[0].topic)}\n\n`{file}`\n\n{fence}text\n{body}\n{fence}\n"


def _escaped(topic: str) -> str:
    """Returns a line of prose as Markdown shows it, with its inline code."""
    pieces = re.split(r"(`[^`]*`)", topic.replace("``", "`"))
    return "".join(p if p.startswith("`") else re.sub(r"([*_<])", r"\\\1", p) for p in pieces)


def main() -> int:
    """Writes the page, or reports that it is not up to date."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    wanted = page()
    if not parser.parse_args().check:
        PAGE.write_text(wanted, encoding="utf-8")
        return 0
    if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == wanted:
        return 0
    print(f"docs/{PAGE.name} is not up to date: python {sys.argv[0]}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
