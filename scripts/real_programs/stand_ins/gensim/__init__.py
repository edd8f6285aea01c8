"""No vectors are read."""
