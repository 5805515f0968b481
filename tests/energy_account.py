"""Energy of a vehicle under way on elastic contacts: what it has, what drives it, and what it loses where.

Rails stand still and do no work; what they push along the track is theirs (twin.vehicle.running.elastic). On straight
level track the height over the track is the height, so that over any stretch

    start + drive = kinetic + stored + lifted + pressed + dampers + creep + contact damping

with all of the right side at its end. The energy of the train's own speed is megajoules that only come and go, so what
is missing is compared with what was turned into heat.
"""

from dataclasses import dataclass

import numpy as np

from twin.contact.wheel_forces import N, wheel_buffers
from twin.contact.zones import DEPTH, FORCE
from twin.core.arrays import Array
from twin.vehicle.running import Running
from twin.vehicle.running.contacts import ElasticContacts
from twin.vehicle.running.elastic import ElasticWheels, elastic_wheelset
from twin.vehicle.running.rails import design_at
from twin.vehicle.running.record import WHEEL_FIELDS, WHEEL_POINTS, WHEEL_POWER

SAMPLES = 1e-3
"""Between two samples of the powers [s]: a wheelset bounces on its contacts at 200 Hz."""


@dataclass(frozen=True, slots=True)
class Account:
    """Over a stretch [J]."""

    drive: float
    gained: float
    """Kinetic, stored in springs, lifted and pressed, at the end less the start."""
    dampers: float
    creep: float
    contacts: float

    @property
    def heat(self) -> float:
        """What was lost."""
        return self.dampers + self.creep + self.contacts

    @property
    def missing(self) -> float:
        """What the account does not explain, over what was lost."""
        return (self.drive - self.gained - self.heat) / self.heat


class _Meter:
    """Energy and powers of the present state, contacts among them; leaves the vehicle as it is."""

    def __init__(self, running: Running) -> None:
        assert isinstance(running.contacts, ElasticContacts)
        wheels = running.contacts.wheels
        rooms = tuple(wheel_buffers(pair, wheels.law) for pair in wheels.pairs)
        self._running, self._wheels = running, wheels._replace(buffers=rooms)

    def read(self) -> Array:
        """Energy [J], power of dampers, of creep and of contact damping [W]."""
        running, model = self._running, self._running.model
        for chain, block in enumerate(model.layout.blocks):
            design_at(running.rails, model.q[block.start], model.track[chain])
        kinetic, stored, lifted, dampers = model.energies()
        pressed, creep, damping = self._contacts()
        return np.array((kinetic + stored + lifted + pressed, dampers, creep, damping))

    def _contacts(self) -> tuple[float, float, float]:
        machine, wheels = self._running.machine, self._wheels
        pressed, creep, damping = 0.0, 0.0, 0.0
        for w, (chain, _) in enumerate(machine.wheelsets):
            start, rows = machine.blocks[chain, 0], np.zeros((2, len(WHEEL_FIELDS)))
            q, v = machine.q[start : start + 6], machine.v[start : start + 6]
            wrench, C = np.zeros(6), np.zeros((6, 6))
            elastic_wheelset(wheels, w, q, v, machine.track[chain], self._running.rails, wrench, C, rows)
            creep += float(rows[:, WHEEL_POWER].sum())
            for number in range(2):
                stored, lost = _pressed(wheels, 2 * w + number, int(rows[number, WHEEL_POINTS]))
                pressed, damping = pressed + stored, damping + lost
        return pressed, creep, damping


def _pressed(wheels: ElasticWheels, wheel: int, count: int) -> tuple[float, float]:
    """Energy in a wheel's contacts as Hertz has it, 2/5 of force times depth [J], and power of their damping [W]."""
    zones, patches = wheels.buffers[wheel].zones[:count], wheels.buffers[wheel].patches[:count]
    force = zones[:, FORCE]
    damped = patches[:, N] - force  # share k_v |v_n|, so that its power is its square over share k_v
    share = force / force.sum() if count else force
    return float(0.4 * force @ zones[:, DEPTH]), float(np.sum(damped**2 / (share * wheels.law.k_v)))


def energy_account(running: Running, duration: float) -> Account:
    """Run on for a duration [s] and account for it; the settings must keep every step."""
    dt, machine, drive = running.settings.dt, running.machine, running.drive
    meter, every = _Meter(running), round(SAMPLES / dt)
    first, work, readings = meter.read(), 0.0, []
    for k in range(round(duration / dt)):
        before = machine.v[drive.coordinate]
        record = running.stretch(1)
        assert record.stopped is None, record.stopped
        work += dt * machine.wrench[drive.body, 0] * 0.5 * (before + machine.v[drive.coordinate])
        if (k + 1) % every == 0:
            readings.append(meter.read())
    powers = np.array(readings)[:, 1:]
    dampers, creep, contacts = np.trapezoid(np.vstack((first[1:], powers)), dx=SAMPLES, axis=0)
    return Account(work, float(readings[-1][0] - first[0]), float(dampers), float(creep), float(contacts))
