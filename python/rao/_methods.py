"""Names of methods and options: of classes and parameters in Python, and in texts the names of the tool."""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import re

SINGULAR = 'leave it out, or compute it with shrinkage, as rao.covariances(X, "oas")'  # what to do about a matrix
OPTIONS = {"decide": "decision", "lambda": "lambda_"}  # options whose names in Python differ in more than hyphens

# the values of an option, which are strings with the names of the tool, and None
_VALUES = re.compile(r"(\b(?:choose from|the value must be) [^;]*)")

_REGRESSORS = {"TangentRidge": "regress-ridge", "TangentSVR": "regress-svr", "MatrixKNNRegressor": "regress-knn"}


@functools.cache
def names() -> dict[str, str]:
    """Return the method of each class by name. The classes of a deleted wing are left out."""
    return {c: m for module in _modules() for c, m in module.names.items()}


@functools.cache
def modules() -> dict[str, str]:
    """Return the module of each class by name."""
    return {c: module.__name__.replace("_names", "estimators") for module in _modules() for c in module.names}


@functools.cache
def _modules() -> list:  # type: ignore[type-arg]
    found = [f"rao._names{wing}" for wing in ("", "_eeg")]
    return [importlib.import_module(name) for name in found if importlib.util.find_spec(name)]


def option(name: str) -> str:
    """Return the Python name of an option of the program."""
    return OPTIONS.get(name, name.replace("-", "_"))


def tool_option(name: str) -> str:
    """Return the name in the program of an option with a Python name."""
    return next((o for o, n in OPTIONS.items() if n == name), name.replace("_", "-"))


def check(text: str, own: tuple[str, ...] = ()) -> str:
    """Return a text that starts with the name of a method in the tool, such as ``"knn-raw:neighbors=3"``, without blanks
    around it. own are more names that are accepted. An error names what to write instead."""
    text = text.strip()
    from ._engine import RaoError

    name, *given = re.split(r":(?![^(]*\))", text)
    if name not in own and name not in names().values():
        raise RaoError(_unknown(name, own))
    known = _options(name)
    for part in given if known else ():
        word = part.partition("=")[0].strip()
        if word not in known:
            near = difflib.get_close_matches(word, known, 1)
            raise RaoError(f"{text!r}: {name} has no option {word!r}; options in strings use the names of the tool"
                           + "".join(f": write {o!r}" for o in near))
    return text


def _options(method: str) -> set[str]:
    """Return the options of a method in the tool, or none if no class has the method."""
    classes = (class_name(method), class_name(method + "-raw"))  # the option classifier calls qda-raw qda
    name = next((c for c in classes if c in names()), None)
    if name is None:
        return set()
    try:
        found = getattr(importlib.import_module(modules()[name]), name)._options
    except ModuleNotFoundError:  # without scikit-learn, the tool checks the options
        return set()
    return {o for o, _ in found.values()}


def class_name(method: str) -> str:
    """Return the name of the class of a method, or the method if it has no class."""
    return next((c for c, m in (*names().items(), *_REGRESSORS.items()) if m == method), method)


def _unknown(name: str, own: tuple[str, ...]) -> str:
    every = {*own, *names().values()}
    low = name.lower()
    likely = [low if low in own else names().get(name), low, low + "-raw"]
    exact = next((m for m in likely if m in every), None)
    if exact:
        return f"unknown method {name!r}; strings use the names of the tool: write {exact!r}"
    near = difflib.get_close_matches(low, every, 3) or sorted(every)
    return f"unknown method {name!r}; strings use the names of the tool: {', '.join(near)}"


@functools.cache
def _patterns() -> list[tuple[re.Pattern[str], dict[str, str]]]:
    methods = {m: c for c, m in names().items()}
    plain = {m: c for m, c in methods.items() if m == c.lower() and m != "pca"}  # pca is also the value of an option
    dashed = {m: c for m, c in methods.items() if "-" in m} | {o: option(o) for module in _modules() for o in module.dashed}
    return [(re.compile(before + "(" + "|".join(sorted(table, key=len, reverse=True)) + ")" + after), table)
            for before, table, after in ((r"""(?<!classifier=")(?<![\w./-])""", dashed, r"(?![\w/-])"),
                                         (r"""(?<![\w./"'-])""", plain, r"""(?![\w/"'-]|\.\w)"""))]


def in_python(text: str) -> str:
    """Return a text with the names of classes and the Python names of options. Internal names of packages are left out."""
    text = re.sub(r"(^|(?<=: ))(lvq|optim|basis|training|method|spd|gaussian): ", "", text)
    text = re.sub("(^|(?<=: ))(pca|knn|lda|qda|svm): ", lambda m: m[0].upper(), text)
    text = re.sub(r"\(only .* can\)", lambda m: re.sub(r"\bknn\b(?!-)", "KNN", m[0]), text)
    text = text.replace("repair it (drop, project, shrink or floor)", SINGULAR)
    text = text.replace("the value must be true or false", "the value must be True or False")
    parts = _VALUES.split(text)
    for pattern, table in _patterns():
        parts[::2] = [pattern.sub(lambda m, table=table: table[m[1]], p) for p in parts[::2]]
    parts[1::2] = [re.sub(r"(?<=[ ,])none(?=,| or |$)", "None", p) for p in parts[1::2]]
    return "".join(parts)
