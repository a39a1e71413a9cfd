"""Recordings in all formats of the command-line tool, and conversion to and from MNE."""

from __future__ import annotations

import os
import re
from typing import Any, Iterator, Literal, Mapping, NamedTuple, Sequence

import numpy as np

from ._engine import RaoError, executable, in_python, number, reading, warn, word

_KINDS = ("eeg", "eog", "ecg", "emg", "bio", "stim", "misc", "resp", "seeg", "ecog", "dbs", "mag", "grad", "ref_meg")


class _Trials(NamedTuple):
    X: np.ndarray
    y: np.ndarray
    channels: list[str]


class Trials(_Trials):
    """Trials cut from a recording: matrices or signals, their classes, and the names of the channels.

    Attributes
    ----------
    recipe : dict or None
        How the trials were computed from the signal: rate, channels, unit, bands, length and others. :class:`rao.Decoder`
        treats a live signal in the same way. It is not an item of the tuple.

    Examples
    --------
    >>> import rao
    >>> X, y, channels = rao.simulate("movement", trials=20).trials(["left", "right"], 0.5, 2.5)
    >>> X.shape, len(channels)
    ((20, 16, 500), 16)
    """

    recipe: dict[str, Any] | None = None

    def __new__(cls, X: np.ndarray, y: np.ndarray, channels: list[str], recipe: dict[str, Any] | None = None) -> "Trials":
        self = super().__new__(cls, X, y, channels)
        self.recipe = recipe
        return self


