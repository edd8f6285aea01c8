"""What keeps a program of TensorFlow 1.x from a form that it may become: data/obstacles.txt."""

from tfmigrate.tables.listed import sections


def obstacles(form: str) -> dict[str, tuple[str, str]]:
    """Returns why names keep a program from a form ("coordinator"), and what to do, by the name."""
    known: dict[str, tuple[str, str]] = {}
    for name, text in sections("obstacles")[form].others.items():
        reason, _, action = text.partition(" | ")
        known[f"tensorflow.{name}"] = reason, action
    return known
