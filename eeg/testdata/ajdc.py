"""Makes ajdc.json: AJDC of pyRiemann 0.12 on two subjects under two conditions.

Four channels, 64 samples a second: sources of different spectra, mixed. The iteration of
pyRiemann is carried to its end (eps 1e-14), because its own tolerance of 1e-6 is the coarser
of the two; nothing else is changed.
"""
import functools
import json

import numpy as np
from pyriemann.spatialfilters import AJDC
import pyriemann.spatialfilters as sf

sf.ajd_pham = functools.partial(sf.ajd_pham, eps=1e-14)
rng = np.random.default_rng(5)
mixing = rng.standard_normal((4, 4))


def signal(n, power):
    s = rng.standard_normal((4, n))
    s[0] = np.convolve(s[0], np.ones(16) / 4, "same")  # slow and strong, a blink
    s[1] = np.convolve(s[1], np.cos(2 * np.pi * 10 / 64 * np.arange(24)) / 3, "same")
    s[2] = np.convolve(s[2], np.cos(2 * np.pi * 20 / 64 * np.arange(24)) / 3, "same")
    return np.round(mixing @ (np.array([5, 1, 1, 0.5 * power])[:, None] * s), 3)


x = [[signal(400, 1), signal(450, 2)], [signal(380, 1), signal(500, 2)]]
out = {"x": [[c.T.tolist() for c in s] for s in x], "rate": 64}
for name, dim in {"all": {"n_components": 4}, "three": {"n_components": 3}, "condition": {"max_cond": 30}}.items():
    a = AJDC(window=32, overlap=0.5, fmin=2, fmax=28, fs=64, dim_red=dim, verbose=False).fit(x)
    one = x[0][0][None]
    # What a source explains: of appendix D in Congedo et al. (2008). The get_src_expl_var of
    # pyRiemann 0.12 multiplies element by element where the equation has matrix products.
    pieces = [np.outer(a.backward_filters_[:, s], a.forward_filters_[s]) for s in range(a.n_sources_)]
    c = np.cov(one[0])
    share = np.array([np.trace(p @ c @ p.T) for p in pieces])
    order = np.argsort(-share)
    src = a.transform(one)
    out[name] = {
        "sources": int(a.n_sources_),
        "freqs": a.freqs_.tolist(),
        "projectors": [pieces[s].tolist() for s in order],
        "variance": share[order].tolist(),
        "clean": a.inverse_transform(src, supp=[int(order[0])])[0].T[:20].tolist(),
    }
json.dump(out, open("ajdc.json", "w"))
