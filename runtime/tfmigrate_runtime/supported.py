"""The versions of TensorFlow whose private names the runtime knows."""

import re

OLDEST, NEWEST = (2, 16), (2, 21)
_PACKAGE = __name__.rpartition(".")[0]
_COPIED = "tfmigrate_vendored"


class UnsupportedTensorFlowError(RuntimeError):
    """This TensorFlow is older or newer than those that the runtime supports."""


def check(version: str) -> None:
    """Accepts a version of TensorFlow.

    Raises:
        UnsupportedTensorFlowError: it is not supported.
    """
    match = re.match(r"(\d+)\.(\d+)\.", version)
    release = (int(match[1]), int(match[2])) if match else (0, 0)
    if OLDEST <= release <= NEWEST:
        return
    oldest, newest = (".".join(map(str, each)) for each in (OLDEST, NEWEST))
    pip = f"pip install 'tensorflow>={oldest},<{NEWEST[0]}.{NEWEST[1] + 1}'"
    if release < OLDEST:
        advice = f"Upgrade TensorFlow: {pip}"
    elif _PACKAGE == _COPIED:
        advice = f"Run a newer `tfmigrate --vendor`, or install an older TensorFlow: {pip}"
    else:
        advice = f"Upgrade tfmigrate-runtime, or install an older TensorFlow: {pip}"
    raise UnsupportedTensorFlowError(
        f"{_PACKAGE} supports TensorFlow {oldest} to {newest}, not {version}. {advice}"
    )
