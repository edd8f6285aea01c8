"""Carries out edits with libcst, so that everything not edited stays as it was."""
