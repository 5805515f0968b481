"""`railtwin contact`: what wheels and rails do where they touch."""

import typer

from twin.cli import contact_benchmark, contact_conicity, contact_points, contact_profile

app = typer.Typer(
    no_args_is_help=True,
    help="Wheels on rails: how they touch, and what follows for the running.",
    epilog="Example: railtwin contact conicity --wheel S1002 --rail 60E1-EN --cant 1/40 -o s1002.png",
)

app.command(name="profile")(contact_profile.profile)
app.command(name="conicity")(contact_conicity.conicity)
app.command(name="conicity-benchmark")(contact_benchmark.benchmark)
app.command(name="points")(contact_points.points)
