# Writes distinct.json beside it: class distinctiveness by pyRiemann 0.12; run with python3 distinct.py.
import json
import numpy as np
from pyriemann.classification import class_distinctiveness

rng = np.random.default_rng(9)
N, n = 21, 3
y = np.arange(N) % 3
a = rng.normal(size=(N, n, 12)) * (1 + 0.6 * y[:, None, None] * np.array([1, 0, 0.5])[:, None])
x = a @ a.transpose(0, 2, 1) / 12
gold = dict(x=x.ravel().tolist(), y=y.tolist())
for metric in ["riemann", "logeuclid", "euclid"]:
    gold[metric] = [class_distinctiveness(x[y != 1], y[y != 1], metric=metric), class_distinctiveness(x, y, metric=metric)]
json.dump(gold, open("distinct.json", "w"))
