# Writes potato.json beside it: artifacts by pyRiemann 0.12; run with python3 potato.py.
import json
import numpy as np
from pyriemann.artifact_detection import Potato, PotatoField

rng = np.random.default_rng(5)
N, n = 30, 4
a = rng.normal(size=(N, n, 20)) * rng.uniform(0.8, 1.25, size=(N, n, 1))
a[4] *= 9
a[17, 1] *= 12
a[22, 2:] *= 0.05
x = a @ a.transpose(0, 2, 1) / 20
gold = dict(x=x.ravel().tolist())
train, rest = x[:20], x[20:]
one = Potato(threshold=2.5).fit(train)
gold["z"] = one.transform(x).tolist()
for m in rest:
    if one.predict(m[None])[0] == 1:
        one.partial_fit(m[None], alpha=0.2)
gold["after"] = one.transform(x).tolist()
parts = [[0, 1], [1, 2, 3]]
field = PotatoField(n_potatoes=2, z_threshold=2.5, n_iter_max=100).fit([train[:, p][:, :, p] for p in parts])
every = [x[:, p][:, :, p] for p in parts]
gold["field"] = field.transform(every).ravel().tolist()
gold["p"] = field.predict_proba(every).tolist()
print((field.predict(every) == 0).nonzero(), (np.array(gold["z"]) >= 2.5).nonzero())
json.dump(gold, open("potato.json", "w"))
