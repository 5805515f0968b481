"""RailTwin: the digital twin of a railway vehicle and its track.

Conventions, everywhere unless a name says otherwise
----------------------------------------------------
Axes: x forward, y left, z up. Euler angles ZYX: roll phi, pitch theta (nose down positive), yaw psi.
Track frame t at arc length s: x tangent to the design centre line, z normal to the canted plane of the rails.
rho_h, rho_v, rho_tw are the components (z, y, x) of its angular velocity per metre, in the canted frame.
Left curves are positive. The cant angle is the roll of the track frame: negative in a canted left curve.
Accelerometers give specific force: at rest (0, 0, +g).
Units are SI and radians; a suffix (t_ns, cant_mm, yaw_deg) marks wire, file or report.
Time is integer nanoseconds on the host's monotonic clock. Wall time is a label.
Frames in names: g ground, t track, b body, w wheelset, c camera, p contact patch; R_tb turns b into t.
"""

from twin.version import __version__

__all__ = ["__version__"]
