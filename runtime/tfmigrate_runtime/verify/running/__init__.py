"""How programs are run under the recorder: their commands, processes, clusters and limits.

Begin with ``runner``, which runs the programs of a request by ``run_program``. ``programs`` chooses
which two are compared, ``program`` has the commands of one, ``cluster`` its tasks, and
``kept_recordings`` the recordings of earlier runs.
"""
