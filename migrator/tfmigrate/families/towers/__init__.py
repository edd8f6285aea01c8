"""Loops that build one tower a device."""
