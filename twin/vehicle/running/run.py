"""A vehicle set in motion on a track: `run` for a whole run, `Running` for one stretch after the other."""

from collections.abc import Callable, Iterator
from typing import Literal, Self

import numpy as np
from pydantic import Field, model_validator

from twin.core.arrays import Array, frozen
from twin.core.errors import ConfigError
from twin.core.settings import Settings
from twin.vehicle.description import Vehicle, wheels_of
from twin.vehicle.running.contacts import ElasticContacts, KnifeContacts, Way
from twin.vehicle.running.flexible import FlexibleRails
from twin.vehicle.running.native import NativeCall
from twin.vehicle.running.rails import Rails, design_at, plane_at
from twin.vehicle.running.record import WHEEL_FIELDS, Record
from twin.vehicle.running.seats import WheelRailSettings, wheelsets_on_rails
from twin.vehicle.running.standing import follow_wheelsets, turn_rotors
from twin.vehicle.running.step import (
    LEFT_TRACK,
    NO_CONTACT,
    NOT_FINITE,
    ON_TRACK,
    Drive,
    Machine,
    Room,
    free_rates,
    keep,
    move,
)
from twin.vehicle.statics import at_rest
from twin.vehicle.symbolic import VehicleModel, vehicle_model
from twin.vehicle.track_flexibility.parameters import Track

STRETCH = 1.0
"""Length of the stretches a run is computed in [s]: progress is told after each."""
REASONS = {
    LEFT_TRACK: "{wheelset} has left the track",
    NOT_FINITE: "the motion blew up: a rate is beyond all bounds; take a shorter step",
    NO_CONTACT: "the contacts of {wheelset} were not resolved; take a shorter step",
}


class RunSettings(Settings):
    """How a vehicle's run is computed."""

    contact: Literal["elastic", "knife"] = Field(
        "elastic", description="elastic: full contact in many points; knife: constraints, ten times faster"
    )
    step: float | None = Field(
        None, ge=1e-6, le=5e-3, description="of the integration [s]; else 0.25 ms elastic, 1 ms on knives"
    )
    rate: float = Field(1000.0, gt=0, le=1e5, description="kept states per second [Hz]; a whole number of steps apart")
    driven: bool = Field(False, description="torques on the wheelsets keep the speed, instead of a pull at the body")
    wheel_rail: WheelRailSettings = Field(WheelRailSettings(), description="what the wheels run on")
    track: Track | None = Field(
        None, description="that gives way under elastic contacts, even support and viscous damping; none: it is rigid"
    )

    @model_validator(mode="after")
    def _gives_way_under_forces(self) -> Self:
        if self.track is not None and self.contact == "knife":
            raise ValueError("knives stand on rigid track: set contact = 'elastic', or leave out the track")
        return self

    @property
    def dt(self) -> float:
        """[s]"""
        return self.step or (2.5e-4 if self.contact == "elastic" else 1e-3)

    @property
    def every(self) -> int:
        """Steps from one kept state to the next."""
        count = round(1 / (self.rate * self.dt))
        if count < 1 or abs(count * self.rate * self.dt - 1) > 1e-6:
            raise ConfigError(f"rate {self.rate:g} Hz is no whole number of steps of {self.dt:g} s: change either")
        return count


