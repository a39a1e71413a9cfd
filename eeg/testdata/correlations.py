# Writes correlations.json beside it: canonical correlations of trials with oscillations as cosines of the angles
# between spaces, by scipy's subspace_angles; run with python3 correlations.py.
import json
import numpy as np
from scipy.linalg import subspace_angles

rng = np.random.default_rng(11)
count, channels, samples, rate, harmonics = 6, 3, 60, 64.0, 2
frequencies = [5.0, 7.5, 12.0]
t = np.arange(samples) / rate
x = rng.normal(size=(count, channels, samples)) + 3
for k in range(count):
    x[k] += rng.normal(size=(channels, 1)) * np.sin(2 * np.pi * frequencies[k % 3] * t + k)
x[5, 2] = -x[5, 0] - x[5, 1]  # an average reference: one direction less
gold = []
for trial in x:
    for f in frequencies:
        y = np.array([w(2 * np.pi * h * f * t) for h in (1, 2) for w in (np.sin, np.cos)])
        a = trial[:2] if trial is x[5] or np.allclose(trial.sum(0), 0) else trial
        gold.append(np.cos(subspace_angles((a - a.mean(1, keepdims=True)).T, (y - y.mean(1, keepdims=True)).T).min()))
json.dump(dict(x=x.ravel().tolist(), correlations=gold), open("correlations.json", "w"))
