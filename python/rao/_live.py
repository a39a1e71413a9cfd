"""Decisions on a live signal."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Any, Literal, NamedTuple, Sequence

import numpy as np

from . import _engine
from ._interrupt import interruptible
from ._labels import class_names
from ._model import Model, from_reply
from ._recording import band_text, names_of


class LiveDecision(NamedTuple):
    """One decision of :class:`Decoder` or :class:`EventDecoder`. The names are those of ``rao eeg stream --json``.

    Attributes
    ----------
    at : int
        Number of samples from the start of the signal to the end of the window.
    time : float
        The same in seconds.
    label : int, str or other type of the labels
        The most probable class, even if the decision is rejected.
    probability : float
        Its probability.
    posterior : ndarray of shape (n_classes,)
        The probability of each class, in the order of ``classes``.
    rejected : bool
        Whether the probability is below the threshold of the model, or the observation is an outlier.
    outlier : bool
        Whether the observation is far from the training data.
    event : object
        What :meth:`EventDecoder.mark` was given; None for other decoders.

    Examples
    --------
    >>> import numpy as np, rao
    >>> X, y = rao.datasets.make("syn1", per_class=20)
    >>> with rao.Decoder(rao.MDM().fit(X, y)) as decoder:
    ...     d = decoder.observe(X[0])
    >>> d.label in y, d.posterior.shape, d.rejected
    (True, (4,), False)
    """

    at: int
    time: float
    label: Any
    probability: float
    posterior: np.ndarray
    rejected: bool
    outlier: bool
    event: Any = None


class SignalError(_engine.RaoError):
    """Samples that are not finite, or a window without a decision. It ends a decoder unless ``on_error`` is "skip".

    Attributes
    ----------
    at : int
        Number of samples before the fault.
    decisions : list of LiveDecision
        The decisions on the samples of the same call before the fault.
    """

    def __init__(self, message: str, at: int = 0, decisions: Sequence[LiveDecision] = ()) -> None:
        super().__init__(message)
        self.at, self.decisions = at, list(decisions)


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that were given, checked, in the form of a request."""
    given = {k: v for k, v in options.items() if v is not None}
    for name in ("rate", "step", "start", "window", "segment", "overlap", "order"):
        if name in given:
            given[name] = _engine.number(given[name], name, whole=name == "order")
    for name in ("rate", "step", "window"):
        if name in given and not given[name] > 0:
            raise _engine.RaoError(f"{name} is {given[name]}, but must be above 0")
    for name in ("adapt", "combine", "estimator", "reference"):
        if name in given:
            _engine.word(given[name], name)
    if "channels" in given:
        given["channels"] = names_of(_engine.listed(given["channels"], "channels"))
    if "channel_unit" in given:
        units = given["channel_unit"] = list(map(str, _engine.listed(given["channel_unit"], "channel_unit")))
        if len(units) > 1 and len(units) != len(given.get("channels", units)):
            raise _engine.RaoError(f"channel_unit has {len(units)} units for {len(given['channels'])} channels; give "
                                   "one for all, or one per channel")
    if not isinstance(given.get("recipe", {}), dict):
        raise _engine.RaoError(f"recipe has the type {type(given['recipe']).__name__}, but must be a dict, such as "
                               "trials.recipe")
    if "bands" in given:
        given["bands"] = band_text(given["bands"])
    if "normalize" in given:
        given["normalize"] = bool(given["normalize"])
    return given


_REMEDIES = {  # what to do, in the words of the program and of Python
    "fit it to trials or covariances of recordings": "give recipe, such as trials.recipe",
    "give window, rate and bands, or give matrices": "give recipe, such as trials.recipe, or window, rate and bands; "
                                                     "observe decides on matrices",
    "use a model of matrices, or predict trials that were cut at the events": "use rao.EventDecoder for a model of "
                                                                              "trials, or a model of matrices",
    "decide at events, or use a model of matrices": "use rao.EventDecoder, or a model of matrices",
}


