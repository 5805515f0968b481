"""Worker processes that do not outlive the run they work for.

A worker waits on a pipe whose other end it holds itself, so it never hears of a parent that was killed. It would wait
for ever, and with it whoever reads the run's output, which it inherits.
"""

import os
import threading
from multiprocessing import parent_process


def end_with_parent() -> None:
    """End this process, however busy, once its parent is gone. Nothing to do in a process that is no worker."""
    parent = parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, name="end with parent", daemon=True).start()
