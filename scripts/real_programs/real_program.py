"""A public program of a TOML file: where it is, and how it is run. None of its code is here."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import tomllib

HERE = Path(__file__).parent
FAMILIES = (
    *("experiment", "replicate_model_fn", "replica_device_setter", "towers", "session"),
    "estimator",
)
OUTCOMES = ("equal", "undecided", "manual", "different", "failed", "no original", "open")
FOLDERS = {"default": "programs", "keras": "programs_keras", "eager": "programs_eager"}
# What programs with stand-ins find beside them, by whether they are migrated.
STAND_INS = {
    False: (
        *("scipy<1.6", "scikit-learn<0.25", "joblib<1.2", "threadpoolctl<3", "pandas<1.2", "pytz"),
        *("future", "jieba", "python_speech_features"),
    ),
    True: (
        *("matplotlib", "contourpy", "cycler", "fonttools", "kiwisolver", "pyparsing", "scipy"),
        *("scikit-learn", "joblib", "threadpoolctl", "narwhals", "cloudpickle", "pandas"),
        *("python-dateutil", "six", "pillow", "packaging", "future", "jieba"),
        "python_speech_features",
    ),
}


class BadProgramError(ValueError):
    """A file of programs/ says something that cannot be."""


@dataclass(frozen=True)
class RealProgram:
    """One program.

    Attributes:
        name: of its file in programs/ or programs_keras/.
        repository: of GitHub, as owner/name.
        commit: the 40 hexadecimal digits of a commit that holds the TensorFlow 1.x program.
        file: the script that is started, relative to the repository.
        family: one of FAMILIES.
        outcome: one of OUTCOMES, that it had when it was last run.
        root: the folder whose files make the program, relative to the repository.
        module: its name, where it is started as ``python -m MODULE``.
        arguments: the script's; {data} stands for the made data, {out} for verify's fresh folder.
        migrated_files: those that are migrated, where other programs of the repository share them;
            the whole repository if there are none.
        target: of the migration: "default" or "keras".
        data: the script of data/ that makes what it reads, as ``python SCRIPT FOLDER``.
        data_folder: where the program looks for it, relative to the root; "" where an argument, an
            edit or the environment says it.
        requirements: from PyPI, for the interpreter with TensorFlow 1.x, all of them: they are
            installed without their own dependencies, which could replace TensorFlow's.
        requirements_migrated: the same for current TensorFlow (default: without bounds).
        replicas: CPU devices in the places of GPUs.
        cluster: jobs of its cluster, as ``tfmigrate verify --cluster`` wants them.
        migrated_cluster: the same for the migrated program, where it needs others.
        turns: whether asynchronous workers make their steps in turns.
        options: further ones of ``tfmigrate verify``.
        unsafe: whether it is migrated with --unsafe.
        py2: whether it is Python 2, and converted as by --py2 before both runs.
        stand_ins: whether both runs find stand_ins/ (seeds, environments, what libraries have
            removed) and the packages of STAND_INS.
        first: what came of the first try, where that was another outcome.
        environment: variables for both programs; {data} as in the arguments. PYTHONPATH is added
            to what packages need.
        edits: numbers and paths that stand in its code and make it too long or look elsewhere:
            (file, find, replace); {data} as in the arguments.
        manual: codes of the findings that say what a human must do.
        notes: one sentence for the table.
    """

    name: str
    repository: str
    commit: str
    file: str
    family: str
    outcome: str
    root: str = "."
    module: str = ""
    arguments: tuple[str, ...] = ()
    migrated_files: tuple[str, ...] = ()
    target: str = "default"
    data: str = ""
    data_folder: str = ""
    requirements: tuple[str, ...] = ()
    requirements_migrated: tuple[str, ...] | None = None
    replicas: int = 1
    cluster: str = ""
    migrated_cluster: str = ""
    turns: bool = False
    options: tuple[str, ...] = ()
    unsafe: bool = True
    py2: bool = False
    stand_ins: bool = False
    first: str = ""
    environment: tuple[tuple[str, str], ...] = ()
    edits: tuple[tuple[str, str, str], ...] = ()
    manual: tuple[str, ...] = ()
    notes: str = ""

    def __post_init__(self) -> None:
        """Refuses what cannot be.

        Raises:
            BadProgramError: with the file and what is wrong in it.
        """
        wrong = {
            "repository": not re.fullmatch(r"[\w.-]+/[\w.-]+", self.repository),
            "commit": not re.fullmatch(r"[0-9a-f]{40}", self.commit),
            "family": self.family not in FAMILIES,
            "outcome": self.outcome not in OUTCOMES,
            "target": self.target not in FOLDERS,
            "manual": (self.outcome == "manual") != bool(self.manual),
            "data": bool(self.data) and not (HERE / "data" / f"{self.data}.py").is_file(),
        }
        for key, is_wrong in wrong.items():
            if is_wrong:
                raise BadProgramError(f"{self.name}.toml: {key} = {getattr(self, key)!r}")

    @property
    def needed_with_original(self) -> tuple[str, ...]:
        """The requirements for TensorFlow 1.x."""
        return STAND_INS[False] if self.stand_ins else self.requirements

    @property
    def needed_with_migrated(self) -> tuple[str, ...]:
        """The requirements for current TensorFlow."""
        if self.stand_ins:
            return STAND_INS[True]
        if self.requirements_migrated is not None:
            return self.requirements_migrated
        return tuple(re.split(r"[<>=!~ ]", wanted, maxsplit=1)[0] for wanted in self.requirements)


def load(path: Path, target: str = "default") -> RealProgram:
    """Reads a file of programs/ or programs_keras/.

    Raises:
        BadProgramError: a key is unknown or missing, or a value cannot be.
    """
    values: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    known = {field.name for field in fields(RealProgram)} - {"name", "target"}
    unknown = sorted(set(values) - known)
    if unknown:
        raise BadProgramError(f"{path.name}: unknown: {', '.join(unknown)}")
    if "edits" in values:
        values["edits"] = tuple(
            (edit["file"], edit["find"], edit["replace"]) for edit in values["edits"]
        )
    if "environment" in values:
        values["environment"] = tuple(values["environment"].items())
    for key, value in values.items():
        if isinstance(value, list):
            values[key] = tuple(value)
    try:
        return RealProgram(name=path.stem, target=target, **values)
    except TypeError as error:
        raise BadProgramError(f"{path.name}: {error}") from error


def all_programs(target: str = "default") -> list[RealProgram]:
    """Returns all programs of a target, by family and name."""
    paths = sorted((HERE / FOLDERS[target]).glob("*.toml"))
    programs = [load(path, target) for path in paths]
    return sorted(programs, key=lambda program: (FAMILIES.index(program.family), program.name))
