"""Trials of MNE's Epochs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from . import _engine
from ._engine import RaoError


def signals(X: Any, picks: Any = None) -> Any:
    """Return the signals of Epochs, trials × channels × samples in volts. Other X are returned unchanged.

    ``picks`` are kinds of channels, or names in the wanted order, or "all"; by default EEG channels not marked as bad.
    """
    return named_signals(X, picks)[0]


def named_signals(X: Any, picks: Any = None) -> tuple[Any, list[str] | None]:
    """Return the result of signals, and the names of the channels or None."""
    if isinstance(X, list) and X and all(hasattr(x, "get_data") and hasattr(x, "events") for x in X):  # cross_val_score
        from mne import concatenate_epochs

        X = concatenate_epochs(X, verbose="error")
    if not hasattr(X, "get_data"):
        if picks is not None:
            raise RaoError("picks chooses channels of Epochs by name or kind, but X is an array without names; index the "
                           "channels of the array instead, such as X[:, :3]")
        return X, None
    if hasattr(X, "info") and not hasattr(X, "events"):
        raise RaoError(f"X has MNE's type {type(X).__name__}; cut trials first, for example with mne.Epochs")
    names = list(getattr(X, "ch_names", []))
    if not names or not hasattr(X, "get_channel_types"):
        return X.get_data(), None
    _check_reference(X)
    kinds, bads = X.get_channel_types(), set(X.info["bads"])
    wanted = ["eeg"] if picks is None else [picks] if isinstance(picks, str) else list(picks)
    keep, others, bad = [], [], []
    for name, kind in zip(names, kinds):
        if wanted == ["all"] or name in wanted:
            keep.append(name)
        elif kind not in wanted:
            others.append(f"{name} ({kind})")
        elif name in bads:
            bad.append(name)
        else:
            keep.append(name)
    unknown = [w for w in wanted if w != "all" and w not in names and w not in kinds]
    if unknown and picks is not None:
        raise RaoError(f"picks: there is neither a channel nor a kind of channel named {unknown[0]!r}; the epochs have "
                       f"{', '.join(sorted(set(kinds)))}")
    if not keep:
        raise RaoError(f"no EEG channel is left in the epochs, which have {', '.join(sorted(set(kinds)))}"
                       f"{' and bad channels ' + ', '.join(bad) if bad else ''}; choose channels with picks, or in MNE")
    if all(w in names for w in wanted):
        keep = wanted
    where = {name: i for i, name in enumerate(names)}
    data = np.ascontiguousarray(X.get_data(picks=[where[name] for name in keep]))
    left = [f"{what}: {', '.join(list_)}" for what, list_ in (("not EEG", others), ("marked as bad", bad)) if list_]
    if left and picks is None:
        _engine.warn(f"channels left out of the epochs: {'; '.join(left)}; choose channels with picks, or in MNE")
    codes = [name for i, name in enumerate(keep) if _codes(data[:, i])] if picks is None else []
    if codes:
        _engine.warn(f"channels of the epochs have the type EEG, but look like event codes, which reveal the classes: "
                     f"{', '.join(codes)}; leave them out with picks, or correct their type in MNE")
    return data, keep


def checked(X: Any, channels: list[str] | None) -> list[str] | None:
    """Return the channels to which a model was fitted, or None if X has no names of channels. It is an error if a
    channel is missing in X or marked as bad."""
    X = X[0] if isinstance(X, list) and X else X
    names = list(getattr(X, "ch_names", []))
    if channels is None or not names or not hasattr(X, "get_channel_types"):
        return None
    missing, bad = [c for c in channels if c not in names], [c for c in channels if c in X.info["bads"]]
    if missing:
        raise RaoError(f"the epochs have no channel {', '.join(missing)}, which the model was fitted to; they have "
                       f"{', '.join(names)}")
    if bad:
        raise RaoError(f"the model was fitted to channels that are marked as bad in the epochs: {', '.join(bad)}; "
                       "interpolate them (epochs.interpolate_bads()), or fit without them")
    return channels


def with_names(text: str, channels: list[str] | None, follow: bool) -> str:
    """Return a message with the names of channels instead of their numbers. With follow, the channels of the message
    follow mean responses, and their numbers count these too."""
    said = re.search(r"trial numbers count from row 0: (trial \d+), whose channels are numbered after (\d+) mean responses", text)
    if said is None and not channels:
        return text
    before = int(said[2]) if said is not None else 0
    if said is not None:
        text = text.replace(said[0], said[1])
        if not follow:
            return text  # the channels are outputs of filters

    def named(m: re.Match[str]) -> str:
        at = int(m[1]) - before
        if at < 0:
            return f"mean response {m[1]}"
        return f"channel {at if channels is None else channels[at]}" if channels is None or at < len(channels) else m[0]

    text = re.sub(r"channel (\d+)\b", named, text)
    return re.sub(r"(channel .*?) \(counted from 0\)", r"\1", text) if channels else text


def _codes(x: Any) -> bool:
    """Return whether a channel (trials × samples) contains event codes: few values, and nine of ten samples equal the
    previous one."""
    if x.shape[1] < 2 or x.size < 200 or np.mean(x[:, 1:] == x[:, :-1]) < 0.9:
        return False
    return 1 < len(np.unique(x)) <= 256


def _check_reference(X: Any) -> None:
    """Raise an error if an average reference has not been applied yet."""
    for p in X.info.get("projs") or []:
        if not p["active"] and int(p["kind"]) == 10:  # FIFFV_PROJ_ITEM_EEG_AVREF
            raise RaoError("the epochs have an average reference that is not applied; apply it (epochs.apply_proj()), "
                           "or remove it (epochs.del_proj())")
