"""Programs of sessions that keep their graph code inside an eager program (``--target eager``)."""
