# Writes MAT-files in the layouts of the BNCI database and of the Berlin sets with scipy 1.17; run with python3 make.py.
# Value (k, c) of run r is 100 r + 10 k + c.
import numpy as np
import scipy.io as sio

k, c = np.meshgrid(range(40), range(3), indexing="ij")
x = 10.0 * k + c
classes = np.array(["left hand", "feet"], dtype=object)
run = lambda r: dict(X=100 * r + x, trial=np.array([[1], [21]]), y=np.array([[1], [2]]), fs=250.0, classes=classes.reshape(1, 2))
sio.savemat("bnci.mat", dict(data=np.array([run(0), run(1)], dtype=object).reshape(1, 2)), do_compression=True)
sio.savemat("berlin.mat", dict(cnt=(x).astype("i2"), mrk=dict(pos=np.array([[3.0, 11, 31]]), y=np.array([[-1.0, 1, np.nan]])),
                               nfo=dict(fs=100.0, clab=np.array(["C3", "Cz", "C4"], dtype=object).reshape(1, 3), classes=classes.reshape(1, 2))))
sio.savemat("plain.mat", dict(EEG1=x))
