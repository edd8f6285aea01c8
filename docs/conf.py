"""Sphinx's configuration of the documentation: `make docs` builds it, strictly.

Markdown is read by MyST, so that the same pages are read on GitHub. A link to a page, to a heading
or to a file that is not there is a warning, and `make docs` turns warnings into errors.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).parents[1] / "migrator"))
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from tfmigrate import __version__

project = "tfmigrate"
author = "The tfmigrate developers"
copyright = "The tfmigrate developers, Apache-2.0"
release = version = __version__

extensions = ["myst_parser", "sphinx_copybutton", "publication"]
exclude_patterns = ["examples", "messages.md"]  # every message is no page that one searches
templates_path = ["_templates"]
smartquotes_action = "qe"  # no dashes: `--target` is an option also where it is not a code
nitpicky = True
myst_heading_anchors = 4
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True

html_theme = "furo"
html_title = f"tfmigrate {release}"
# Where the site is published; another place by TFMIGRATE_DOCS_URL.
html_baseurl = os.environ.get("TFMIGRATE_DOCS_URL", "https://tfmigrate.github.io/tfmigrate/")
html_static_path = ["images/social_card.png"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "source_repository": "https://github.com/tfmigrate/tfmigrate/",
    "source_branch": "main",
    "source_directory": "docs/",
    "top_of_page_buttons": [],  # they are outside of all landmarks
}
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/versions.html",
        "sidebar/scroll-end.html",
    ]
}


_PROGRAMS = {
    "tfmigrate": "tfmigrate.cli",
    "tfmigrate-run": "tfmigrate_runtime.tf1_shim.command_line",
}


def help_of(program: str, *command: str) -> str:
    """Returns what a command prints with ``--help``.

    Args:
        program: One of ``_PROGRAMS``.
        command: The command, for programs that have several.

    Raises:
        CalledProcessError: It failed.
    """
    root = Path(__file__).parents[1]
    paths = [str(root / "migrator"), str(root / "runtime")]
    start = (
        f"import sys; sys.path[:0] = {paths}; sys.argv[0] = {program!r}; "
        f"from {_PROGRAMS[program]} import main; main()"
    )
    return subprocess.run(
        [sys.executable, "-c", start, *command, "--help"],
        env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TF_CPP_MIN_LOG_LEVEL": "3"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout


class CommandHelp(SphinxDirective):
    """The help of a program and of each of its commands, as they are now."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Returns the program's help, and a section for each command that it lists.

        Raises:
            CalledProcessError: A command failed.
        """
        program = self.arguments[0]
        text = help_of(program)
        found: list[nodes.Node] = [nodes.literal_block(text, text, language="text")]
        for command in re.findall(rf"^  {program} (\w+) {{2,}}\S", text, re.MULTILINE):
            name = f"{program} {command}"
            section = nodes.section(ids=[nodes.make_id(name)], names=[name])
            section += nodes.title(name, name)
            help_text = help_of(program, command)
            section += nodes.literal_block(help_text, help_text, language="text")
            found.append(section)
        return found


def setup(app: Sphinx) -> dict[str, bool]:
    """Adds the directive."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
