"""Size of a vehicle's equations of motion, as [Ros Table 2] lists it: coordinates, atoms, operations, compiler."""

from typing import TYPE_CHECKING

from twin.cli.console import terminal

if TYPE_CHECKING:
    from rich.table import Table

    from twin.vehicle.description import Vehicle
    from twin.vehicle.symbolic import Cost, Layout

FUNCTIONS = {
    "M": "mass matrix M",
    "delta": "generalised forces delta",
    "rates": "rates of the internal states",
    "together": "all of them together",
    "energies": "energies",
}
"""What the functions of the model compute."""
PUBLISHED = {"M": (1795, 10910), "delta": (3648, 19015)}
"""Atoms and operations of the FEVE 3000 locomotive [Ros Table 2]."""
PUBLISHED_NAME = "FEVE 3000-like locomotive"


def show_equations(vehicle: "Vehicle") -> None:
    """Derive the equations of motion and print how large they are, and how they will run."""
    from twin.vehicle.symbolic import derive
    from twin.vehicle.symbolic.export import cost

    terminal().say(f"{vehicle.name}: deriving its equations of motion")
    equations = derive(vehicle)
    costs = equations.costs() | {"energies": cost(equations.energies())}
    terminal().show(_coordinates(equations.layout))
    terminal().show(_functions(costs))
    for remark in _remarks(vehicle):
        terminal().show(remark)


def _coordinates(layout: "Layout") -> "Table":
    from rich.table import Table

    count, states = len(layout.coordinates), len(layout.states)
    title = f"Coordinates: {count}, in {len(layout.blocks)} blocks of M, and {states} internal states"
    table = Table(title=title, title_justify="left")
    for column in ("block", "body", "coordinates", "places in q"):
        table.add_column(column, justify="left" if column in ("body", "coordinates") else "right")
    for number, block in enumerate(layout.blocks, start=1):
        bodies: dict[str, list[int]] = {}
        for place in range(block.start, block.stop):
            bodies.setdefault(layout.coordinates[place].rpartition(".")[0], []).append(place)
        for body, places in bodies.items():
            names = ", ".join(layout.coordinates[place].rpartition(".")[2] for place in places)
            last = "" if len(places) == 1 else f" to {places[-1] + 1}"
            table.add_row(str(number), body, names, f"{places[0] + 1}{last}")
    if layout.states:
        table.add_row("", "internal states [m]", ", ".join(layout.states), "")
    return table


def _functions(costs: "dict[str, Cost]") -> "Table":
    from rich.table import Table

    table = Table(title="Functions of the model", title_justify="left")
    table.add_column("function")
    for column in ("atoms", "operations"):
        table.add_column(column, justify="right")
    for name, size in costs.items():
        table.add_row(FUNCTIONS[name], str(size.atoms), str(size.operations))
    return table


def _remarks(vehicle: "Vehicle") -> list[str]:
    from twin.vehicle.symbolic.export import found_compiler

    remarks = [
        "an atom is computed once and read twice or more; contacts and creep forces are no symbolic functions, but"
        " compiled kernels beside them"
    ]
    if vehicle.name == PUBLISHED_NAME:
        sizes = ", ".join(
            f"{name} {atoms} atoms and {operations} operations" for name, (atoms, operations) in PUBLISHED.items()
        )
        remarks.append(f"published for this locomotive: {sizes} [Ros Table 2]; here every free body has its own frame")
    compiler = found_compiler()
    remarks.append(
        "no C compiler found (CC, cc, gcc, clang): it runs on CasADi's virtual machine, some thirty times slower"
        if compiler is None
        else f"C compiler: {compiler}; the functions are compiled once and kept"
    )
    return remarks
