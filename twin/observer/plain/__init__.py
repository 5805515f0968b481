"""Plain references of the compiled observers."""