class _Live:
    """The common part of the decoders, which have a process of their own. It keeps the state of the signal."""

    _events = False

    def _open(self, model: Any, on_error: str, options: dict[str, Any]) -> None:
        if on_error not in ("stop", "skip"):
            raise _engine.RaoError(f'on_error is {on_error!r}, but must be "stop" or "skip"')
        found = model if isinstance(model, Model) else getattr(model, "model_", None)
        if not isinstance(found, Model):
            why = "is not fitted; call fit first" if hasattr(model, "_method") else \
                f"has the type {type(model).__name__}, but must be a rao.Model or a fitted estimator of rao"
            raise _engine.RaoError(f"model {why}")
        given = _given(options)
        self.classes = found.classes
        self.notes: list[str] = []
        self.skipped = 0
        self.flat: list[str] = []
        self._labels = found.classes.tolist()
        self._names = class_names(found.classes)
        self._lock, self._pid, self._why = threading.RLock(), os.getpid(), "the decoder is closed; create a new one"
        self._marked: dict[int, Any] = {}
        self._worker: _engine.Worker | None = _engine.Worker()
        self._end = weakref.finalize(self, self._worker.close)
        _decoders.add(self)
        try:
            file = np.frombuffer(found.to_bytes(), np.uint8)
            loaded = self._ask({"op": "load"}, [("file", file)])[0]["info"]["model"]
            reply = self._ask({"op": "open_decoder", "model": loaded,
                               "live": {**given, "skip": on_error == "skip", "events": self._events}})[0]
        except BaseException:
            self.close()
            raise
        info = reply["info"]
        self._width: int = info["width"]
        self.rate, self.seconds = float(info["rate"]), float(info["seconds"])
        self.notes = [_engine.in_python(n) for n in reply.get("notes", ())]
        for note in self.notes:
            _engine.warn(note)

    def _ask(self, fields: dict[str, Any], arrays: Sequence[tuple[str, np.ndarray]] = (), quick: bytes = b"") -> Any:
        """Send a request to the process of the decoder. An interruption or the end of the process ends the decoder."""
        if self._pid != os.getpid():
            raise _engine.EngineError("the decoder belongs to the process that created it; create one in this process")
        with self._lock:
            worker = self._worker
            if worker is None:
                raise ValueError(self._why)
            try:
                return _engine.checked(worker.ask_small(quick, arrays[0][1]) if quick else worker.ask(fields, arrays))
            except _engine.RaoError as e:
                text, _, remedy = str(e).rpartition("; ")
                if remedy in _REMEDIES:
                    raise _engine.RaoError(f"{text}; {_REMEDIES[remedy]}") from None
                raise
            except BaseException as e:
                self._worker, self._why = None, "the decoder ended when a call was interrupted; create a new one"
                gone = worker._ended() if isinstance(e, _engine._Gone) else None
                self._end.detach()
                worker.kill()
                if gone is None:
                    raise
                raise gone from e

    def _samples(self, X: Any) -> np.ndarray:
        """Return the samples as samples × channels."""
        x = _engine.portable(X)
        if not x.size:
            return np.empty((0, self._width))
        if x.ndim == 1:
            x = x[:, None]
        if x.ndim != 2 or self._width and len(x) != self._width:
            turned = x.ndim == 2 and x.shape[1] == self._width
            raise _engine.RaoError(f"X has the shape {np.shape(X)}, but must have the shape (channels, samples) with "
                                   f"{self._width} channels" + "; push X.T" * turned)
        return np.ascontiguousarray(x.T, np.float64)

    @interruptible
    def push(self, X: Any) -> list[LiveDecision]:
        """Push samples of the signal, and return the decisions on the windows that end in them.

        Parameters
        ----------
        X : array of shape (channels, samples), or (channels,) for one sample
            The samples that follow the samples of earlier calls, in blocks of any size.

        Returns
        -------
        list of LiveDecision
            Most calls with few samples return an empty list.

        Raises
        ------
        SignalError
            If a value is not finite or a window has no covariance, unless ``on_error`` is "skip". The decoder has then
            ended.
        """
        x = self._samples(X)
        if x.nbytes < _engine._ARENA_FROM:
            head = f'{{"op":"push","arrays":[{{"name":"X","dtype":"<f8","shape":[{x.shape[0]},{x.shape[1]}]}}]}}'
            return self._decisions(*self._ask({}, [("X", x)], head.encode()))
        return self._decisions(*self._ask({"op": "push"}, [("X", x)]))

    def _decisions(self, reply: dict[str, Any], arrays: dict[str, np.ndarray]) -> list[LiveDecision]:
        found: list[LiveDecision] = []
        if arrays:
            columns = [arrays[k].tolist() for k in ("at", "label", "probability", "rejected", "outlier", "event")]
            for row, (at, label, p, rejected, outlier, event) in zip(arrays["posterior"], zip(*columns)):
                time = at / self.rate if self._width else float(at)
                found.append(LiveDecision(at, time, self._labels[label], p, row, bool(rejected), bool(outlier),
                                          self._marked.pop(event, None)))
        info = reply.get("info")
        if info:
            self.skipped += info.get("skipped", 0)
            self._note(info.get("flat"))
            for fault in reply.get("warnings", ()):
                _engine.warn(f"skipped: {_engine.in_python(fault)}")
            if "fault" in info:
                self._why = ("the decoder ended because of an error in the signal; create a new one, with "
                             'on_error="skip" to continue after such errors')
                self.close()
                raise SignalError(_engine.in_python(info["fault"]), info["accepted"], found)
        return found

    def _note(self, flat: list[str] | None) -> None:
        """Warn about channels that have become constant."""
        if flat is None:
            return
        new = [c for c in flat if c not in self.flat]
        self.flat = flat
        if new:
            _engine.warn(f"flat for a window or longer: {', '.join(new)}; decisions are unreliable until this is fixed")

    def restart(self) -> int:
        """Mark a break in the signal before the next samples, such as a gap. Filters and window start again; adaptation
        and the count of samples continue.

        Returns
        -------
        int
            Number of marked events that will have no decision.
        """
        lost: int = self._ask({"op": "restart"})[0]["info"]["lost"]
        if lost:
            self._marked.clear()
        return lost

    @property
    def model(self) -> Model:
        """The model with the recipe and the updates of the decoder. Saved, it also decides in ``rao eeg stream``."""
        return from_reply(self._ask({"op": "decoder_model"}))

    def close(self) -> None:
        """End the decoder and its process. Later calls raise a ValueError. Closing it twice is no error."""
        with self._lock:
            self._worker = None
            self._end()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __getstate__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} has a process of its own and cannot be copied or pickled; create one "
                        "from the model")

    def __repr__(self) -> str:
        state = f"{self._width} channels at {self.rate:g} Hz, windows of {self.seconds:g} s"
        if not self._width:
            state = "complete observations"
        return f"<rao.{type(self).__name__}: {'closed' if self._worker is None else state}>"


