"""Programs whose numbers depend on chance, which no two runs repeat.

Begin with ``free_randomness``: both programs are run several times, and ``run_statistics`` tests
what was measured. ``step_statistics`` needs one run, ``structure`` has what chance cannot explain.
"""
