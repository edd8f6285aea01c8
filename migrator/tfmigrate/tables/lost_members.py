"""Members of classes of TensorFlow 1.x that the classes which replace them lack.

The table is data/lost_members.txt, made by scripts/tables/list_lost_members.py.
"""

from functools import cache

from tfmigrate.tables.listed import listed


@cache
def lost_members() -> dict[str, frozenset[str]]:
    """Returns the members, by the name of the class ("tensorflow.contrib.learn.Experiment")."""
    members_by_class: dict[str, frozenset[str]] = {}
    for line in listed("lost_members"):
        classes, _, members = line.partition(": ")
        lost = frozenset(members.split())
        members_by_class.update({f"tensorflow.{name}": lost for name in classes.split()})
    return members_by_class
