# Writes prepare.json beside it: notches and resampling by scipy 1.17; run with python3 prepare.py.
import json
import numpy as np
from scipy import signal

rng = np.random.default_rng(5)
x = np.cumsum(rng.normal(size=(120, 2)), axis=0) + 30
out = dict(x=x.ravel().tolist(), notch=[], resample=[])
for rate, hz in [(250, [50]), (256, [50, 100]), (1000, [60, 120, 180])]:
    sos = np.array([np.concatenate(signal.iirnotch(f, 30, fs=rate)) for f in hz])
    zi = signal.sosfilt_zi(sos)
    out["notch"].append(dict(rate=rate, hz=hz, zero=signal.sosfiltfilt(sos, x, axis=0).ravel().tolist(),
                             causal=signal.sosfilt(sos, x, axis=0, zi=zi[:, :, None] * x[0])[0].ravel().tolist()))
for a, b in [(250, 125), (256, 128), (500, 200), (100, 160), (1000, 250), (512, 500), (250, 250)]:
    g = np.gcd(a, b)
    up, down = b // g, a // g
    h = signal.firwin(2 * 10 * max(up, down) + 1, 1 / max(up, down), window=("kaiser", 5.0)) * up if up != down else np.ones(1)
    causal = signal.upfirdn(h, x - x[0], up, down, axis=0)[: -(-120 * up // down)] + x[0]
    out["resample"].append(dict(rates=[a, b], zero=signal.resample_poly(x, up, down, axis=0, padtype="line").ravel().tolist(), causal=causal.ravel().tolist()))
json.dump(out, open("prepare.json", "w"))
