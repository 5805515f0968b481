"""The command line: the only package that knows everyone. No mathematics."""
