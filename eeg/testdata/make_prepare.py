# Writes prepare.json beside it: what MNE 1.13 makes of a recording in memory; run with python3 make_prepare.py.
import json
import numpy as np
import mne

mne.set_log_level("error")
rng = np.random.default_rng(6)
names = ["Fz", "F3", "F4", "C3", "Cz", "C4", "Pz", "P3", "P4", "Oz"]
theta = rng.uniform(0.1, 1.4, 10)
phi = rng.uniform(0, 2 * np.pi, 10)
center, radius = np.array([0.002, -0.005, 0.04]), 0.095
pos = center + radius * np.c_[np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)]
x = np.cumsum(rng.normal(size=(10, 120)), axis=1) * 1e-6
info = mne.create_info(names, 120.0, "eeg")
raw = mne.io.RawArray(x, info)
raw.set_montage(mne.channels.make_dig_montage(dict(zip(names, pos)), coord_frame="head"))
pos = np.array([c["loc"][:3] for c in raw.info["chs"]])  # as single precision keeps them
fit = np.linalg.lstsq(np.c_[2 * pos, np.ones(10)], (pos ** 2).sum(1), rcond=None)[0][:3]
assert np.abs(fit - center).max() < 1e-7
raw.info["bads"] = ["C4", "Oz"]
gold = dict(names=names, pos=pos.ravel().tolist(), x=(x * 1e6).T.ravel().tolist())
done = raw.copy().interpolate_bads(origin=tuple(fit), method=dict(eeg="spline"))
gold["interpolated"] = (done.get_data() * 1e6).T[::17].ravel().tolist()
gold["average"] = (mne.set_eeg_reference(done.copy(), "average", projection=False)[0].get_data() * 1e6).T[::17].ravel().tolist()
gold["p3p4"] = (mne.set_eeg_reference(done.copy(), ["P3", "P4"])[0].drop_channels(["P3", "P4"]).get_data() * 1e6).T[::17].ravel().tolist()
json.dump(gold, open("prepare.json", "w"))
