"""Writes joined_raw.fif: two recordings that MNE concatenated, with a stimulus and an eye channel, a bad
channel, an annotation that is not ASCII and an average reference that is not applied."""

import mne
import numpy as np

rng = np.random.default_rng(26)
info = mne.create_info(["Fz", "Cz", "C3", "C4", "STI 014", "EOG1"], 100.0, ["eeg"] * 4 + ["stim", "eog"])


def piece(samples):
    data = 1e-5 * rng.standard_normal((6, samples))
    data[4] = np.arange(samples) // 30 % 2
    return mne.io.RawArray(data, info.copy())


first = piece(90)
first.set_annotations(mne.Annotations([0.25], [0.1], ["Zähler"]))
raw = mne.concatenate_raws([first, piece(60)])
raw.info["bads"] = ["C3"]
raw.set_eeg_reference(projection=True)
raw.save("joined_raw.fif", overwrite=True)
raw = mne.io.read_raw_fif("joined_raw.fif", preload=True)
raw.apply_proj().pick("eeg", exclude="bads").get_data().T[:20].astype("<f8").tofile("joined_average.f64")
