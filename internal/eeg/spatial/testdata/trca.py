# Writes trca.json: task-related component analysis by numpy and scipy, from the equations of Nakanishi and others
# (2018), with no code of rao; run with python3 trca.py. Filters have w'Qw = 1 for the covariance Q of all samples.
import json
import numpy as np
from scipy.linalg import eigh

rng = np.random.default_rng(7)
classes, each, bands, channels, samples = 3, 6, 2, 4, 40
time = np.arange(samples) / 40
y = np.repeat(np.arange(classes), each)
x = rng.normal(size=(classes * each, bands, channels, samples))
for c, frequency in enumerate((4, 5, 7)):
    for b in range(bands):
        seen = rng.normal(size=channels)[:, None]
        x[y == c, b] += 0.5 * seen * np.sin(2 * np.pi * (b + 1) * frequency * time + c)
x = x.round(4)
train, test = x[np.arange(18) % 6 != 5], x[np.arange(18) % 6 == 5]
yt = y[np.arange(18) % 6 != 5]


def filter_of(trials):
    trials = trials - trials.mean(axis=2, keepdims=True)
    s = sum(a @ b.T for i, a in enumerate(trials) for j, b in enumerate(trials) if i != j)
    along = np.concatenate(list(trials), axis=1)
    q = np.cov(along)
    w = eigh(s, q)[1][:, -1]
    # what the source looks like: the covariance of the channels with it
    return w, q @ w


filters = np.zeros((bands * channels, bands * classes))
patterns = np.zeros_like(filters)
means = np.stack([train[yt == c].mean(axis=0) for c in range(classes)])
for b in range(bands):
    for c in range(classes):
        at = slice(b * channels, (b + 1) * channels), b * classes + c
        filters[at], patterns[at] = filter_of(train[yt == c][:, b])


def scores(ensemble):
    out = np.zeros((len(test), classes))
    for i, trial in enumerate(test):
        for c in range(classes):
            for b in range(bands):
                w = filters[b * channels:(b + 1) * channels, b * classes:(b + 1) * classes]
                w = w if ensemble else w[:, c:c + 1]
                r = np.corrcoef((w.T @ (trial[b] - trial[b].mean(axis=1, keepdims=True))).ravel(),
                                (w.T @ (means[c, b] - means[c, b].mean(axis=1, keepdims=True))).ravel())[0, 1]
                out[i, c] += ((b + 1) ** -1.25 + 0.25) * np.sign(r) * r * r
    return out


def agreement(b, c):
    source = [filters[b * channels:(b + 1) * channels, b * classes + c] @ (t - t.mean(axis=1, keepdims=True))
              for t in train[yt == c][:, b]]
    power = np.mean([s @ s for s in source])
    pairs = [s @ t for i, s in enumerate(source) for j, t in enumerate(source) if i != j]
    return np.mean(pairs) / power


flat = lambda a: np.asarray(a).ravel().tolist()
json.dump(dict(train=flat(train), labels=yt.tolist(), test=flat(test), filters=flat(filters), patterns=flat(patterns),
               ensemble=flat(scores(True)), own=flat(scores(False)),
               agreement=[agreement(b, c) for b in range(bands) for c in range(classes)]), open("trca.json", "w"))
