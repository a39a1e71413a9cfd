# Writes the sets beside it with eeglabio 0.1.4 and scipy 1.17, and golden.json with what MNE 1.13 reads from
# them (in uV); run with python3 make.py.
import json
import numpy as np
import scipy.io as sio
import mne
from eeglabio.raw import export_set
from eeglabio.epochs import export_set as export_epochs

mne.set_log_level("error")
rng = np.random.default_rng(1)
names, rate, n = ["Fz", "C3", "C4", "EOG"], 128.0, 50
data = rng.normal(size=(4, n)) * 20e-6
locs = np.array([[0.0, 0.07, 0.06], [-0.06, 0.0, 0.06], [0.06, 0.0, 0.06], [0.0, 0.0, 0.0]])
notes = [["left", "7", "boundary", "right"], np.array([3, 11, 20, 31]) / rate, np.array([0, 2, 5, 0]) / rate]
export_set("raw.set", data, rate, names, np.column_stack([locs[:, 1], -locs[:, 0], locs[:, 2]]), notes, ch_types=["EEG", "EEG", "EEG", "EOG"])

# The form of pop_saveset: a struct EEG, the samples in a file of their own, numbers as types of events.
uv = (data * 1e6).astype("f4")
uv.T.tofile("split.fdt")
event = np.zeros((1, 2), dtype=[("type", object), ("latency", object), ("duration", object)])
event[0, 0], event[0, 1] = (769.0, 5.0, 3.0), (770.0, 30.4, np.zeros((0, 0)))
chan = np.zeros((1, 4), dtype=[("labels", object), ("X", object), ("Y", object), ("Z", object), ("type", object)])
for k in range(4):
    x, y, z = locs[k]
    chan[0, k] = (names[k], y * 1e3, -x * 1e3, z * 1e3, "EEG") if k < 3 else (names[k], np.zeros((0, 0)), np.zeros((0, 0)), np.zeros((0, 0)), "EOG")
EEG = dict(setname="split", nbchan=4.0, pnts=float(n), trials=1.0, srate=rate, xmin=0.0, xmax=(n - 1) / rate, data="split.fdt", ref="common",
           chanlocs=chan, event=event, icawinv=np.zeros((0, 0)), icasphere=np.zeros((0, 0)), icaweights=np.zeros((0, 0)))
sio.savemat("split.set", dict(EEG=EEG), appendmat=False, do_compression=True)

ep = rng.normal(size=(5, 4, 12)) * 20e-6
ev = np.array([[100 * k, 0, 1 + k % 2] for k in range(5)])
export_epochs("epochs.set", ep, rate, ev, -2 / rate, 9 / rate, names, {"left": 1, "right": 2}, locs)

gold = {}
for f in ("raw.set", "split.set"):
    r = mne.io.read_raw_eeglab(f, preload=True)
    gold[f] = dict(names=r.ch_names, rate=r.info["sfreq"], data=(r.get_data() * 1e6).T.ravel().tolist(),
                   events=[[a["description"], a["onset"] * rate, float(np.nan_to_num(a["duration"])) * rate] for a in r.annotations])
r = mne.read_epochs_eeglab("epochs.set")
gold["epochs.set"] = dict(names=r.ch_names, rate=r.info["sfreq"], data=(r.get_data() * 1e6).transpose(0, 2, 1).ravel().tolist(),
                          events=[[{v: k for k, v in r.event_id.items()}[c], k * 12 + 2, 0] for k, c in enumerate(r.events[:, 2])])
json.dump(gold, open("golden.json", "w"))

# The same recording in a file of version 7.3, as MNE's oracle reads it.
export_set("raw73.set", data, rate, names, np.column_stack([locs[:, 1], -locs[:, 0], locs[:, 2]]), notes, ch_types=["EEG", "EEG", "EEG", "EOG"], fmt="v7.3")
r = mne.io.read_raw_eeglab("raw73.set", preload=True)
assert np.array_equal((r.get_data() * 1e6).T.ravel(), gold["raw.set"]["data"])