class Recording:
    """A continuous recording of several channels.

    Recordings come from :func:`read` and from :meth:`from_mne`.

    Attributes
    ----------
    data : ndarray of shape (channels, samples)
        In volts if the unit is known. Data of a file are read-only.
    channels : list of str
    rate : float
        Samples per second.
    event_sample, event_code : ndarray of int of shape (events,)
        The first sample of each event, counted from 0, and its code. The code is 0 for an event that has only a label.
    event_label : list of str
    event_duration : ndarray of int of shape (events,)
        In samples.
    kinds : list of str
        Kinds of the channels, such as eeg and eog.
    bads : list of str
        Channels marked as bad.
    positions : ndarray of shape (channels, 3), or None
    reference : str
        The reference electrode of all channels, if known.
    breaks : ndarray of int
        Samples at which the signal is interrupted, such as the boundaries of epochs.

    Examples
    --------
    >>> import rao
    >>> recording = rao.simulate("movement", trials=20)
    >>> recording.data.shape[0], recording.rate
    (16, 250.0)
    >>> recording.covariances(["left", "right"], 0.5, 2.5, bands="8-30").X.shape
    (20, 16, 16)
    """

    def __init__(self, data: Any, channels: Sequence[str], rate: float, *, event_sample: Any = (), event_code: Any = None,
                 event_label: Sequence[str] | None = None, event_duration: Any = None, kinds: Sequence[str] | None = None,
                 bads: Sequence[str] = (), positions: Any = None, reference: str = "", breaks: Any = ()) -> None:
        self.data = np.asarray(data, np.float64)
        self.channels = [str(c) for c in channels]
        if self.data.ndim != 2 or len(self.data) != len(self.channels):
            raise RaoError(f"data has shape {self.data.shape} for {len(self.channels)} channels, but must have the "
                           "shape channels × samples")
        self.rate = float(rate)
        self.event_sample = np.asarray(event_sample, np.int64)
        n = len(self.event_sample)
        self.event_code = np.zeros(n, np.int64) if event_code is None else np.asarray(event_code, np.int64)
        self.event_label = [""] * n if event_label is None else [str(t) for t in event_label]
        self.event_duration = np.zeros(n, np.int64) if event_duration is None else np.asarray(event_duration, np.int64)
        self.kinds = ["eeg"] * len(self.channels) if kinds is None else list(kinds)
        self.bads, self.reference = list(bads), reference
        self.positions = None if positions is None else np.asarray(positions, float)
        self.breaks = np.asarray(breaks, np.int64)
        self._file: tuple[str, dict[str, Any]] | None = None

    def __repr__(self) -> str:
        return (f"<rao.Recording: {len(self.channels)} channels, {self.data.shape[1] / self.rate:g} s at {self.rate:g} Hz, "
                f"{len(self.event_sample)} events>")

    def to_raw(self) -> Any:
        """Convert to MNE's Raw. Events become annotations with their labels or codes.

        Returns
        -------
        mne.io.RawArray
        """
        import mne

        raw = mne.io.RawArray(self.data.copy(), self._info(mne), verbose="error")
        raw.set_annotations(mne.Annotations(self.event_sample / self.rate, self.event_duration / self.rate,
                                            [label or str(code) for label, code in zip(self.event_label, self.event_code)]))
        return raw

    def to_epochs(self, classes: Any = None, start: float = 0.0, stop: float = 1.0) -> Any:
        """Convert to MNE's Epochs around the events of the classes. If the recording consists of epochs, those
        epochs are returned.

        Parameters
        ----------
        classes : dict from class name to event, or list of events, optional
            Events are codes or labels; by default all events are used.
        start, stop : float
            Start and end of an epoch, in seconds from the event; both samples are included.

        Returns
        -------
        mne.EpochsArray
        """
        import mne

        start, stop = number(start, "start"), number(stop, "stop")
        if not start <= stop:
            raise RaoError(f"start is {start}, but must be at most stop, {stop}")
        wanted = _pairs(classes) if classes is not None else \
            {label or str(code): label or str(code) for label, code in zip(self.event_label, self.event_code)}
        first, count, bounds = int(round(start * self.rate)), int(round((stop - start) * self.rate)) + 1, None
        if len(self.breaks):
            bounds = np.concatenate([[0], self.breaks, [self.data.shape[1]]])
            if len(set(np.diff(bounds))) > 1:
                raise RaoError("the pieces of the recording differ in length, so they are not epochs; "
                               "cut them to one length")
            count = int(bounds[1])
        ids = {name: i + 1 for i, name in enumerate(sorted(wanted))}
        pieces, events = [], []
        for i, at, name in self._events_of(wanted):
            begin = at + first
            if bounds is not None:  # the event may be outside its epoch
                each = len(bounds) == len(self.event_sample) + 1
                begin = int(bounds[i if each else np.searchsorted(bounds, at, side="right") - 1])
                first = begin - at
            if begin < 0 or begin + count > self.data.shape[1]:
                warn(f"the epoch of {name} at sample {at} reaches beyond the recording and is left out")
                continue
            pieces.append(self.data[:, begin:begin + count])
            events.append([at, 0, ids[name]])
        if not pieces:
            raise RaoError(f"the recording has no event {' or '.join(wanted)}; event_label lists its events")
        present = {name: i for name, i in ids.items() if any(e[2] == i for e in events)}
        return mne.EpochsArray(np.stack(pieces), self._info(mne), np.asarray(events), tmin=first / self.rate, event_id=present,
                               verbose="error")

    def _events_of(self, wanted: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
        """Return the index, sample and class of the events of the wanted classes."""
        names = {event: name for name, event in wanted.items()}
        for i, (at, code, label) in enumerate(zip(self.event_sample, self.event_code, self.event_label)):
            name = names.get(label) if label in names else names.get(str(code))
            if name is not None:
                yield i, int(at), name

    def _info(self, mne: Any) -> Any:
        kinds = [k if k in _KINDS else "misc" for k in self.kinds]
        info = mne.create_info(self.channels, self.rate, kinds, verbose="error")
        info["bads"] = [b for b in self.bads if b in self.channels]
        if self.positions is not None and np.any(self.positions):
            known = np.linalg.norm(self.positions, axis=1) > 0
            scale = 0.095 / np.median(np.linalg.norm(self.positions[known], axis=1))  # radius of a head in meters
            at = {c: scale * p for c, p, k, kind in zip(self.channels, self.positions, known, kinds) if k and kind == "eeg"}
            info.set_montage(mne.channels.make_dig_montage(at, coord_frame="head"), on_missing="ignore", verbose="error")
        return info

    @classmethod
    def from_mne(cls, source: Any) -> "Recording":
        """Convert MNE's Raw or Epochs to a recording. Epochs are concatenated.

        Parameters
        ----------
        source : mne.io.BaseRaw or mne.BaseEpochs
            The events of Raw are its annotations and the codes in its stimulus channels, as when :func:`read` reads its
            file. The events of Epochs are the events at which they were cut.

        Returns
        -------
        Recording
        """
        if not hasattr(source, "info") or not hasattr(source, "get_channel_types"):
            raise RaoError(f"source has the type {type(source).__name__}, but must be Raw or Epochs of MNE; use "
                           "rao.Recording(data, channels, rate) for an array")
        info, names = source.info, list(source.ch_names)
        places = np.array([info["chs"][i]["loc"][:3] for i in range(len(names))])
        given: dict[str, Any] = {"kinds": source.get_channel_types(), "bads": list(info["bads"]),
                                 "positions": np.nan_to_num(places) if np.any(np.nan_to_num(places)) else None}
        rate = float(info["sfreq"])
        if hasattr(source, "event_id"):
            data = source.get_data()
            length = data.shape[2]
            words = {code: name for name, code in source.event_id.items()}
            return cls(np.concatenate(list(data), axis=1), names, rate, breaks=np.arange(1, len(data)) * length,
                       event_sample=np.arange(len(data)) * length + int(round(-source.tmin * rate)),
                       event_code=source.events[:, 2], event_label=[words.get(c, "") for c in source.events[:, 2]], **given)
        notes = source.annotations
        data = source.get_data()
        onsets = np.rint((notes.onset - source.first_time) * rate).astype(int).tolist()
        durations = np.rint(notes.duration * rate).astype(int).tolist()
        events = [(at, int(t), "", n) if t.isdecimal() else (at, 0, str(t), n)
                  for at, t, n in zip(onsets, notes.description, durations)]
        noted = {event[:2] for event in events}
        events += [(*event, "", 0) for event in _codes(data, names, given["kinds"]) if event not in noted]
        sample, code, label, duration = zip(*sorted(events, key=lambda event: event[0])) if events else ((),) * 4
        return cls(data, names, rate, event_sample=sample, event_code=code, event_label=label, event_duration=duration, **given)

    def covariances(self, classes: Any, start: float = 0.0, stop: float = 1.0, *, bands: Any = None,
                    order: int | None = None, causal: bool = False, notch: Any = None, resample: float | None = None,
                    channels: Any = None, drop: Any = None, kinds: Any = None,
                    bad: Literal["drop", "interpolate", "keep"] = "drop", reference: Any = None,
                    anchor: Any = None, both_ends: bool = False, window: float | None = None, step: float | None = None,
                    reject: str | None = None, skip_invalid: bool = False, estimator: str | None = None,
                    segment: float | None = None, overlap: float | None = None, combine: str | None = None,
                    delays: Any = None, normalize: bool = False, correlate: Any = None,
                    harmonics: int | None = None) -> Trials:
        """Return the covariance matrix of each trial.

        Parameters
        ----------
        classes : dict from class name to event, or list of events
            Events are codes or labels.
        start, stop : float
            Start and end of a trial, in seconds from the event.
        bands, order, causal and so on
            Of the signal: ``bands``, pass bands in hertz, such as ``(8, 30)``, ``"8-30"`` or ``[(8, 12), (12, 16)]``; ``order``
            of their Butterworth filters; ``causal=True`` to filter forward only; ``notch``, frequencies to remove; ``resample``,
            the samples per second; ``channels``, ``drop`` and ``kinds``, see :func:`read`; ``bad="drop"``, ``"interpolate"``
            or ``"keep"`` for channels marked as bad; ``reference="average"``, ``"recorded"`` or a list of channels.

            Of the trials: ``anchor``, the event that starts the trial, if an earlier event gives the class;
            ``both_ends=True`` includes the sample at ``stop``, as in MNE; ``window=1, step=0.25`` cuts each trial into
            windows of 1 s, one every 0.25 s; ``reject="150uV"`` leaves out trials with a larger peak-to-peak amplitude;
            ``skip_invalid=True`` leaves out trials that reach beyond the recording or into a span marked as bad, or
            that have events of two classes.

            Of the matrices: ``estimator``, see :func:`rao.covariances`, with ``segment`` and ``overlap``; ``combine``, which
            makes of several bands ``"stacked"`` or ``"block-diagonal"`` matrices; ``delays``, in samples, of copies of the
            channels; ``normalize=True`` divides each matrix by its mean diagonal element. ``correlate``, frequencies in
            hertz, makes canonical correlations with oscillations instead, with ``harmonics`` of each.

        Returns
        -------
        Trials
        """
        return self._cut(_given(locals()))

    def _cut(self, options: dict[str, Any]) -> Trials:
        import json
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "trials.npz")
            path, file_options = self._path(folder, options)
            options["classes"] = ",".join(f"{name}={event}" for name, event in _pairs(options["classes"]).items())
            self._tool("cov", path, **{**file_options, **options, "out": out})
            with np.load(out) as d:
                channels = [str(c) for c in d["channels"]] if "channels" in d.files else []
                return Trials(d["X"], d["y"], channels, json.loads(str(d["recipe"][0])) if "recipe" in d.files else None)

    def trials(self, classes: Any, start: float = 0.0, stop: float = 1.0, *, baseline: Any = None, bands: Any = None,
               order: int | None = None, causal: bool = False, notch: Any = None, resample: float | None = None,
               channels: Any = None, drop: Any = None, kinds: Any = None,
               bad: Literal["drop", "interpolate", "keep"] = "drop", reference: Any = None, anchor: Any = None,
               both_ends: bool = False, window: float | None = None, step: float | None = None,
               reject: str | None = None, skip_invalid: bool = False) -> Trials:
        """Return the signals of the trials, trials × channels × samples.

        Parameters
        ----------
        baseline : (float, float), optional
            Subtract the mean of these seconds from each channel, such as ``(-0.2, 0)``.
        classes, start, stop, bands and so on
            See :meth:`covariances`.

        Returns
        -------
        Trials
        """
        found = self._cut({**_given(locals()), "signals": True})
        X = found.X[..., 0] if found.X.ndim == 4 else found.X
        return Trials(X, found.y, found.channels, found.recipe)

    def clean(self, suppress: Any = None, *, low: float | None = None, high: float | None = None,
              segment: float | None = None, overlap: float | None = None, eog: Any = None, sources: int | None = None,
              max_condition: float | None = None, also: Any = None, channels: Any = None, drop: Any = None,
              kinds: Any = None) -> Any:
        """Remove sources by joint diagonalization of cospectra (AJDC).

        Parameters
        ----------
        suppress : int, list of int or "auto", optional
            Numbers of the sources to remove, counted from 1, or "auto" for sources that look like artifacts. By default no
            source is removed, and the sources are returned.
        low, high and so on
            ``low`` and ``high``, the lowest and the highest frequency of the cospectra in hertz; ``segment``, the length of
            their segments in seconds, and ``overlap``, the share that overlaps the next one; ``eog``, EOG channels to
            compare with the sources; ``sources``, their number; ``max_condition``, the largest ratio of the strongest to the
            weakest direction that is separated; ``also``, files of more recordings to learn from; ``channels``, ``drop``
            and ``kinds``, see :func:`read`.

        Returns
        -------
        Recording, or list of dict
            The recording without the sources, or the sources. A source contains its ``share`` of the power, the ``channels``
            in which it is strongest, its ``kurtosis``, and its ``filter`` and ``pattern`` with one weight per channel.
        """
        import tempfile

        options = _given(locals())
        options.pop("suppress", None)
        with tempfile.TemporaryDirectory() as folder:
            path, file_options = self._path(folder, options)
            if suppress is None:
                return self._tool("clean", path, **file_options, **options)["sources"]
            out = os.path.join(folder, "clean.xdf")
            self._tool("clean", path, **{**file_options, **options, "suppress": np.atleast_1d(suppress).tolist(), "out": out})
            cleaned = read(out)
        cleaned._file = None
        return cleaned

    def _tool(self, command: str, path: str, **options: Any) -> Any:
        """Run a command on the file with the recording. Messages do not name a temporary file."""
        return tool("eeg", command, path, named=None if self._file is not None else {path: "the recording"}, **options)

    def _keep(self, options: dict[str, Any]) -> list[int]:
        """Return the channels to use, and remove their options. A warning lists the EEG channels marked as bad."""
        names, kinds, eog = (names_of(options.pop(k, None)) for k in ("channels", "kinds", "eog"))
        bad = options.pop("bad", "drop")
        if bad not in ("drop", "keep"):
            raise RaoError(f"bad is {bad!r}, but must be 'drop' or 'keep' for a recording in memory; MNE's "
                           "raw.interpolate_bads() interpolates channels")
        for name in [*names, *eog]:
            if name not in self.channels:
                raise RaoError(f"the recording has no channel {name!r}; it has {', '.join(self.channels)}")
        for kind in kinds:
            if kind != "all" and kind not in self.kinds:
                raise RaoError(f"the recording has no channel of kind {kind!r}; it has {', '.join(sorted(set(self.kinds)))}")
        picked = [c for c, kind in zip(self.channels, self.kinds) if "all" in kinds or kind in (kinds or ["eeg"])]
        picked = [c for c in names or picked if c not in eog]
        left = [c for c in picked if c in self.bads and bad == "drop"]
        picked = [c for c in picked if c not in left]
        if not picked:
            raise RaoError("no channel of kind eeg is left after bads; the recording has the kinds "
                           f"{', '.join(sorted(set(self.kinds)))}; correct kinds or bads")
        if left:
            warn(f"channels left out because they are marked as bad: {', '.join(left)}; bad=\"keep\" uses them")
        if eog:
            options["eog"] = eog
        return [self.channels.index(c) for c in [*picked, *eog]]

    def _path(self, folder: str, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Return a file with the recording, and the options for reading it. The channels of a recording in memory are taken
        from the options."""
        if self._file is not None:
            return self._file
        if len(self.breaks):
            raise RaoError("the recording consists of epochs, so no trials can be cut; give the epochs to "
                           "rao.covariances or to a method of trials")
        path = os.path.join(folder, "recording_raw.npy")
        keep = self._keep(options)
        np.save(path, np.ascontiguousarray(self.data[keep].T))
        with open(os.path.join(folder, "recording_events.csv"), "w", encoding="utf-8") as f:
            f.write("sample,code,label,duration\n")
            for row in zip(self.event_sample, self.event_code, self.event_label, self.event_duration):
                label = row[2].replace('"', '""')
                f.write(f'{row[0]},{row[1] or ""},"{label}",{row[3]}\n')
        return path, {"rate": self.rate, "channels": [self.channels[i] for i in keep], "channel_unit": "V"}


def _given(named: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a method that were given."""
    return {k: v for k, v in named.items() if k not in ("self", "tempfile") and v is not None}


def names_of(value: Any) -> list[str]:
    """Return names that are given as a sequence, or as a text with commas."""
    return [] if value is None else value.split(",") if isinstance(value, str) else [str(name) for name in value]


def _pairs(classes: Any) -> dict[str, str]:
    """Return the event of each class."""
    if isinstance(classes, Mapping):
        return {str(k): str(v) for k, v in classes.items()}
    if not isinstance(classes, (str, int)) and not np.iterable(classes):
        raise RaoError(f"classes is {classes!r}, but must be a dict from class names to events, or a list of events")
    return {str(c): str(c) for c in ([classes] if isinstance(classes, (str, int)) else classes)}


def _codes(data: np.ndarray, names: list[str], kinds: list[str]) -> Iterator[tuple[int, int]]:
    """Return the sample and the code wherever the code in a stimulus channel increases, as for a FIF file."""
    main = [name for name in ("STI101", "STI 014") if name in names]
    for x in [data[names.index(main[0])]] if main else data[[kind == "stim" for kind in kinds]]:
        code = np.abs(np.nan_to_num(x)).astype(np.int64)
        for at in np.flatnonzero(np.diff(code) > 0) + 1:
            yield int(at), int(code[at])


def band_text(bands: Any) -> str:
    """Return bands, such as (8, 30) or [(8, 12), (12, 16)], in the syntax of the tool."""
    if isinstance(bands, str):
        return bands
    if isinstance(bands, (int, float, np.integer, np.floating)):
        return np.format_float_positional(bands, trim="-")
    try:
        parts = list(bands)
    except TypeError:
        raise RaoError(f"bands is {bands!r}, but must be a band such as (8, 30) or '8-30', or a list of bands") from None
    numbers = parts and all(isinstance(p, (int, float, np.integer, np.floating)) for p in parts)
    return ("-" if numbers else ",").join(map(band_text, parts))


def tool(*words: str, named: Mapping[str, str] | None = None, **options: Any) -> Any:
    """Run a command of the tool and return its JSON output. Notes become warnings. ``named`` replaces texts of messages."""
    import json
    import subprocess

    command = [executable(), *words, "--json"]
    for name, value in options.items():
        if value is None or value is False:
            continue
        if name == "bands":
            value = band_text(value)
        flag = "--" + name.replace("_", "-")
        text = "true" if value is True else ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        command.append(f"{flag}={text}")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8")
    said = [line.removeprefix("rao: ") if hasattr(line, "removeprefix") else line.replace("rao: ", "", 1)
            for line in done.stderr.splitlines() if line.strip() and not line.endswith("--help shows the usage")]
    said = [re.sub("--(bad|kinds) ([a-z]+)", r'\1="\2"', line) for line in said]
    for text, name in (named or {}).items():
        said = [line.replace(text, name) for line in said]
    if done.returncode not in (0, 3):
        raise RaoError(in_python("; ".join(said) or f"rao {' '.join(words)} ended with status {done.returncode}"))
    for line in said:
        warn(in_python(line))
    return json.loads(done.stdout)


def read(source: str | os.PathLike[str], *, channels: Any = None, drop: Any = None, kinds: Any = None,
         channel_unit: str | None = None, rate: float | None = None, events: str | os.PathLike[str] | None = None,
         path: str | None = None, stream: str | int | None = None) -> Recording:
    """Read a recording: EDF, BDF, GDF, BrainVision, EEGLAB, FIF, XDF, MAT or npy.

    Parameters
    ----------
    source : path
    channels, drop : list of str, optional
        Names of the channels to keep, or to leave out.
    kinds : str or list of str, optional
        Kinds of channels to keep, such as ``"meg"``, ``["eeg", "eog"]`` or ``"all"``; by default EEG.
    channel_unit : str, optional
        Unit of channels without a unit, such as "uV".
    rate : float, optional
        Samples per second of an npy file.
    events : path, optional
        Table of events, csv or tsv, such as for an npy file.
    path : str, optional
        Part of a MAT file that is the recording, such as ``"data{1}"``.
    stream : str or int, optional
        Name, type or number of the stream of signals in an XDF file.

    Returns
    -------
    Recording
    """
    options = _given(locals())
    file = os.path.abspath(os.fspath(options.pop("source")))
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "recording.npz")
        with reading(file):
            tool("eeg", "convert", file, **options, out=out)
        with np.load(out) as d:
            given = {k: d[k] for k in d.files}
    recording = Recording(given["X"].T, given["channels"].tolist(), float(given["rate"][0]),
                          event_sample=given.get("event_sample", ()), event_code=given.get("event_code"),
                          event_label=given["event_label"].tolist() if "event_label" in given else None,
                          event_duration=given.get("event_duration"), kinds=given["kinds"].tolist(),
                          bads=given["bad"].tolist() if "bad" in given else (), positions=given.get("positions"),
                          reference=str(given["reference"][0]) if "reference" in given else "",
                          breaks=given.get("breaks", ()))
    recording._file = (file, options)
    recording.data.flags.writeable = False  # trials are cut from the file
    return recording


def simulate(kind: str = "movement", trials: int = 40, seed: int = 1, blinks: int = 0) -> Recording:
    """Simulate a recording for trying out a decoder: 16 channels at 250 Hz.

    Parameters
    ----------
    kind : {"movement", "evoked"}
        Imagined movements of the hands (events left and right), or responses to sounds and lights (sound-left,
        sound-right, light-left, light-right).
    trials : int
        Number of trials of all classes together.
    seed : int
        Seed of the random numbers.
    blinks : int
        Number of eye blinks, at random times.

    Returns
    -------
    Recording
    """
    import tempfile

    paradigms = {"movement": "imagery", "evoked": "evoked"}
    if word(kind, "kind") not in paradigms:
        raise RaoError(f"kind is {kind!r}, but must be 'movement' or 'evoked'")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "simulated.xdf")
        tool("data", "recording", paradigm=paradigms[kind], trials=trials, seed=seed, blinks=blinks, out=out)
        recording = read(out)
    recording._file = None
    return recording
