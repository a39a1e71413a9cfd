# Writes medians.json beside it: geometric medians by pyRiemann 0.12; run with python3 medians.py.
import json
import numpy as np
from pyriemann.geometry.median import median_euclid, median_riemann

rng = np.random.default_rng(9)
a = rng.normal(size=(7, 4, 9))
x = a @ a.transpose(0, 2, 1) / 9
x[3] *= 40
w = rng.uniform(0.5, 2, size=7)
gold = dict(x=x.ravel().tolist(), w=w.tolist())
for name, f in (("riemann", median_riemann), ("euclid", median_euclid)):
    gold[name] = f(x, tol=1e-13, maxiter=100000).ravel().tolist()
    gold[name + " weighted"] = f(x, tol=1e-13, maxiter=100000, weights=w).ravel().tolist()
json.dump(gold, open("medians.json", "w"))
