"""Data sets: public and generated sets by name, and files in any format of the command-line tool."""

from __future__ import annotations

import os
from typing import Any, Iterator, Literal

import numpy as np

from . import _engine
from ._engine import RaoError
from ._labels import class_array
from ._progress import shown
from ._results import Result, html, text

__all__ = ["Dataset", "available", "get", "load", "load_digits", "make"]


class Dataset:
    """Labeled observations.

    ``X, y = dataset`` unpacks the arrays.

    Attributes
    ----------
    name : str
    X : ndarray of shape (n_samples, n_features), or (n_samples, order, order) for SPD matrices
        In the type stored in the file; images are bytes.
    y : ndarray of shape (n_samples,) or None
        Labels in the type stored in the file.
    classes : ndarray of shape (n_classes,)
    image : (rows, columns, channels) or None
        Shape of the observations if they are images.
    columns : list of str or None
        Names of the features.
    variables : dict of str to ndarray
        Other values of each observation, such as its subject and session.

    Examples
    --------
    >>> import rao
    >>> train = rao.load_digits()
    >>> X, y = train
    >>> train.images.shape
    (1198, 8, 8)
    """

    def __init__(self, info: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.name: str = info["source"]
        self.X = arrays["X"]
        self.classes = _labels(info["classes"] or [], info["label_type"])
        self.y = self.classes[arrays["y"]] if "y" in arrays else None
        self.image: tuple[int, ...] | None = tuple(info["image"]) if "image" in info else None
        self.columns: list[str] | None = info.get("columns")
        self.variables: dict[str, np.ndarray] = {k: np.array(v) for k, v in info["texts"].items()}
        self.variables.update({k[4:]: v for k, v in arrays.items() if k.startswith("var.")})

    @property
    def images(self) -> np.ndarray:
        """The observations as images of shape (n_samples, rows, columns[, channels])."""
        if self.image is None:
            raise RaoError(f"the observations of {self.name} are not images; use a set of images")
        rows, columns, channels = self.image
        return self.X.reshape((-1, rows, columns) if channels == 1 else (-1, rows, columns, channels))

    def __iter__(self) -> Iterator[Any]:
        return iter((self.X, self.y))

    def _facts(self) -> list[dict[str, Any]]:
        facts = [("observations", "×".join(map(str, self.X.shape))), ("type", str(self.X.dtype))]
        if self.image is not None:
            facts.append(("images", "×".join(map(str, self.image))))
        if self.y is not None:
            counts = dict(zip(*np.unique(self.y, return_counts=True)))
            named = ", ".join(f"{c} ({counts[c]})" for c in list(counts)[:12])
            facts.append(("classes", f"{len(self.classes)}: {named}" + (" ..." if len(counts) > 12 else "")))
        if self.variables:
            facts.append(("variables", ", ".join(self.variables)))
        return [{"": k, "value": v} for k, v in facts]

    def __repr__(self) -> str:
        return f"<rao.Dataset {self.name}>\n{text(self._facts())}"

    def _repr_html_(self) -> str:
        return html(self.name, self._facts())


def _labels(names: list[str], kind: str) -> np.ndarray:
    """Convert class names to labels of the given type. Without a type they become numbers if all are numbers."""
    found = class_array(names, kind)
    if found.dtype.kind == "U" and not kind:
        try:
            return np.array([float(n) for n in names])
        except ValueError:
            pass
    return found


class Sets(Result):
    """A table of data sets."""

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._sets, self._title = rows, f"{len(rows)} data sets"

    def _rows(self) -> list[dict[str, Any]]:
        return self._sets


def available() -> Sets:
    """List the data sets known by name, and whether they are on this machine.

    Returns
    -------
    Sets
        A table; ``to_pandas`` returns it as a data frame.
    """
    listed = _engine.call("list_sets")[0]["info"]
    return Sets([{"name": s["name"], "parts": ", ".join(s["parts"] or ()), "kind": s["kind"],
                   "here": s["here"] and s["kind"] != "generated", "description": s["description"], "license": s["license"]}
                  for s in listed])


def _open(spec: str) -> Dataset:
    reply, arrays = _engine.call("open_set", path=spec)
    for note in reply.get("notes", ()):
        _engine.warn(_engine.in_python(note))
    return Dataset(reply["info"], arrays)


def get(name: str, part: str | None = None, *, source: str | os.PathLike[str] | None = None, verbose: bool = False) -> Dataset:
    """Load a public data set. The first call downloads it into the cache folder.

    Parameters
    ----------
    name : str
        A name such as ``"mnist"``; :func:`available` lists the names. The SHA-256 of each file is checked.
    part : str, optional
        A part such as ``"test"``. By default ``train`` if the set has this part, and otherwise everything.
    source : path-like, optional
        A folder with the files, instead of downloading them.
    verbose : bool
        Show the progress of the download.

    Returns
    -------
    Dataset
    """
    known = {s["name"]: s for s in _engine.call("list_sets")[0]["info"]}
    if name not in known:
        raise RaoError(f"no data set is named {name!r}; choose from {', '.join(known)}")
    found = known[name]
    if found["kind"] == "generated":
        raise RaoError(f"{name} is generated, not downloaded; use rao.datasets.make({name!r})")
    parts = found["parts"] or []
    if part is None and "train" in parts:
        part = "train"
    if source is not None or not found["here"]:
        with shown(f"fetching {name}", verbose) as news:
            folder = "" if source is None else _engine.path_of(source, "source")
            _engine.call("fetch_set", progress=news, path=name, dataset={"from": folder})
    try:
        return _open(name if part is None else f"{name}:{part}")
    except RaoError as e:
        if part is None and parts:
            raise RaoError(f"{name} has the parts {', '.join(parts)}; name one of them as part") from e
        raise


def load(path: str | os.PathLike[str]) -> Dataset:
    """Read a file of observations: npz, npy, MAT, csv, Parquet, IDX or another format of the tool."""
    with _engine.reading(path):
        return _open(os.path.abspath(path))


def load_digits(part: str = "train") -> Dataset:
    """Load the images of handwritten digits, with 8 × 8 pixels, of ``sklearn.datasets.load_digits``.

    Every third image is in the test part. The images are included in the package.

    Parameters
    ----------
    part : {"train", "test"}
    """
    if part not in ("train", "test"):
        raise RaoError(f"digits have no part {part!r}; choose train or test")
    return _open(f"digits:{part}")


def make(name: str, per_class: int | Literal["auto"] = "auto", *, seed: int = 1, part: int = 0,
         images: str | os.PathLike[str] | None = None) -> Dataset:
    """Generate a synthetic set.

    Parameters
    ----------
    name : {"toy1", "toy1-shifted", "toy2", "toy-distance", "syn1", "syn2", "speed"}
        The toy problems of the SQFA paper, the SPD matrices of the PLRSQ paper, or the speed task.
    per_class : int or {"auto"}
        Observations per class; auto means the default of the set.
    seed : int
        Seed of the random numbers.
    part : int
        ``syn1`` and ``syn2``: 0, 1 and 2 are independent draws with the same bases. ``speed``: 1 is the test part.
    images : path-like, optional
        ``speed``: a folder of photographs for the videos. By default the videos are made from random images whose
        amplitude falls with frequency as in photographs; mention this when you report results.

    Returns
    -------
    Dataset
    """
    asked: dict[str, Any] = {"per_class": _engine.number(per_class, "per_class", whole=True, auto=True, least=1),
                             "seed": _engine.seed_of(seed), "part": _engine.number(part, "part", whole=True)}
    if images is not None:
        asked["images"] = _engine.path_of(images, "images")
    elif name == "speed":
        import tempfile

        with tempfile.TemporaryDirectory() as folder:
            _random_images(folder)
            return _made(name, {**asked, "images": folder})
    return _made(_engine.word(name, "name"), asked)


def _made(name: str, asked: dict[str, Any]) -> Dataset:
    return Dataset((found := _engine.call("make_set", path=name, dataset=asked))[0]["info"], found[1])


def _random_images(folder: str, count: int = 16, side: int = 256) -> None:
    """Write random gray images whose amplitude is inversely proportional to frequency."""
    from ._html import png

    r = np.random.default_rng(0)
    frequency = np.hypot(np.fft.fftfreq(side)[:, None], np.fft.rfftfreq(side)[None, :])
    frequency[0, 0] = np.inf
    for i in range(count):
        light = np.fft.irfft2(np.fft.rfft2(r.normal(size=(side, side))) / frequency)
        light = np.clip(0.5 + 0.17 * light / light.std(), 0, 1)
        gray = np.rint(255 * light ** (1 / 2.2)).astype(np.uint8)
        with open(os.path.join(folder, f"{i:02}.png"), "wb") as f:
            f.write(png(np.repeat(gray[:, :, None], 3, axis=2)))
