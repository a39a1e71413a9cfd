package main

import "strings"

// Wrapped returns the help as lines of a docstring.
func (p parameter) Wrapped() string { return wrap(p.Help, 8) }

// Wrapped returns the summary as the first lines of a docstring.
func (c class) Wrapped() string { return wrap(c.Summary, 4) }

// wrap breaks text into lines of at most 115 characters. All lines but the first are indented.
func wrap(text string, indent int) string {
	const width = 115
	var b strings.Builder
	column := indent
	for i, word := range strings.Fields(text) {
		if i > 0 {
			if column+1+len(word) > width {
				b.WriteString("\n" + strings.Repeat(" ", indent))
				column = indent
			} else {
				b.WriteByte(' ')
				column++
			}
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}

const version = `"""The release. Written by go generate; do not edit."""

__version__ = "%s"
`

const names = `"""Names of the estimators, their methods and options. Written by go generate; do not edit."""

names: dict[str, str] = {
{{- range .Classes}}
    "{{.Name}}": "{{.Method}}",
{{- end}}
}

dashed: tuple[str, ...] = (
{{- range .Dashed}}
    "{{.}}",
{{- end}}
)
`

const estimators = `"""Estimators with the interface of scikit-learn, one for each method of {{.Owner}}.

Methods have these names in Python and in the command-line tool rao:

{{.Table}}

Written by go generate from the declarations of the methods; do not edit.
"""

from __future__ import annotations

from typing import {{if .Needs "Callable"}}Any, Callable, {{end}}Literal{{if .Needs "Sequence"}}, Sequence{{end}}
{{if .Needs "np."}}
import numpy as np
{{end}}
from ._base import {{.Bases}}
{{- with .Mixins}}
from ._mixins import {{.}}
{{- end}}

__all__ = [
{{- range .Classes}}
    "{{.Name}}",
{{- end}}
]
{{range .Classes}}

class {{.Name}}({{.Bases}}):
    """{{.Wrapped}}

    The method {{.Method}} of the command-line tool rao.

    Parameters
    ----------
{{- range .Parameters}}
    {{.Name}} : {{.Doc}}, default={{.Default}}
        {{.Wrapped}}
{{- end}}
{{- if not (or .Matrices .Trials)}}
    categories : "auto", str, list of str or None, default=None
        Text columns of a data frame to replace by one 0/1 column per text: their names, or "auto" for all of them.
        "top:20" keeps the 20 most frequent texts of each column. Dates become days.
    missing : {"error", "drop", "median", "mean"}, default="error"
        A missing value is an error, its row is left out, or the median or mean of the column replaces it. The model
        stores that median or mean.
{{- end}}
    verbose : bool, default=False
        Show a progress bar.

    Attributes
    ----------
    model_ : rao.Model
        The trained pipeline; model_.save writes it for the command-line tool rao.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    n_features_in_ : int
        {{.Width}}
{{- if not (or .Matrices .Trials)}}
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Names of the features, if the training data had names.
{{- end}}
{{- if .HasFilters}}
    filters_ : ndarray of shape (n_features_in_, filters)
        Filters of unit length, one per column.
{{- end}}
{{- range .Mixin.Attributes}}
    {{.Name}} : {{.Type}}
        {{.Help}}
{{- end}}
    n_iter_ : int
        Iterations of the fit, at least 1.

    Examples
    --------
    >>> import rao
{{- if .Trials}}
    >>> X, y, channels = rao.simulate("evoked", trials=80).trials(["light-left", "light-right"], 0, 0.5)
    >>> rao.{{.Name}}().fit(X, y).predict(X[:3]).shape
    (3,)
{{- else if .Matrices}}
    >>> X, y = rao.datasets.make("syn1", per_class=20)
    >>> rao.{{.Name}}().fit(X, y).predict(X[:3]).shape
    (3,)
{{- else}}
    >>> X, y = rao.load_digits()
    >>> rao.{{.Name}}().fit(X[:300], y[:300]).predict(X[300:303]).shape
    (3,)
{{- end}}
    """

    _method = "{{.Method}}"
{{- if .Mixin.PoorScore}}
    _poor_score = True  # two columns give one factor, which cannot separate three classes
{{- end}}

    def __init__(
        self,
        *,
{{- range .Parameters}}
        {{.Name}}: {{.Type}} = {{.Default}},
{{- end}}
{{- if not (or .Matrices .Trials)}}
        categories: str | Sequence[str] | None = None,
        missing: Literal["error", "drop", "median", "mean"] = "error",
{{- end}}
        verbose: bool = False,
    ) -> None:
{{- range .Parameters}}
        self.{{.Name}} = {{.Name}}
{{- end}}
{{- if not (or .Matrices .Trials)}}
        self.categories = categories
        self.missing = missing
{{- end}}
        self.verbose = verbose
{{end}}`
