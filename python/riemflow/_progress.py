"""What a fit says while it runs: sentences to the log, warnings as warnings, progress as one line."""

from __future__ import annotations

import logging
import math
import sys
import time
import warnings
from typing import Any, Callable, NamedTuple, Optional, Union

from .errors import RiemflowWarning, in_python

_log = logging.getLogger("riemflow")


class Progress(NamedTuple):
    """Where a fit stands, as a callback gets it.

    Attributes
    ----------
    stage : str
        What is worked on: "flow 1, flow matching".
    done, total : float
        How much is done of how much, in iterations or other units; `total` is 0 where it is not known.
    eta : float
        Seconds that the stage still takes; infinite where that is not known.
    loss, validation, best : float
        In nats, NaN where there is none.
    """

    stage: str
    done: float
    total: float
    eta: float
    loss: float
    validation: float
    best: float


ProgressOption = Union[None, bool, Callable[[Progress], Any]]


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    try:
        return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
    except Exception:
        return False


class Listener:
    """Hears of the work of the library (python/src/listener.hpp)."""

    def __init__(self, progress: ProgressOption = None) -> None:
        self._callback: Optional[Callable[[Progress], Any]] = progress if callable(progress) else None
        wanted = progress is True or (progress is None and (sys.stderr.isatty() or _in_notebook()))
        self._show = wanted and self._callback is None
        self._width = 0
        self._name, self._total, self._limit, self._began = "", 0.0, math.inf, time.monotonic()

    def say(self, text: str) -> None:
        text = in_python(text)
        if text.startswith("Warning: "):
            self.clear()
            # The frame that called the package: the message names the user's line.
            depth, frame = 1, sys._getframe()
            while frame.f_back and frame.f_globals.get("__name__", "").startswith("riemflow"):
                depth, frame = depth + 1, frame.f_back
            warnings.warn(text[len("Warning: "):], RiemflowWarning, stacklevel=depth)
        else:
            _log.info(text)

    def stage(self, name: str, iterations: float, seconds: float) -> None:
        self._name, self._total, self._limit, self._began = name, iterations, seconds, time.monotonic()

    def step(self, stage: str, iteration: int, loss: float, validation: float, best: float, note: str) -> None:
        self._tell(stage or note or "training", iteration, self._total, loss, validation, best)

    def task(self, name: str, done: float, of: float, note: str) -> None:
        if name != self._name:
            self.stage(name, of, math.inf)
        self._tell(name + (f" ({note})" if note else ""), done, of, math.nan, math.nan, math.nan)

    def end(self) -> None:
        self._name = ""

    def _tell(self, stage: str, done: float, total: float, loss: float, validation: float, best: float) -> None:
        spent = time.monotonic() - self._began
        eta = min(spent * (total / done - 1) if done > 0 and total > 0 else math.inf, self._limit - spent)
        if self._callback:
            self._callback(Progress(stage, done, total, max(eta, 0.0), loss, validation, best))
        elif self._show:
            share = f" {100 * min(done / total, 1):3.0f} %" if total > 0 else ""
            scores = "".join(f"  {name} {value:.4f}" for name, value in
                             (("loss", loss), ("validation", validation), ("best", best)) if math.isfinite(value))
            left = f"  {max(eta, 0):.0f} s left" if math.isfinite(eta) else ""
            self._write(f"{stage}{share}{scores}{left}")

    def _write(self, line: str) -> None:
        sys.stderr.write("\r" + line + " " * max(0, self._width - len(line)))
        sys.stderr.flush()
        self._width = len(line)

    def clear(self) -> None:
        """Takes the line away."""
        if self._width:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()
            self._width = 0
