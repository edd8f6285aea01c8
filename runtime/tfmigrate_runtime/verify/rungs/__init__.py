"""The ladder and its rungs: what is compared, in which order.

Begin with ``ladder``. ``compare`` has the outcome of a comparison, and the rungs of steps and
variables; each ``compare_*`` is another rung or a part of one. ``differences`` describes how two
arrays differ, ``initial_draws`` decides whether they come from one distribution.
"""
