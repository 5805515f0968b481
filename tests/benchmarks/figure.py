"""A measured figure of the foundation, as `make bench` prints it."""

Figure = dict[str, str | float]
"""name, value and unit."""


def figure(name: str, value: float, unit: str) -> Figure:
    """One figure; the name goes on after "foundation."."""
    return {"name": f"foundation.{name}", "value": float(value), "unit": unit}
