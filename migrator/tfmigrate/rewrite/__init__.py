"""Applies edits with LibCST, so that everything else stays as it is."""
