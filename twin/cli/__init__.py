"""The command line: the only package that knows everyone. No mathematics."""


def main() -> None:
    """Entry of the console script; the commands load only when they are wanted."""
    from twin.cli.app import run

    run()
