"""Runs the rules, decides which changes are made, and makes them."""
