"""Which language the cells of a notebook are written in, by its metadata."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

_VERSION = re.compile(r"[-\s.\d]+$")  # "julia-1.6", "R 4.1"
# Names of Python among the languages, kernels, lexers and editor modes that notebooks state.
_PYTHON = ("python", "ipython", "pyspark", "xpython", "pypy")
# By language: its names, and those of kernels whose names do not begin with it.
_NAMES = {
    "R": ("r", "ir", "sparkr", "sparkrkernel"),
    "Scala": ("scala", "spylon-kernel", "apache_toree_scala", "sparkkernel", "almond"),
    "shell": ("shell", "shellscript", "sh"),
    "C++": ("c++", "cpp", "c++11", "c++14", "c++17"),
    "C#": ("c#", "csharp", ".net-csharp"),
    "F#": ("f#", "fsharp", ".net-fsharp"),
    "Go": ("go", "gophernotes"),
    "JavaScript": ("javascript", "jslab"),
    "TypeScript": ("typescript", "tslab"),
    "OCaml": ("ocaml", "ocaml-jupyter"),
    "Perl": ("perl", "perl5"),
    "PowerShell": ("powershell", "pwsh"),
    "Wolfram": ("wolfram language", "wolframlanguage14", "mathematica"),
}
_BY_OWN_NAME = """
Julia Bash C Clojure CoffeeScript CSS Fortran Groovy Haskell HTML Java Kotlin Lua Markdown MATLAB
Octave PHP Prolog Ruby Rust SAS Scheme SQL Stata Swift
"""
_OTHERS = {name.lower(): name for name in _BY_OWN_NAME.split()}
_OTHERS |= {name: language for language, names in _NAMES.items() for name in names}


@dataclass(frozen=True)
class Language:
    """The language of a notebook.

    Attributes:
        name: its name.
        is_python: whether the metadata name Python, or no language.
        is_other: whether they name another known language. Where both are False, the cells decide.
        is_python_3: whether they name Python 3.
    """

    name: str
    is_python: bool
    is_other: bool
    is_python_3: bool = False


def language_of(metadata: Any) -> Language:
    """Returns the language that a notebook's metadata state.

    The kernel's own statement (language_info) takes precedence over how it was started
    (kernelspec).
    """
    unknown = ""
    for part in ("language_info", "kernelspec"):
        stated = metadata.get(part) if isinstance(metadata, dict) else None
        if not isinstance(stated, dict):
            continue
        names = list(_strings(stated.get(key) for key in ("name", "display_name")))
        mode = stated.get("codemirror_mode")
        keys = ("language", "mimetype", "pygments_lexer")
        words = list(_strings(stated.get(key) for key in keys))
        words += _strings([mode.get("name") if isinstance(mode, dict) else mode])
        if part == "language_info":
            words = names + words
        # PySpark kernels call their language "pyspark" or nothing, and its MIME type Python's.
        if any(_is_python(word) for word in (*words, *names)):
            version = str(stated.get("version") or stated.get("name"))
            is_3 = version.removeprefix("python").startswith("3")
            return Language("Python", is_python=True, is_other=False, is_python_3=is_3)
        if other := next(filter(None, map(_other, (*words, *names[:1]))), ""):
            return Language(other, is_python=False, is_other=True)
        # A kernel may be called anything, such as its environment.
        unknown = unknown or next(iter(words), "")
    return Language(unknown or "Python", is_python=not unknown, is_other=False)


def is_cell_of_other_language(cell: dict[str, Any]) -> bool:
    """Returns whether a cell states a language other than Python; most cells state none.

    Args:
        cell: its ``language`` (notebooks of format 3) and its ``metadata``.
    """
    stated = [cell.get("language")]
    metadata = cell.get("metadata")
    if isinstance(metadata, dict):
        # SoS, Databricks and VS Code; .NET Interactive and Polyglot Notebooks.
        stated += [metadata.get("kernel"), metadata.get("language")]
        for part, key in (
            ("vscode", "languageId"),
            ("dotnet_interactive", "language"),
            ("polyglot_notebook", "kernelName"),
        ):
            if isinstance(metadata.get(part), dict):
                stated.append(metadata[part].get(key))
    return any(isinstance(word, str) and bool(_other(word)) for word in stated)


def _strings(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        if isinstance(value, str) and value.strip():
            yield value.strip().lower()


def _is_python(word: str) -> bool:
    return word.removeprefix("text/").removeprefix("x-").startswith(_PYTHON)


def _other(word: str) -> str:
    """Returns the name of the known language, other than Python, that a word means; or ""."""
    word = word.strip().lower().removeprefix("text/").removeprefix("x-")
    return _OTHERS.get(word) or _OTHERS.get(_VERSION.sub("", word), "")
