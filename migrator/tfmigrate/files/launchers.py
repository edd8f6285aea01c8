"""The files that start programs on a cluster: manifests of a TFJob, shell scripts, Makefiles.

They are read by line, because templates of Helm and scripts with placeholders are no YAML and no
shell until they are filled in.
"""

import enum
import fnmatch
import re
from collections.abc import Iterator
from dataclasses import dataclass

_NAMES = ("*.yaml", "*.yml", "*.sh", "*.bash", "*.sbatch", "*.slurm", "Makefile", "*.mk")
_MANIFESTS = (".yaml", ".yml")
_LARGEST = 1_000_000  # characters; larger ones are data
_KEY = re.compile(
    r"^(?P<indent> *(?:- +)*)(?P<quote>[\"']?)(?P<key>[\w./-]+)(?P=quote):"
    r"(?:\s+[\"']?(?P<value>[^\s\"'#]*)[\"']?)?"
)
_OLD_API = re.compile(r"kubeflow\.org/v1(?:alpha|beta)\d+")
_SCRIPT = re.compile(r"(?<![\w./${}~-])[\w./${}~-]*\w\.py\b")
_MODULE = re.compile(r"(?<![\w-])-m[\"',\s\\-]+(?P<module>[A-Za-z_][\w.]*)")
_JOB = re.compile(r"--job_name(?:=|[\s\\\"',-]+)[\"'\\]*(?P<job>\$?\{?\w+\}?)")
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*", re.MULTILINE)
_LOOP = re.compile(r"\bfor\s+(?P<name>\w+)\s+in\s+(?P<values>[^;\n]*)")
_GCLOUD = re.compile(
    r"\bgcloud(?:[\s\\]+(?:alpha|beta))?[\s\\]+(?:ml-engine|ai-platform)[\s\\]+"
    r"(?:jobs[\s\\]+submit[\s\\]+training|local[\s\\]+train)\b"
)
_MODULE_NAME = re.compile(r"--module-name(?:=|[\s\\]+)[\"']?(?P<module>[\w.${}]+)")
_COMMAND = re.compile(r"(?:[^\n\\]|\\.|\\\n)+")  # with the lines that continue it
_DOCUMENT = re.compile(r"(?:^(?!---).*\n?)+", re.MULTILINE)
_ASSIGNED = re.compile(
    r"^[ \t]*(?:export\s+)?(?P<name>\w+)=[\"']?(?P<value>[\w./-]*)[\"']?[ \t]*$", re.M
)


class Says(enum.Enum):
    """What a launcher says at a place."""

    OLD_API = enum.auto()
    """A version of the API of TFJob that no operator has any more."""
    OLD_REPLICAS = enum.auto()
    """Replicas as a list, as before ``tfReplicaSpecs``."""
    REPLICAS = enum.auto()
    """The replicas of a TFJob, or the first task that a script starts."""
    PARAMETER_SERVERS = enum.auto()
    CHIEF = enum.auto()
    AI_PLATFORM = enum.auto()
    """A job of AI Platform, formerly ML Engine."""


@dataclass(frozen=True)
class Part:
    """A place of a launcher.

    Attributes:
        line: Its line, 1-based.
        column: Its column in characters, 1-based.
        says: What is said there.
        text: How it is written.
    """

    line: int
    column: int
    says: Says
    text: str


@dataclass(frozen=True)
class Launcher:
    """What starts the tasks of one program.

    Attributes:
        programs: The scripts (``train.py``) and modules (``trainer.task``) that it names.
        parts: Its places.
    """

    programs: frozenset[str]
    parts: tuple[Part, ...]


def is_launcher(name: str) -> bool:
    """Returns whether a file of this name may start programs."""
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in _NAMES)


def launchers(name: str, text: str) -> Iterator[Launcher]:
    """Yields what a file starts on a cluster."""
    if len(text) > _LARGEST:
        return
    text = _COMMENT.sub(lambda match: " " * len(match[0]), text)
    if name.endswith(_MANIFESTS):
        yield from _tf_jobs(text)
    if "gcloud" in text:
        yield from _cloud_jobs(text)
    if "--job_name" in text:
        # The words of a container's command are a list, mostly one a line.
        yield from _tasks(text, _DOCUMENT if name.endswith(_MANIFESTS) else _COMMAND)


@dataclass(frozen=True)
class _Key:
    """A key of a mapping: its line, where it begins, its name and its value on the same line."""

    number: int
    indent: int
    name: str
    value: str

    def part(self, says: Says, text: str = "") -> Part:
        return Part(self.number + 1, self.indent + 1, says, text or self.name)


def _tf_jobs(text: str) -> Iterator[Launcher]:
    """Yields each TFJob of a manifest, also of one inside another."""
    if "TFJob" not in text:
        return
    lines = text.splitlines()
    keys = [key for number, line in enumerate(lines) if (key := _key(number, line))]
    read: dict[int, int] = {}  # the end of the last mapping of an indent
    for kind in keys:
        if (kind.name, kind.value) != ("kind", "TFJob") or kind.number < read.get(kind.indent, 0):
            continue
        block = _block(kind, lines, keys)
        read[kind.indent] = _end(kind.number, kind.indent, lines)
        siblings = {key.name: key for key in block if key.indent == kind.indent}
        spec = {key.name: key for key in _children(siblings.get("spec"), block)}
        replicas = spec.get("tfReplicaSpecs") or spec.get("replicaSpecs")
        if replicas is None:  # the definition of the resource, or another use of its name
            continue
        parts = [*_api(siblings.get("apiVersion")), *_replicas(replicas, block)]
        body = "\n".join(lines[block[0].number : read[kind.indent]])
        yield Launcher(_programs(body), tuple(parts))


