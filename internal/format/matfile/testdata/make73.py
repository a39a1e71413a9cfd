# Writes v73.mat and v73_plain.mat beside it with h5py 3.16 as MATLAB lays out files of version 7.3: a user block of 512
# bytes, MATLAB_class on every object, cells and elements as references; run with python3 make73.py.
import h5py
import numpy as np

i, j, k = np.meshgrid(range(2), range(3), range(4), indexing="ij")
a = 100 * i + 10 * j + k

def write(name, **packed):
    with h5py.File(name, "w", userblock_size=512) as f:
        refs = f.create_group("#refs#")

        def put(where, key, x, cls=None, **opt):
            x = np.asarray(x)
            d = where.create_dataset(key, data=x.T, **opt)
            d.attrs["MATLAB_class"] = np.bytes_(cls or {"f8": "double", "f4": "single", "i2": "int16", "u1": "uint8", "i4": "int32"}[x.dtype.str[1:]])
            return d

        def text(where, key, s):
            d = put(where, key, np.array([[ord(c) for c in s]], "u2"), "char")
            d.attrs["MATLAB_int_decode"] = np.int32(2)
            return d

        def hidden(make, *args):
            return make(refs, f"r{len(refs)}", *args).ref

        def cell(where, key, list):
            d = where.create_dataset(key, data=np.array(list, dtype=h5py.ref_dtype).reshape(len(list), 1), dtype=h5py.ref_dtype)
            d.attrs["MATLAB_class"] = np.bytes_("cell")
            return d

        put(f, "v_f8", a.astype("f8"), **packed)
        put(f, "v_f4", a.astype("f4"), **packed)
        put(f, "v_i2", a.astype("i2"), **packed)
        put(f, "v_u1", (a % 120).astype("u1"))
        put(f, "scalar", [[2.5]])
        put(f, "flag", np.array([[1, 0, 1]], "u1"), "logical").attrs["MATLAB_int_decode"] = np.int32(1)
        text(f, "word", "tongue")
        put(f, "rows", np.array([[ord(c) for c in s] for s in ("left ", "right")], "u2"), "char").attrs["MATLAB_int_decode"] = np.int32(2)
        e = f.create_dataset("empty", data=np.array([0, 3], "u8"))
        e.attrs["MATLAB_class"] = np.bytes_("double")
        e.attrs["MATLAB_empty"] = np.uint8(1)
        runs = []
        for r in (0, 10):
            g = refs.create_group(f"run{r}")
            g.attrs["MATLAB_class"] = np.bytes_("struct")
            put(g, "X", a[:, :, 0].astype("f8") + r, **packed)
            put(g, "trial", np.array([[2.0, 5 + r]]))
            put(g, "fs", [[250.0]])
            cell(g, "classes", [hidden(text, "left hand"), hidden(text, "feet")])
            runs.append(g.ref)
        cell(f, "data", runs)
        m = f.create_group("mrk")
        m.attrs["MATLAB_class"] = np.bytes_("struct")
        kinds = [hidden(text, "square"), hidden(put, np.array([[7.0]])), hidden(text, "x")]
        m.create_dataset("type", data=np.array(kinds, dtype=h5py.ref_dtype).reshape(3, 1), dtype=h5py.ref_dtype)
        m.create_dataset("latency", data=np.array([hidden(put, np.array([[10.5 + n]])) for n in range(3)], dtype=h5py.ref_dtype).reshape(3, 1), dtype=h5py.ref_dtype)
        z = f.create_dataset("z", data=np.array([1 + 2j]))
        z.attrs["MATLAB_class"] = np.bytes_("double")
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, Created by make73.py HDF5 schema 1.00 .".ljust(124) + b"\x00\x02IM"
    with open(name, "r+b") as f:
        f.write(head)

write("v73.mat", chunks=True, compression="gzip", shuffle=True, fletcher32=True)
write("v73_plain.mat")
