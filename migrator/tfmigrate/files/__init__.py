"""Files on the disk: found, read as text and as notebooks, written."""
