# Writes kernels.json beside it: kernels of channels by pyRiemann 0.12 and correlations by its covariances, of a signal
# whose means are taken out and whose mean variance is 1; run with python3 kernels.py.
import json
import numpy as np
from pyriemann.estimation import Kernels
from pyriemann.geometry.covariance import covariances

rng = np.random.default_rng(4)
x = rng.normal(size=(4, 4)) @ rng.normal(size=(4, 30))
x -= x.mean(1, keepdims=True)
x /= np.sqrt((x**2).mean())
gold = dict(x=x.T.ravel().tolist(), correlation=covariances(x[None], estimator="corr").ravel().tolist())
for name in "rbf", "laplacian":
    gold[name] = Kernels(metric=name, gamma=1 / 30).transform(x[None]).ravel().tolist()
json.dump(gold, open("kernels.json", "w"))