class Decoder(_Live):
    """Decisions on sliding windows of a live signal, as from ``rao eeg stream``.

    The decoder selects the channels of the model, converts their units, filters forward only, and decides on every
    window. For the same samples it makes the same decisions as the tool, and for a causal recipe the same decisions as
    ``predict``. It does not interpolate bad channels, like ``rao eeg stream --bad keep``, and decides on each window alone,
    without a rule of ``rao eeg stopping``.

    Each decoder starts a process of its own, which keeps the state of the signal. The process ends with :meth:`close`, at
    the end of ``with``, when a call is interrupted, or when the decoder is no longer used. Several threads can use a
    decoder; their calls wait for each other.

    Parameters
    ----------
    model : rao.Model, or fitted estimator
        A model of matrices with a classifier.
    recipe : dict, optional
        How the matrices of the training data were computed, such as ``trials.recipe`` of the trials that
        :meth:`Recording.covariances` returns. Models that the tool fitted to trials contain their recipe.
    rate : float, optional
        Samples per second; by default the rate of the recipe. A different rate is an error.
    channels : list of str, optional
        Names of the channels that are pushed. The model's channels are selected by name, in any order; a missing one is
        an error. By default exactly the model's channels are pushed, in its order.
    channel_unit : str or list of str, optional
        Unit of all channels or of each, such as "uV" or "V". Values are converted to the unit of the training data. A
        warning says if a unit is unknown.
    reference : str, optional
        Reference electrode of the channels, if known.
    step : float, optional
        Seconds between decisions; by default the length of the window.
    adapt : {"causal"}, optional
        Adapt as the data arrive, for a model that adapts to complete recordings.
    window : float, optional
        Seconds of signal for a decision, for a model without a recipe.
    bands, order, combine, estimator, segment, overlap, normalize : optional
        How samples become matrices, for a model without a recipe; see :meth:`Recording.covariances`. Several bands
        become "stacked" matrices. Contradicting a recipe is an error.
    on_error : {"stop", "skip"}, default="stop"
        At samples that are not finite, and at windows without a decision: raise a SignalError, which ends the decoder;
        or warn, count them in ``skipped``, and continue.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The classes, in the order of ``posterior``.
    rate : float
        Samples per second.
    seconds : float
        Length of the window in seconds, or 0 if the decoder accepts only matrices.
    notes : list of str
        Remarks on the signal and the model, which were also warnings.
    skipped : int
        Number of samples and windows that were skipped.
    flat : list of str
        Channels that have been constant for at least a window.

    Examples
    --------
    >>> import rao
    >>> recording = rao.simulate("movement", trials=20)
    >>> trials = recording.covariances(["left", "right"], 0.5, 2.5, bands="8-30", causal=True)
    >>> mdm = rao.MDM().fit(trials.X, trials.y)
    >>> with rao.Decoder(mdm, recipe=trials.recipe, channel_unit="V", step=0.5) as decoder:
    ...     for i in range(0, 1000, 25):
    ...         for d in decoder.push(recording.data[:, i:i + 25]):
    ...             print(d.time, d.label in ("left", "right"), d.rejected)
    2.0 True False
    2.5 True False
    3.0 True False
    3.5 True False
    4.0 True False
    """

    def __init__(self, model: Any, *, recipe: dict[str, Any] | None = None, rate: float | None = None,
                 channels: Sequence[str] | None = None, channel_unit: str | Sequence[str] | None = None,
                 reference: str | None = None, step: float | None = None, adapt: Literal["causal"] | None = None,
                 window: float | None = None, bands: Any = None, order: int | None = None, combine: str | None = None,
                 estimator: str | None = None, segment: float | None = None, overlap: float | None = None,
                 normalize: bool | None = None, on_error: Literal["stop", "skip"] = "stop") -> None:
        options = {k: v for k, v in locals().items() if k not in ("self", "model", "on_error")}
        self._open(model, on_error, options)

    @interruptible
    def observe(self, X: Any) -> LiveDecision:
        """Decide on a complete observation instead of samples. Models that adapt follow the sequence of observations.

        Parameters
        ----------
        X : array of shape (order, order), or (features,) for a model of vectors

        Returns
        -------
        LiveDecision
            ``at`` and ``time`` count the observations from 0.
        """
        return self._decisions(*self._ask({"op": "observe"}, [("X", _engine.portable(X).ravel())]))[0]

    def update(self, label: Any) -> None:
        """Learn from the true class of the last observation or window. :attr:`model` is the updated model.

        Parameters
        ----------
        label : one of ``classes``
        """
        name = class_names([label])[0]
        if name not in self._names:
            raise _engine.RaoError(f"the label {name} is not one of the model's classes, {', '.join(self._names)}")
        self._ask({"op": "learn", "live": {"label": self._names.index(name)}})


