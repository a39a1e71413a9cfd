"""Makes moabb.json: what MOABB 1.7.2 makes of bnci.mat as subject 3 of BNCI2014_001.

The trials of MotorImagery (8-32 Hz) in order with their sessions, runs and classes, and the
sample covariance of C3, Cz and C4 in each. Needs no network: the file is put where MOABB
looks for it, in the folder named on the command line.
"""
import json
import os
import shutil
import sys

import numpy as np

os.environ["MNE_DATA"] = os.environ["MNE_DATASETS_BNCI_PATH"] = sys.argv[1]
folder = os.path.join(sys.argv[1], "MNE-bnci-data/~bci/database/001-2014")
os.makedirs(folder, exist_ok=True)
for letter in "TE":
    shutil.copy("bnci.mat", f"{folder}/A03{letter}.mat")

from moabb.datasets import BNCI2014_001  # noqa: E402
from moabb.paradigms import MotorImagery  # noqa: E402

x, y, meta = MotorImagery(n_classes=4, channels=["C3", "Cz", "C4"]).get_data(BNCI2014_001(), subjects=[3])
json.dump({"samples": x.shape[2], "class": [str(v) for v in y], "session": list(meta.session), "run": list(meta.run),
           "covariance": np.array([np.cov(t) for t in x]).tolist()}, open("moabb.json", "w"))
