"""Environment variables by which ``tfmigrate verify`` tells a port what to follow, and where to."""

FOLLOW, OUT, MAP, STEPS = (f"TFMIGRATE_{name}" for name in ("FOLLOW", "OUT", "MAP", "STEPS"))
