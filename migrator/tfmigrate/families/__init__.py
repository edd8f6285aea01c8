"""What rules know of one family of constructs, one package a family."""
