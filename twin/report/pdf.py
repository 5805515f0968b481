"""The report on paper: A3 sheets in one PDF, the summary first, then a kilometre on each."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib
from matplotlib.backends.backend_pdf import PdfPages

from twin.report.data import RunData
from twin.report.front_sheet import front_sheets, sheets_needed
from twin.report.judged import Judged
from twin.report.sheet import Title
from twin.report.strip_sheets import StripSheet, starts_of
from twin.report.track_tables import exceedance_rows

if TYPE_CHECKING:
    from twin.report.laid_over import LaidOver

_FONT = 42
"""TrueType: letters stay letters, so that a reader can search for a kilometre."""
_SIMPLER = 0.3
"""Points of a line nearer to it than this are left out [1/72 inch]: a tenth of a millimetre."""


def write_pdf(
    data: RunData,
    path: Path,
    judged: Judged,
    *,
    earlier: "LaidOver | None" = None,
    progress: Callable[[float], None] = lambda share: None,
) -> None:
    """Write the sheets of a run that has seen its rails. The same run gives the same bytes."""
    title = Title.of(data, limits=judged.source)
    about = {"Title": f"Track geometry, {data.label.name}", "Creator": f"RailTwin {data.label.software}"}
    rows, starts = exceedance_rows(judged, earlier), starts_of(judged.geometry.s, data.places)
    first = sheets_needed(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    with (
        matplotlib.rc_context({"pdf.fonttype": _FONT, "path.simplify_threshold": _SIMPLER}),
        PdfPages(path, metadata=about | {"CreationDate": None}) as pages,
    ):
        for sheet in front_sheets(judged, data, title, rows, total=first + len(starts)):
            pages.savefig(sheet)
        strips = StripSheet(judged, data, title, earlier)
        for done, sheet in enumerate(strips.sheets(starts, after=first), start=1):
            pages.savefig(sheet)
            progress(done / len(starts))
