"""The cause of a difference, once there is one.

Begin with ``diagnosis``, which reads it from the updates; ``definitions`` has what frameworks
define differently, ``graph_differences`` what updates do not show.
"""
