# Writes embed.json beside it: embeddings by pyRiemann 0.12; run with python3 embed.py.
import json
import numpy as np
from pyriemann.embedding import SpectralEmbedding, locally_linear_embedding

rng = np.random.default_rng(6)
N, n = 24, 3
turn = np.linspace(0, 2.5, N)
a = rng.normal(size=(N, n, 30)) * np.stack([1 + turn, 1 + np.sin(turn), np.ones(N)], axis=1)[:, :, None]
x = a @ a.transpose(0, 2, 1) / 30
gold = dict(x=x.ravel().tolist(), spectral=SpectralEmbedding(n_components=3).fit_transform(x).ravel().tolist())
points, error = locally_linear_embedding(x, n_components=2, n_neighbors=6)
gold["lle"] = points.ravel().tolist()
gold["lle error"] = [float(error)]
gold["lle logeuclid"] = locally_linear_embedding(x, n_components=2, n_neighbors=6, metric="logeuclid")[0].ravel().tolist()
json.dump(gold, open("embed.json", "w"))
