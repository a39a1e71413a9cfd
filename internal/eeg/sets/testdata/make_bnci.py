"""Makes bnci.mat: a small file in the layout of the BNCI database (001-2014).

A cell array data of structs: a run of the eyes without trials, then two runs of four trials,
one of each class. 25 columns, 250 samples a second, small whole numbers. SciPy 1.x.
"""
import numpy as np
from scipy.io import savemat

rng = np.random.default_rng(3)
classes = np.array(["left hand", "right hand", "feet", "tongue"], dtype=object)
runs = []
for k in range(3):
    trials = 0 if k == 0 else 4
    n = 100 if k == 0 else 250 * (7 * trials + 2)
    x = np.repeat(rng.choice([-1.0, 1.0], (n // 5 + 1, 25)), 5, axis=0)[:n]  # each value five times: it packs well
    at = 126 + 250 * 7 * np.arange(trials)
    y = np.arange(trials) % 4 + 1
    for start, c in zip(at, y):  # a class is loud in its own channel
        x[start + 500 : start + 1500, 5 * c] *= 4
    runs.append({"X": x, "trial": at.reshape(-1, 1).astype(np.uint32),
                 "y": y.reshape(-1, 1).astype(np.uint8), "fs": 250.0, "classes": classes,
                 "artifacts": np.zeros((trials, 1)), "gender": "female", "age": 22.0})
data = np.empty((1, 3), dtype=object)
for k, r in enumerate(runs):
    data[0, k] = r
savemat("bnci.mat", {"data": data}, do_compression=True)
