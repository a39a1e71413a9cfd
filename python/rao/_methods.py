"""Names of methods and options: in Python the names of the classes, and in the program the names of the tool."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import re

SINGULAR = 'leave it out, or compute it with shrinkage, as rao.covariances(X, "oas")'  # what to do about a matrix
OPTIONS = {"decide": "decision", "lambda": "lambda_"}  # options whose names in Python differ in more than hyphens

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


def in_program(text: str) -> str | None:
    """Return a method with its options, such as ``"KNN:neighbors=3"``, in the syntax of the program, or None if it does
    not start with the name of a class."""
    parts = re.split(r":(?![^(]*\))", text)
    method = names().get(parts[0].strip())
    if method is None:
        return None
    given = [p.partition("=") for p in parts[1:]]
    options = {option(o): o for module in _modules() for o in (*OPTIONS, *module.dashed)}
    return ":".join([method, *(options.get(k, k) + sign + _value(k, v) for k, sign, v in given)])


def _value(name: str, value: str) -> str:
    if name != "classifier":
        return value
    inner = value[1:-1] if value[:1] + value[-1:] == "()" else value
    return f"({in_program(inner) or inner})"


def class_name(method: str) -> str:
    """Return the name of the class of a method, or the method if it has no class."""
    return next((c for c, m in (*names().items(), *_REGRESSORS.items()) if m == method), method)


def unknown(text: str) -> str:
    """Return what to write instead of a text that does not start with the name of a class."""
    import difflib

    name = text.partition(":")[0].strip()
    near = [f"{c} (the tool's {m})" for c, m in names().items() if m in (name, name + "-raw")]
    near = near or difflib.get_close_matches(name, names(), 3) or sorted(names())
    return f"unknown method {name!r}; methods have the names of their classes: {', '.join(near)}"


@functools.cache
def _patterns() -> list[tuple[re.Pattern[str], dict[str, str]]]:
    methods = {m: c for c, m in names().items()}
    plain = {m: c for m, c in methods.items() if m == c.lower() and m != "pca"}  # pca is also the value of an option
    dashed = {m: c for m, c in methods.items() if "-" in m} | {o: option(o) for module in _modules() for o in module.dashed}
    return [(re.compile(before + "(" + "|".join(sorted(table, key=len, reverse=True)) + ")" + after), table)
            for before, table, after in (('(?<=classifier=")', methods, r"\b"), (r"(?<![\w./-])", dashed, r"(?![\w/-])"),
                                         (r"""(?<![\w./"'-])""", plain, r"""(?![\w/"'-]|\.\w)"""))]


def in_python(text: str) -> str:
    """Return a text with the names of classes and the Python names of options. Internal names of packages are left out."""
    text = re.sub(r"(^|(?<=: ))(lvq|optim|basis|training|method|spd|gaussian): ", "", text)
    text = re.sub("(^|(?<=: ))(pca|knn|lda|qda|svm): ", lambda m: m[0].upper(), text)
    text = text.replace("repair it (drop, project, shrink or floor)", SINGULAR)
    for pattern, table in _patterns():
        text = pattern.sub(lambda m, table=table: table[m[1]], text)  # type: ignore[misc]
    return text
