# Writes csp_pyriemann.json beside it: CSP by pyRiemann 0.12 of the matrices of csp.json; run with python3 csp_pyriemann.py.
import json
from functools import partial
import numpy as np
from pyriemann.geometry.ajd import ajd_pham
from pyriemann.geometry.mean import mean_riemann
from pyriemann.spatialfilters import CSP


def diagonalize(matrices, **_):
    """Goes on to the last sweep: a bound on the square of the change leaves cosines of 1 - 1e-6."""
    return ajd_pham(matrices, n_iter_max=200, eps=-1)


x = np.array(json.load(open("csp.json"))["stack"]).reshape(12, 4, 4)
gold = {}
means = dict(euclid="euclid", riemann=partial(mean_riemann, tol=1e-14, maxiter=200))
for classes in 2, 3:
    for metric in means:
        csp = CSP(nfilter=4, metric=means[metric], ajd_method=diagonalize)
        csp.fit(x, np.arange(12) % classes)
        gold[f"{metric}{classes}"] = dict(filters=csp.filters_.T.ravel().tolist(), features=csp.transform(x).ravel().tolist())
json.dump(gold, open("csp_pyriemann.json", "w"))
