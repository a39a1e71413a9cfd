# Writes evoked.json beside it: Xdawn filters, and covariances with mean responses, by pyRiemann 0.12; run with
# python3 evoked.py. Its own default estimator leaves the means in; "cov" and "oas" take them out, as rao does.
import json
import numpy as np
from pyriemann.estimation import ERPCovariances, XdawnCovariances
from pyriemann.spatialfilters import Xdawn

rng = np.random.default_rng(5)
count, channels, samples = 18, 3, 25
y = np.arange(count) % 3 % 2
course = np.sin(np.linspace(0, 3, samples))
x = rng.normal(size=(count, channels, samples))
x[y == 1] += np.array([1, -0.5, 0.3])[:, None] * course
x = (rng.normal(size=(channels, channels)) @ x).round(6)
flat = lambda a: np.asarray(a).ravel().tolist()
gold = dict(x=flat(x), y=y.tolist())
xd = Xdawn(nfilter=2, estimator="cov").fit(x, y)
gold["filters"], gold["patterns"], gold["evoked"] = flat(xd.filters_), flat(xd.patterns_), flat(xd.evokeds_)
gold["erp"] = flat(ERPCovariances(estimator="cov").fit_transform(x, y))
gold["erp_target"] = flat(ERPCovariances(classes=[1], estimator="oas").fit_transform(x, y))
gold["erp_svd"] = flat(ERPCovariances(svd=2, estimator="cov").fit_transform(x, y))
gold["xdawn"] = flat(XdawnCovariances(nfilter=2, estimator="oas", xdawn_estimator="cov").fit_transform(x, y))
gold["xdawn_keep"] = flat(XdawnCovariances(nfilter=1, applyfilters=False, classes=[1], estimator="cov", xdawn_estimator="cov").fit_transform(x, y))
json.dump(gold, open("evoked.json", "w"))