class Running:
    """A vehicle under way, one stretch after the other."""

    def __init__(
        self,
        vehicle: Vehicle,
        rails: Rails,
        *,
        speed: float | tuple[Array, Array],
        s: float,
        settings: RunSettings | None = None,
        model: VehicleModel | None = None,
    ) -> None:
        """speed: constant [m/s], or times [s] and speeds, straight between; s: of its middle at t = 0 [m]."""
        self.vehicle, self.rails, self.settings = vehicle, rails, settings or RunSettings()
        self.model = model or vehicle_model(vehicle)
        self._every = self.settings.every
        self._loads = at_rest(vehicle).wheel_loads
        self.pairs = wheelsets_on_rails(vehicle, self.settings.wheel_rail)
        self.machine = _machine(vehicle, self.model)
        times, speeds = (np.zeros(1), np.array([speed])) if isinstance(speed, int | float) else speed
        self.drive = self._drive(times, speeds)
        self._native = NativeCall(self.model.motion)
        self._steps_done = 0
        self._row = np.zeros((2 * len(self.pairs), len(WHEEL_FIELDS)))
        self.contacts: ElasticContacts | KnifeContacts = (
            ElasticContacts(vehicle, self.pairs, self.settings.wheel_rail, flexible=self._flexible(speeds))
            if self.settings.contact == "elastic"
            else KnifeContacts(vehicle, self.pairs, self.settings.wheel_rail)
        )
        self._place(s, float(speeds[0]))

    @property
    def t(self) -> float:
        """Time that has passed [s]."""
        return self._steps_done * self.settings.dt

    def stretch(self, samples: int) -> Record:
        """The next samples; fewer if the run ends before, which the record says."""
        machine, dt = self.machine, self.settings.dt
        shape = (samples, machine.q.size)
        room = Room(np.empty(shape), np.empty(shape), np.empty(shape), np.empty((samples, *self._row.shape)), self._row)
        kept, end, lost = self._run(room)
        t = (self._steps_done + self._every * np.arange(1, kept + 1)) * dt
        self._steps_done += self._every * kept
        stopped = None if end == ON_TRACK else self._statement(end, lost)
        q, v, a, wheels = (frozen(each[:kept]) for each in (room.q, room.v, room.a, room.wheels))
        return Record(self.model.layout, frozen(t), q, v, a, wheels, stopped)

    def _run(self, room: Room) -> tuple[int, int, int]:
        way, contacts, dt, every = (
            Way(self.machine, self.rails, self.drive),
            self.contacts,
            self.settings.dt,
            self._every,
        )
        if self._native.native.function:
            return contacts.steps(self._native.native, way, self.t, dt, every, room)
        for k in range(room.q.shape[0]):  # the same steps, one by one around the slower evaluation
            contacts.suit(way)
            for i in range(every):
                lost = contacts.prepare(way, self.t + (k * every + i) * dt, dt, room.row)
                if lost >= 0:
                    return k, LEFT_TRACK, lost
                self.model.evaluate()
                free_rates(self.machine, dt)
                lost = contacts.hold(way, dt, room.row)
                if not move(self.machine, dt):
                    return k, NOT_FINITE, lost
                if lost >= 0:
                    return k, NO_CONTACT, lost
            keep(self.machine, room, k, dt)
        return room.q.shape[0], ON_TRACK, -1

    def _statement(self, end: int, lost: int) -> str:
        layout, wheelsets = self.model.layout, self.vehicle.wheelsets
        name = wheelsets[lost].name if lost >= 0 else wheelsets[0].name
        s = float(self.model.q[layout.index(f"{name}.s")])
        return f"{REASONS[end].format(wheelset=name)}, at s = {s:.1f} m, t = {self.t:.2f} s"

    def _place(self, s: float, speed: float) -> None:
        """Stand the vehicle on its rails at s, already rolling."""
        model, layout = self.model, self.model.layout
        model.q[:], model.v[:], model.states[:] = layout.rest, 0.0, 0.0
        for block in layout.blocks:
            model.q[block.start] += s
            model.v[block.start] = speed
        for w, wheelset in enumerate(self.vehicle.wheelsets):
            start = layout.index(f"{wheelset.name}.s")
            wheels, loads = wheels_of(wheelset), self._loads[wheelset.name]
            plane = plane_at(self.rails, float(model.q[start]), wheels.half_distance)
            z, roll = self.contacts.seat(w, 0.0, loads)
            # upright on the tilted plane, half way between the rails
            model.q[start + 1] += 0.5 * (plane.y_left + plane.y_right) - z * np.sin(plane.roll)
            model.q[start + 2] = plane.level + z * np.cos(plane.roll)
            model.q[start + 3] = roll + plane.roll
            model.v[start + 4] = speed / wheels.radius
            self.contacts.load(w, model.q[start : start + 6], model.v[start : start + 6], self.rails, loads)
        follow_wheelsets(self.vehicle, model)
        for chain, block in enumerate(layout.blocks):
            design_at(self.rails, float(model.q[block.start]), model.track[chain])
        turn_rotors(self.vehicle, model)

    def _flexible(self, speeds: Array) -> FlexibleRails | None:
        if self.settings.track is None:
            return None
        loads = np.array([load for each in self.vehicle.wheelsets for load in self._loads[each.name]])
        fastest = float(np.abs(speeds).max())
        return FlexibleRails(self.settings.track, self.vehicle, fastest=fastest, loads=loads, dt=self.settings.dt)

    def _drive(self, times: Array, speeds: Array) -> Drive:
        layout, vehicle = self.model.layout, self.vehicle
        frames = {name: vehicle.body(name).mass for name in layout.frames}
        pulled = max(frames, key=lambda name: frames[name])
        radius = wheels_of(vehicle.wheelsets[0]).radius if self.settings.driven else 0.0
        return Drive(
            np.ascontiguousarray(times, dtype=np.float64),
            np.ascontiguousarray(speeds, dtype=np.float64),
            vehicle.mass,
            layout.bodies.index(pulled),
            layout.index(f"{pulled}.s"),
            radius,
            np.zeros(1),
        )


def _machine(vehicle: Vehicle, model: VehicleModel) -> Machine:
    layout = model.layout
    sizes = [block.stop - block.start for block in layout.blocks]
    firsts = np.cumsum([0] + [size**2 for size in sizes])[:-1]
    blocks = np.array(
        [(block.start, size, first) for block, size, first in zip(layout.blocks, sizes, firsts, strict=True)],
        dtype=np.int64,
    )
    wheelsets = np.array(
        [(layout.frames.index(each.name), layout.bodies.index(each.name)) for each in vehicle.wheelsets],
        dtype=np.int64,
    )
    return Machine(
        model.q,
        model.v,
        model.track,
        model.wrench,
        model.states,
        model.M,
        model.delta,
        model.rates,
        blocks,
        wheelsets,
        np.zeros((len(sizes), max(sizes), max(sizes))),
        np.zeros((len(wheelsets), 6, 6)),
        np.zeros(model.q.size),
    )


def run(running: Running, duration: float, *, progress: Callable[[float], None] | None = None) -> Record:
    """A whole run of a duration [s]; progress is told the share that is done. What was computed is kept always."""
    parts = []
    for part in stretches(running, duration):
        parts.append(part)
        if progress is not None:
            progress(min(1.0, running.t / duration))
    return Record.join(parts)


def stretches(running: Running, duration: float) -> Iterator[Record]:
    """The run in stretches of a second; ends with the duration [s], or where the vehicle stops."""
    rate = running.settings.rate
    left = round(duration * rate)
    while left > 0:
        part = running.stretch(min(left, max(1, round(STRETCH * rate))))
        left -= part.t.size
        yield part
        if part.stopped is not None:
            return
