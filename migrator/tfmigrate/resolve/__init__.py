"""What a piece of a program is: its names, values, callers and conditions."""
