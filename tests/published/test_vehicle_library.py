"""Vehicles of the library against the numbers they were taken from, and what is known of them."""

import csv
import math
from pathlib import Path

import pytest

from twin.vehicle.description import Bushing, Vehicle
from twin.vehicle.library import VEHICLES, vehicle
from twin.vehicle.plausibility import check, doubts
from twin.vehicle.statics import at_rest

TABLE = Path(__file__).parents[3] / "shared" / "reference" / "vehicles" / "vehicles.csv"


def spring(found: Vehicle, name: str) -> Bushing:
    element = next(element for element in found.elements if element.name == name)
    assert isinstance(element, Bushing)
    return element


@pytest.mark.parametrize("name", VEHICLES)
def test_every_vehicle_is_plausible_and_says_where_it_comes_from(name: str) -> None:
    found = check(VEHICLES[name]())
    assert found.source
    assert found.assumptions
    assert len(found.wheelsets) == 4


def test_manchester_wheel_load_is_54_55_kN() -> None:
    loads = at_rest(vehicle("manchester"), gravity=9.81).wheel_loads
    for pair in loads.values():
        assert pair == pytest.approx((54.55e3, 54.55e3), abs=5.0)


def test_manchester_bounces_at_1_08_Hz() -> None:
    """DESIGN 7: car body on both stages in series, bogie mass left out."""
    found = vehicle("manchester")
    k_1 = 8 * spring(found, "wheelset 1 left primary spring").stiffness[2]
    k_2 = 4 * spring(found, "front left secondary spring").stiffness[2]
    bounce = math.sqrt(k_1 * k_2 / (k_1 + k_2) / found.body("carbody").mass) / (2 * math.pi)
    assert bounce == pytest.approx(1.08, abs=0.01)


@pytest.mark.parametrize(("name", "way"), [("vivalto-printed", 6.9e-3), ("vivalto", 69e-3)])
def test_vivalto_coils_give_6_9_mm_as_printed_and_69_mm_corrected(name: str, way: float) -> None:
    deflection = at_rest(vehicle(name), gravity=9.81).deflections["wheelset 1 left outer coil"]
    assert deflection == pytest.approx(way, rel=0.01)
    assert any("coil" in doubt for doubt in doubts(vehicle(name))) == (name == "vivalto-printed")


@pytest.mark.parametrize(("name", "sway"), [("vivalto-printed", 0.17), ("vivalto", 0.53)])
def test_vivalto_sways_at_0_17_Hz_as_printed_and_0_53_Hz_corrected(name: str, sway: float) -> None:
    found = vehicle(name)
    k_y = 4 * spring(found, "front left air spring").stiffness[1]
    assert math.sqrt(k_y / found.body("carbody").mass) / (2 * math.pi) == pytest.approx(sway, abs=0.005)


def test_variants_of_vivalto_differ_in_two_values_only() -> None:
    printed, corrected = vehicle("vivalto-printed"), vehicle("vivalto")
    assert printed.bodies == corrected.bodies
    for one, other in zip(printed.elements, corrected.elements, strict=True):
        if isinstance(one, Bushing) and isinstance(other, Bushing):
            k = tuple(a / b for a, b in zip(one.stiffness, other.stiffness, strict=True))
            assert k == pytest.approx((1.0, 1.0, 10.0) if "coil" in one.name else (1.0, 0.1, 1.0))
            other = other.model_copy(update={"stiffness": one.stiffness})
        assert one == other


def test_locomotive_of_metre_gauge_has_driven_and_heavier_rear_wheelsets() -> None:
    found = vehicle("feve3000")
    assert found.mass == pytest.approx(34250.7, abs=0.1)
    loads = [sum(at_rest(found).wheel_loads[w.name]) for w in found.wheelsets]
    assert min(loads[2:]) > max(loads[:2])
    assert [body.name for body in found.bodies if body.kind == "rotor"] == ["wheelset 3 rotor", "wheelset 4 rotor"]
    assert sum("no mass distribution" in doubt for doubt in doubts(found)) == 3


@pytest.mark.parametrize(
    ("label", "name", "bodies"),
    [
        ("Manchester V1 (passenger coach)", "manchester", ("carbody mass", "bogie frame mass", "wheelset mass")),
        ("E.464 locomotive", "e464", ("coach mass", "bogie mass", "wheelset mass")),
        ("Vivalto coach", "vivalto", ("coach mass", "bogie mass", "wheelset mass")),
    ],
)
def test_masses_are_those_of_the_reference_table(label: str, name: str, bodies: tuple[str, ...]) -> None:
    if not TABLE.is_file():
        pytest.skip("the reference vehicles lie outside the repository and are absent here")
    with TABLE.open(encoding="utf-8") as file:
        values = {row["parameter"]: row["value"] for row in csv.DictReader(file) if row["vehicle"] == label}
    found = vehicle(name)
    for body, parameter in zip(("carbody", "front bogie", "wheelset 1"), bodies, strict=True):
        assert found.body(body).mass == float(values[parameter])
