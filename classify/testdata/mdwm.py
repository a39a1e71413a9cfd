# Writes mdwm.json beside it: minimum distance to weighted means by pyRiemann 0.12; run with python3 mdwm.py.
import json
import numpy as np
from pyriemann.transfer import MDWM, encode_domains

rng = np.random.default_rng(4)
n = 3
y = np.array([0, 1] * 15)
domain = np.array(["source"] * 22 + ["target"] * 8)
a = rng.normal(size=(30, n, 12)) * (1 + 0.7 * y)[:, None, None]
a[22:, 0] *= 2
x = a @ a.transpose(0, 2, 1) / 12
gold = dict(x=x.ravel().tolist(), y=y.tolist())
for tradeoff in (0, 0.3, 1):
    model = MDWM(domain_tradeoff=tradeoff, target_domain="target").fit(*encode_domains(x, y, domain))
    gold[str(tradeoff)] = np.array(model.covmeans_).ravel().tolist()
json.dump(gold, open("mdwm.json", "w"))
