"""The versions of TensorFlow that migrated programs run on: here, and nowhere else in the migrator.

The runtime has them in its ``supported.py``, as it imports nothing of the migrator's; a test
compares the two, the requirements in pyproject.toml and what CI runs, and finds every other copy.
"""

# 2.16 is the first without tf.estimator and with Keras 3.
OLDEST = "2.16"
NEWEST = "2.21"
# A condition on versions has to go the same way on both: the releases, with a Python of each.
OLDEST_RELEASE = ("2.16.1", (3, 10, 0, "final", 0))
NEWEST_RELEASE = (f"{NEWEST}.0", (3, 13, 0, "final", 0))


def version_of(text: str) -> tuple[int, int]:
    """Returns a version ("2.16") as numbers, which compare as versions do."""
    major, minor = text.split(".")
    return int(major), int(minor)


def supported() -> list[str]:
    """Returns the versions from the oldest to the newest: ["2.16", ..., "2.21"]."""
    (major, first), (_, last) = version_of(OLDEST), version_of(NEWEST)
    return [f"{major}.{minor}" for minor in range(first, last + 1)]


def bounds(oldest: str = OLDEST) -> str:
    """Returns the supported versions as pip and conda take them: ">=2.16,<2.22"."""
    major, minor = version_of(NEWEST)
    return f">={oldest},<{major}.{minor + 1}"
