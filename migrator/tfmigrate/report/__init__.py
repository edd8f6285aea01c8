"""What a run says: on the terminal, as JSON, SARIF, annotations and plans."""
