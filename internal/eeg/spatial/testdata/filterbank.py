# Writes filterbank.json beside it: a filter bank of two bands by scipy's eigh and gaussian_kde from the equations of
# Ang and others (2012), one class versus the rest; run with python3 filterbank.py (numpy, scipy).
import json
import numpy as np
from scipy.linalg import eigh
from scipy.stats import gaussian_kde

rng = np.random.default_rng(3)
count, channels, bands, classes, pairs, select = 45, 5, 2, 3, 2, 3
y = np.arange(count) % classes
mix = rng.normal(size=(bands, channels, channels))
x = np.zeros((count, bands * channels, bands * channels))
for k in range(count):
    parts = []
    for b in range(bands):
        scale = np.ones(channels)
        scale[(y[k] + b) % channels] = 1.6
        parts.append(mix[b] @ (scale[:, None] * rng.normal(size=(channels, 40))))
    x[k] = np.cov(np.concatenate(parts))


def kde(values):
    return gaussian_kde(values, bw_method=lambda k: (4 / (3 * k.n)) ** 0.2)


features, information, selected = [], [], []
for c in range(classes):
    here, told = [], []
    one = y == c
    for b in range(bands):
        block = x[:, b * channels:(b + 1) * channels, b * channels:(b + 1) * channels]
        scaled = block / np.trace(block, axis1=1, axis2=2)[:, None, None]
        first, rest = scaled[one].mean(0), scaled[~one].mean(0)
        _, w = eigh(first, first + rest)
        w = w[:, list(range(pairs)) + list(range(channels - pairs, channels))]
        power = np.einsum("pi,kpq,qi->ki", w, block, w)
        here.append(np.log(power / power.sum(1, keepdims=True)))
    here = np.concatenate(here, axis=1)
    for f in here.T:
        joint = np.stack([kde(f[one]).pdf(f) * one.mean(), kde(f[~one]).pdf(f) * (~one).mean()])
        p = joint / joint.sum(0)
        h = -(one.mean() * np.log(one.mean()) + (~one).mean() * np.log((~one).mean()))
        told.append(h + (p * np.log(p)).sum(0).mean())
    best = np.argsort(told)[::-1][:select]
    kept = sorted({int(j) for j in best} | {int(j // (2 * pairs) * 2 * pairs + 2 * pairs - 1 - j % (2 * pairs)) for j in best})
    selected += [c * here.shape[1] + j for j in kept]
    features.append(here)
    information += told
score = np.zeros((count, classes))
for c in range(classes):
    per, one = features[c].shape[1], y == c
    own, rest = np.log(one.mean()), np.log((~one).mean())
    for j in selected:
        if j // per == c:
            f = features[c][:, j % per]
            own, rest = own + kde(f[one]).logpdf(f), rest + kde(f[~one]).logpdf(f)
    score[:, c] = own - np.logaddexp(own, rest)
score -= np.log(np.exp(score).sum(1, keepdims=True))
json.dump(dict(stack=x.ravel().tolist(), features=np.concatenate(features, 1)[:, selected].ravel().tolist(), information=information,
               selected=selected, posterior=score.ravel().tolist()), open("filterbank.json", "w"))
