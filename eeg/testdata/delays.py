# Writes delays.json beside it: covariances of the epochs of epochs.npz with delayed copies by pyRiemann 0.12, whose copies
# are turned around at the end of a trial: what was turned is left out; run with python3 delays.py.
import json
import numpy as np
from pyriemann.estimation import TimeDelayCovariances
from pyriemann.geometry.covariance import covariances

x = np.load("epochs.npz")["X"]
gold = {}
for name, delays in ("oas", [2, 5]), ("cov", [1]):
    td = TimeDelayCovariances(delays=delays, estimator=name)
    td.transform(x)
    gold[name] = covariances(td.Xtd_[:, :, max(delays):], estimator=name).ravel().tolist()
json.dump(gold, open("delays.json", "w"))
