"""`python -m twin.cli`: the console script without its name on the path."""

from twin.cli import main

main()
