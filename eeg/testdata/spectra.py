# Writes spectra.json beside it: spectral matrices of the epochs of epochs.npz, means over 8 to 25 Hz and 26 to 40 Hz, by
# pyRiemann 0.12; run with python3 spectra.py. The frequencies are picked here: its own fmin and fmax double the power of
# the wrong ones.
import json
import numpy as np
from pyriemann.geometry.covariance import coherence, cross_spectrum

x = np.load("epochs.npz")["X"]
gold = dict(cospectrum=[], coherence=[])
gold["cross-spectrum"] = []
for trial in x:
    s, f = cross_spectrum(trial, window=32, overlap=0.75, fs=100)
    c, _ = coherence(trial, window=32, overlap=0.75, fs=100, coh="ordinary")
    for name, matrices in (("cospectrum", s.real), ("coherence", c), ("cross-spectrum", s)):
        order = 6 if name == "cross-spectrum" else 3
        out = np.zeros((2 * order, 2 * order))
        for b, (low, high) in enumerate([(8, 25), (26, 40)]):
            m = matrices[:, :, (f >= low) & (f <= high)].mean(2)
            if name == "cross-spectrum":
                m = np.block([[m.real, -m.imag], [m.imag, m.real]])
            out[b * order:(b + 1) * order, b * order:(b + 1) * order] = m
        gold[name] += out.ravel().tolist()
json.dump(gold, open("spectra.json", "w"))