class EventDecoder(_Live):
    """Decisions on the trials after events of a live signal, as from ``rao eeg stream --at``.

    Models of trials, such as ERP and Xdawn, and of the covariances of trials can decide at events. They need the recipe
    of their trials. ``push`` returns the decision on an event when its trial is complete. What :class:`Decoder` says
    about the process, threads and bad channels is also true for this class.

    Parameters
    ----------
    model : rao.Model, or fitted estimator
    start : float
        Start of a trial in seconds after its event. A trial is as long as a training trial.
    recipe, rate, channels, channel_unit, reference, adapt, on_error
        See :class:`Decoder`.

    Attributes
    ----------
    classes, rate, seconds, notes, skipped, flat
        See :class:`Decoder`.

    Examples
    --------
    >>> import rao
    >>> recording = rao.simulate("evoked", trials=80)
    >>> trials = recording.trials(["light-left", "light-right"], 0, 0.5, bands="1-20", causal=True)
    >>> erp = rao.ERP().fit(trials.X, trials.y)
    >>> with rao.EventDecoder(erp, start=0, recipe=trials.recipe, channel_unit="V") as decoder:
    ...     for at, label in zip(recording.event_sample[:4], recording.event_label):
    ...         _ = decoder.mark(at, label)
    ...     len(decoder.push(recording.data[:, :recording.event_sample[3] + 200]))
    4
    """

    _events = True

    def __init__(self, model: Any, *, start: float = 0.0, recipe: dict[str, Any] | None = None,
                 rate: float | None = None, channels: Sequence[str] | None = None,
                 channel_unit: str | Sequence[str] | None = None, reference: str | None = None,
                 adapt: Literal["causal"] | None = None,
                 on_error: Literal["stop", "skip"] = "stop") -> None:
        options = {k: v for k, v in locals().items() if k not in ("self", "model", "on_error")}
        self._open(model, on_error, options)
        self._events_marked = 0

    def mark(self, at: int, event: Any = None) -> bool:
        """Add an event, whose trial gets a decision.

        Parameters
        ----------
        at : int
            The sample of the event, counted from the first sample of the signal as 0. It can be in the future.
        event : object, optional
            Becomes the attribute ``event`` of the decision.

        Returns
        -------
        bool
            False if the trial begins before the signal or its last break, or has already passed; it gets no decision.
        """
        number = self._events_marked = self._events_marked + 1
        live = {"event": number, "sample": _engine.number(at, "at", whole=True)}
        ok: bool = self._ask({"op": "mark", "live": live})[0]["info"]["ok"]
        if ok:
            self._marked[number] = event
        return ok


_decoders: weakref.WeakSet[Any] = weakref.WeakSet()


def _after_fork() -> None:
    """Release the processes of the decoders, because they belong to the parent."""
    for decoder in list(_decoders):
        if decoder._end.detach() is not None and decoder._worker is not None:
            decoder._worker.abandon()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
