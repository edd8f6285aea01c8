"""Which variable of the original a variable is, where names and layouts differ."""
