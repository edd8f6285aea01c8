"""Which of the found files are worth parsing: each is read once, and not kept."""

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from tfmigrate.files.discover import Candidate
from tfmigrate.files.entry_points import commands_of
from tfmigrate.files.reading import read_bytes
from tfmigrate.files.source import UnreadableFile
from tfmigrate.files.workers import each
from tfmigrate.model.findings import UNREADABLE_FILE, Finding, Severity
from tfmigrate.scan.helper_files import has_removed_names, helpers_of
from tfmigrate.scan.prefilter import Concern, concern
from tfmigrate.scan.start_files import may_start, may_take, starts_of

_NOTEBOOK = ".ipynb"
_MIGRATED = b"tensorflow.compat.v1"
_MESSAGES = b"google.protobuf"
_KERAS_2 = (b"TF_USE_LEGACY_KERAS", b"tf_keras")


class Look(enum.Flag):
    """What the bytes of a file show."""

    NOTHING = 0
    CONCERNED = enum.auto()
    """A rule may find something in it."""
    BESIDE = enum.auto()
    """A rule may find something in it if one applies to another file of its program."""
    STARTS = enum.auto()
    """It uses nothing of TensorFlow, but may start a program or get its names from others."""
    HELPS = enum.auto()
    """It uses nothing of TensorFlow, and has names that Python or its packages removed."""
    KERAS_2 = enum.auto()
    """It names TensorFlow and selects Keras 2, which then applies to every file of the run."""


_OF = {Concern.BESIDE: Look.BESIDE, Concern.OWN: Look.CONCERNED}


@dataclass
class Selection:
    """The files of a run.

    Attributes:
        chosen: those that are to be parsed, in the order they were found.
        beside: those that are to be parsed where they are of one program with such a file.
        starts: those that start programs of chosen files without naming TensorFlow.
        findings: the files that could not be read, severity ERROR.
        keras_2: whether some file asks for Keras 2.
    """

    chosen: list[Candidate] = field(default_factory=list)
    beside: list[Candidate] = field(default_factory=list)
    starts: list[Candidate] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    keras_2: bool = False


def select(
    candidates: Sequence[Candidate],
    everything: bool = False,
    jobs: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Selection:
    """Chooses the files that rules may concern, and those that start their programs.

    Args:
        candidates: the files.
        everything: whether to choose all of them.
        jobs: how many processes to use.
        progress: called with the number of examined files and their total.
    """
    selection = Selection()
    others: list[Candidate] = []
    helpers: list[Candidate] = []
    looks = each(partial(_look, everything=everything), candidates, jobs, 100, progress)
    for candidate, look in zip(candidates, looks, strict=True):
        if isinstance(look, Finding):
            selection.findings.append(look)
            continue
        selection.keras_2 |= Look.KERAS_2 in look
        if Look.CONCERNED in look:
            selection.chosen.append(candidate)
        elif Look.BESIDE in look:
            selection.beside.append(candidate)
        else:
            if Look.STARTS in look:
                others.append(candidate)
            if Look.HELPS in look:
                helpers.append(candidate)
    if selection.chosen:
        helping = helpers_of(helpers, [*selection.chosen, *selection.beside])
        selection.beside += helping
        selection.starts = starts_of([c for c in others if c not in helping], selection.chosen)
    return selection


def _look(candidate: Candidate, everything: bool) -> Look | Finding:
    """Reads one file; a file that cannot be read is a finding."""
    try:
        data = read_bytes(candidate.path)
    except UnreadableFile as error:
        return unreadable(candidate.display, error)
    names_tensorflow = b"tensorflow" in data
    look = Look.NOTHING
    # A migrated TensorFlow 1.x program selects it only for itself.
    if names_tensorflow and _MIGRATED not in data and any(word in data for word in _KERAS_2):
        look |= Look.KERAS_2
    if everything or candidate.named:
        return look | Look.CONCERNED
    notebook = candidate.path.suffix == _NOTEBOOK
    if (concerns := concern(data, notebook)) is not Concern.NONE:
        return look | _OF[concerns]
    if _MESSAGES in data:
        return look | Look.BESIDE
    if may_start(data, notebook) or may_take(data) or commands_of(candidate.path):
        look |= Look.STARTS
    return look | Look.HELPS if has_removed_names(data) else look


def unreadable(display: str, error: UnreadableFile) -> Finding:
    """Returns the finding of a file that cannot be read."""
    place = display, error.line, error.column
    return Finding(*place, UNREADABLE_FILE, Severity.ERROR, error.reason, "", applied=False)