def _key(number: int, line: str) -> _Key | None:
    if (match := _KEY.match(line)) is None:
        return None
    return _Key(number, len(match["indent"]), match["key"], match["value"] or "")


def _indent(line: str) -> int | None:
    """Returns where a line begins; None for lines that belong to no block."""
    stripped = line.lstrip(" ")
    if not stripped or stripped.startswith(("#", "{{")):
        return None
    return len(line) - len(stripped)


def _block(kind: _Key, lines: list[str], keys: list[_Key]) -> list[_Key]:
    """Returns the keys of the mapping that a key is in, with all below them."""
    first = kind.number
    while first > 0 and not _outside(lines[first - 1], kind.indent):
        first -= 1
    end = _end(kind.number, kind.indent, lines)
    return [key for key in keys if first <= key.number < end and key.indent >= kind.indent]


def _end(number: int, indent: int, lines: list[str]) -> int:
    end = number + 1
    while end < len(lines) and not _outside(lines[end], indent):
        end += 1
    return end


def _outside(line: str, indent: int) -> bool:
    line_indent = _indent(line)
    return line.startswith(("---", "...")) or (line_indent is not None and line_indent < indent)


def _children(parent: _Key | None, block: list[_Key]) -> list[_Key]:
    """Returns the keys directly below a key."""
    if parent is None:
        return []
    below: list[_Key] = []
    for key in block:
        if key.number > parent.number:
            if key.indent <= parent.indent:
                break
            below.append(key)
    nearest = min((key.indent for key in below), default=0)
    return [key for key in below if key.indent == nearest]


def _api(version: _Key | None) -> Iterator[Part]:
    if version is not None and _OLD_API.fullmatch(version.value):
        yield version.part(Says.OLD_API, version.value)


def _replicas(replicas: _Key, block: list[_Key]) -> Iterator[Part]:
    """Yields what the replicas of a TFJob are; those of a number of 0 are none."""
    if replicas.name == "replicaSpecs":
        yield replicas.part(Says.OLD_REPLICAS)
        return
    yield replicas.part(Says.REPLICAS)
    for key in _children(replicas, block):
        counts = [child.value for child in _children(key, block) if child.name == "replicas"]
        # The operator takes the names in any case.
        if key.name.lower() == "ps" and counts != ["0"]:
            yield key.part(Says.PARAMETER_SERVERS)
        elif key.name.lower() in ("chief", "master"):
            yield key.part(Says.CHIEF)


def _cloud_jobs(text: str) -> Iterator[Launcher]:
    """Yields each job of AI Platform that a script submits."""
    values = _values(text)
    for command in _COMMAND.finditer(text):
        if (job := _GCLOUD.search(command[0])) is not None:
            modules = {_filled(m["module"], values) for m in _MODULE_NAME.finditer(command[0])}
            known = frozenset(module for module in modules if "$" not in module)
            name = " ".join(job[0].replace("\\", " ").split())
            part = _part(text, command.start() + job.start(), Says.AI_PLATFORM, name)
            yield Launcher(known, (part,))


def _tasks(text: str, unit: re.Pattern[str]) -> Iterator[Launcher]:
    """Yields the programs whose tasks are started by ``--job_name``.

    Args:
        text: The file.
        unit: What belongs together: the task's job and the program.
    """
    values = _values(text)
    tasks: dict[frozenset[str], list[Part]] = {}
    for command in unit.finditer(text):
        programs = _programs(command[0])
        if programs and "kind: TFJob" not in command[0]:  # whose replicas say what is started
            for match in _JOB.finditer(command[0]):
                job_parts = _of_job(text, command.start() + match.start(), match, values)
                tasks.setdefault(programs, []).extend(job_parts)
    yield from (Launcher(programs, tuple(parts)) for programs, parts in tasks.items())


def _of_job(
    text: str, offset: int, match: re.Match[str], values: dict[str, set[str]]
) -> Iterator[Part]:
    """Yields what a command starts: the job that it names, or the jobs of a loop."""
    name = match["job"].strip("${}")
    jobs = values.get(name, set()) if match["job"].startswith("$") else {name}
    yield _part(text, offset, Says.REPLICAS, match[0])
    if "ps" in jobs:
        yield _part(text, offset, Says.PARAMETER_SERVERS, match[0])
    if jobs & {"chief", "master"} or not jobs:  # an unknown job may be any
        yield _part(text, offset, Says.CHIEF, match[0])


def _values(text: str) -> dict[str, set[str]]:
    """Returns the values of a script's variables, where they are written out."""
    values: dict[str, set[str]] = {}
    for match in _ASSIGNED.finditer(text):
        values.setdefault(match["name"], set()).add(match["value"])
    for match in _LOOP.finditer(text):
        words = {word.strip("\"'") for word in match["values"].split()}
        values.setdefault(match["name"], set()).update(words)
    return values


def _filled(word: str, values: dict[str, set[str]]) -> str:
    """Returns a word with its variables replaced that have one value."""
    for name, known in values.items():
        if len(known) == 1:
            word = re.sub(rf"\$(?:\{{{name}\}}|{name}\b)", next(iter(known)), word)
    return word


def _part(text: str, offset: int, says: Says, shown: str) -> Part:
    line = text.count("\n", 0, offset)
    return Part(line + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1, says, shown)


def _programs(text: str) -> frozenset[str]:
    """Returns the scripts and modules that a text names."""
    modules = (match["module"] for match in _MODULE.finditer(text))
    return frozenset([*_SCRIPT.findall(text), *modules])
