"""A progress bar: from tqdm if it is installed, otherwise one line in the terminal."""

from __future__ import annotations

import sys
import threading
import time
from contextlib import contextmanager
from typing import Any, Callable, Iterator

_TICK = 0.2  # seconds between updates of the bar, even without progress
_KNOWN = "{desc} {percentage:3.0f}% |{bar}| {n_fmt}/{total_fmt} [{elapsed}]{postfix}"
_OPEN = "{desc} {n_fmt} [{elapsed}]{postfix}"


@contextmanager
def shown(label: str, verbose: bool) -> Iterator[Callable[[dict[str, Any]], None] | None]:
    """Return the callback for progress events, or None if nothing is shown. The elapsed time is also updated between
    events."""
    if not verbose:
        yield None
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        bar: Any = _Line(label)
    else:
        bar = _Bar(tqdm, label)
    over = threading.Event()

    def tick() -> None:
        while not over.wait(_TICK):
            bar.refresh()

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield bar.news
    finally:
        over.set()
        ticker.join(_TICK)  # an interrupt does not wait for a longer update
        bar.close()


class _Bar:
    """A progress bar of tqdm."""

    def __init__(self, tqdm: Any, label: str) -> None:
        self._label, self._lock, self._closed = label, threading.Lock(), False
        self._bar = tqdm(desc=f"{label} data", leave=False, bar_format=_OPEN)

    def news(self, event: dict[str, Any]) -> None:
        with self._lock:
            bar = self._bar
            bar.set_description(f"{self._label} {event['Stage']}", refresh=False)
            bar.total = event["Total"] or None
            bar.bar_format = _KNOWN if event["Total"] else _OPEN
            bar.n = event["Done"]
            if event["Objective"]:
                bar.set_postfix(objective=f"{event['Objective']:.6g}", refresh=False)
            bar.refresh()

    def refresh(self) -> None:
        with self._lock:
            if not self._closed:
                self._bar.refresh()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._bar.close()


class _Line:
    """A progress line in the terminal."""

    def __init__(self, label: str) -> None:
        self._label, self._lock = label, threading.Lock()
        self._since, self._width, self._text, self._closed = time.monotonic(), 0, "data", False

    def news(self, event: dict[str, Any]) -> None:
        text = f"{event['Stage']} {event['Done']}"
        if event["Total"]:
            text += f"/{event['Total']}"
        if event["Objective"]:
            text += f" {event['Objective']:.6g}"
        self._text = text
        self.refresh()

    def refresh(self) -> None:
        with self._lock:
            if self._closed:
                return
            text = f"{self._label} {self._text} {time.monotonic() - self._since:.1f} s"
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()
            self._width = len(text)

    def close(self) -> None:
        with self._lock:
            self._closed = True
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
