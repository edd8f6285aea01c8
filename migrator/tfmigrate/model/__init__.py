"""What the stages hand to each other: findings, edits, targets, refusals."""
