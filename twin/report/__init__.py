"""What a person looks at: tables, figures, HTML, exports. The only place with millimetres and degrees."""

from twin.report.config import ReportConfig
from twin.report.data import GridTable, RunData, RunLabel
from twin.report.html import write_html
from twin.report.judged import Judged, judge
from twin.report.tables import summary, write_csv

__all__ = [
    "GridTable",
    "Judged",
    "ReportConfig",
    "RunData",
    "RunLabel",
    "judge",
    "summary",
    "write_csv",
    "write_html",
]
