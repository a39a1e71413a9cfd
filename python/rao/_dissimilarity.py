"""Dissimilarities written in Python."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from ._engine import RaoError, off_device

NAME = "callable"  # the program's name for a dissimilarity that the caller computes


class TorchDistance:
    """A torch function as a dissimilarity, returned by :func:`torch_distance`."""

    def __init__(self, function: Callable[..., Any], second_moments: bool) -> None:
        self.function, self.second_moments = function, second_moments

    def __call__(self, mean_a: np.ndarray, cov_a: np.ndarray, mean_b: np.ndarray, cov_b: np.ndarray) -> Any:
        given = {"means": np.stack([mean_a, mean_b]), "covs": np.stack([cov_a, cov_b]), "first": np.array([0]), "second": np.array([1])}
        value = float(self.together(given)["values"][0])
        d = self.together({**given, "weights": np.ones(1)})
        return value, (d["means"][0], d["covs"][0], d["means"][1], d["covs"][1])

    def together(self, given: Any) -> dict[str, np.ndarray]:
        """Return the values of all pairs. With weights, return the derivatives of their weighted sum."""
        import torch

        weights = given.get("weights")
        means, covs = (torch.tensor(given[k], dtype=torch.float64, requires_grad=weights is not None) for k in ("means", "covs"))
        arguments = self._argument(means, covs), self._argument(means, covs)
        found = self.function(*arguments)
        if tuple(found.shape) != (len(means),) * 2:
            raise RaoError(f"{self!r} returns an array of shape {tuple(found.shape)} for {len(means)} classes; it "
                           f"must have one value for each pair, in an array of shape {(len(means),) * 2}")
        values = found[torch.as_tensor(given["first"]), torch.as_tensor(given["second"])]
        if weights is None:
            return {"values": values.detach().numpy().astype(np.float64)}
        d = torch.autograd.grad((values * torch.tensor(weights)).sum(), (means, covs), allow_unused=True)
        return {k: np.zeros(x.shape) if g is None else g.numpy() for k, x, g in zip(("means", "covs"), (means, covs), d)}

    def _argument(self, mean: Any, cov: Any) -> Any:
        if self.second_moments:
            return cov + mean[:, :, None] * mean[:, None, :]
        return {"means": mean, "covariances": cov}

    def __repr__(self) -> str:
        return f"torch_distance({getattr(self.function, '__name__', self.function)}, second_moments={self.second_moments})"


def torch_distance(function: Callable[..., Any], second_moments: bool = False) -> TorchDistance:
    """Make a dissimilarity for the option ``distance`` from a torch function like the distances of the package sqfa.

    Parameters
    ----------
    function : callable
        Function of two dicts with ``means`` of shape (n, m) and ``covariances`` of shape (n, m, m), like
        ``distance_fun`` of sqfa.model.SQFA. It returns the (n, n) distances. torch computes the derivatives.
    second_moments : bool
        The arguments of the function are second moments of shape (n, m, m) instead of dicts, as in
        sqfa.model.SecondMomentsSQFA.

    Returns
    -------
    callable
        For ``rao.SQFA(distance=...)`` and ``Statistics.distance``.
    """
    if not callable(function):
        raise TypeError(f"torch_distance needs a function, not {type(function).__name__}")
    return TorchDistance(function, second_moments)


def evaluated(function: Callable[..., Any], given: Any) -> dict[str, np.ndarray]:
    """Return the dissimilarities of pairs of classes. With weights, return the derivatives of their weighted
    sum."""
    if isinstance(function, TorchDistance):
        return function.together(given)
    means, covs, weights = given["means"], given["covs"], given.get("weights")
    pairs = list(zip(given["first"], given["second"]))
    if weights is None:
        return {"values": np.array([_value(function, means[i], covs[i], means[j], covs[j])[0] for i, j in pairs])}
    d_means, d_covs = np.zeros_like(means), np.zeros_like(covs)
    for w, (i, j) in zip(weights, pairs):
        mean_i, cov_i, mean_j, cov_j = _derivatives(function, means[i], covs[i], means[j], covs[j])
        d_means[i] += w * mean_i
        d_covs[i] += w * cov_i
        d_means[j] += w * mean_j
        d_covs[j] += w * cov_j
    return {"means": d_means, "covs": (d_covs + d_covs.swapaxes(1, 2)) / 2}


def _name(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__name__", type(function).__name__))


def _value(function: Callable[..., Any], *gaussians: np.ndarray) -> tuple[float, Any]:
    """Return the value, and the derivatives if the function returns them."""
    found = function(*gaussians)
    value, derivatives = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
    if isinstance(value, tuple):
        raise RaoError(f"the distance {_name(function)} returns {len(value)} values; return one number for two "
                       "classes, or (value, (d_mean_a, d_cov_a, d_mean_b, d_cov_b)) with derivatives")
    value = np.asarray(off_device(value), np.float64)
    if value.size != 1:
        raise RaoError(f"the distance {_name(function)} returns {value.size} values for two classes; it must return "
                       "one number")
    return float(value.reshape(())), derivatives


def _derivatives(function: Callable[..., Any], *gaussians: np.ndarray) -> list[np.ndarray]:
    found = _value(function, *gaussians)[1]
    if found is None or len(found) != 4:
        raise RaoError(f"the distance {_name(function)} returns {len(found or ())} derivatives, not 4; return (value, (d_mean_a, d_cov_a, "
                       "d_mean_b, d_cov_b)), or write it with torch and pass rao.torch_distance(function)")
    arrays = [np.asarray(off_device(v), np.float64) for v in found]
    for name, v, like in zip(("mean_a", "cov_a", "mean_b", "cov_b"), arrays, gaussians):
        if v.shape != like.shape:
            raise RaoError(f"the distance {_name(function)}: the derivative with respect to {name} has shape {v.shape}; it "
                           f"must have shape {like.shape}")
    return arrays


def between(function: Callable[..., Any], means: np.ndarray, covariances: np.ndarray) -> np.ndarray:
    """Return the dissimilarities of all pairs of classes."""
    first, second = np.triu_indices(len(means), 1)
    d = np.zeros((len(means),) * 2)
    given = {"means": means, "covs": covariances, "first": first, "second": second}
    d[first, second] = d[second, first] = evaluated(function, given)["values"]
    return d
