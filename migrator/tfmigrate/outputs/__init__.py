"""What a run prints and writes for other programs and other people, one format a module."""
