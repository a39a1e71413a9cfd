"""Writes the Parquet files of the tests by pyarrow and DuckDB.

    python3 -m venv venv && venv/bin/pip install pyarrow==26.0.1 duckdb==2.0.0
    venv/bin/python make.py

Row i of every file has a = i/4, b = 3 - i, c = i % 7 and the label of i % 3; vectors
are [i, i + 0.5, -i]. Row 5 misses a and, where they may be missing, its vector.
"""

import struct

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

N = 60
NAMES = ["ape", "bee", "cat"]
a = [None if i == 5 else i / 4 for i in range(N)]
b = [3 - i for i in range(N)]
c = [i % 7 for i in range(N)]
label = [NAMES[i % 3] for i in range(N)]
vector = [[float(i), i + 0.5, float(-i)] for i in range(N)]
missing = [None if i == 5 else v for i, v in enumerate(vector)]

wide = pa.table({"a": pa.array(a, pa.float32()), "b": pa.array(b, pa.int64()), "c": pa.array(c, pa.uint8()),
                 "when": pa.array(range(N), pa.timestamp("us")), "label": pa.array(label)})
pq.write_table(wide, "arrow-wide.parquet", row_group_size=16, data_page_size=64)
pq.write_table(wide, "arrow-v2-zstd.parquet", row_group_size=25, data_page_version="2.0", compression="zstd")
pq.write_table(wide, "arrow-plain.parquet", use_dictionary=False, compression="gzip", data_page_size=32)
lists = pa.table({"x": pa.array(missing, pa.list_(pa.float32())), "y": pa.array([i % 3 for i in range(N)], pa.int32())})
pq.write_table(lists, "arrow-list.parquet", row_group_size=17, data_page_size=40)
fixed = pa.table({"x": pa.array(vector, pa.list_(pa.float64(), 3)), "y": pa.array(label).dictionary_encode()})
pq.write_table(fixed, "arrow-fixed-list.parquet", row_group_size=23)
binary = pa.table({"x": pa.array([struct.pack("<3f", *v) for v in vector], pa.binary(12)),
                   "v": pa.array([struct.pack("<3d", *v) for v in vector], pa.binary()), "y": pa.array(label)})
pq.write_table(binary, "arrow-binary.parquet", row_group_size=31)
odd = pa.table({"half": pa.array([float(i) for i in range(N)], pa.float16()),
                "money": pa.array([f"{i}.25" for i in range(N)]).cast(pa.decimal128(9, 2)),
                "flag": pa.array([i % 2 == 0 for i in range(N)]),
                "person": pa.array([{"age": i, "name": "n"} for i in range(N)]),
                "map": pa.array([[("k", 1)] for _ in range(N)], pa.map_(pa.string(), pa.int32())),
                "deep": pa.array([[[1.0]] for _ in range(N)]),
                "big": pa.array([2**53 + 1 + i % 3 for i in range(N)], pa.int64())})
pq.write_table(odd, "arrow-odd.parquet")
ragged = pa.table({"x": pa.array([[1.0, 2.0]] * 9 + [[1.0]], pa.list_(pa.float32())), "y": pa.array([0, 1] * 5)})
pq.write_table(ragged, "arrow-ragged.parquet")

db = duckdb.connect()
db.execute(f"""create table t as select case when i = 5 then null else (i / 4.0)::float end as a, 3 - i as b,
    (i % 7)::utinyint as c, ['ape', 'bee', 'cat'][1 + i % 3] as label,
    [i::float, i + 0.5, -i]::float[3] as x from range({N}) s(i)""")
db.execute("copy (select a, b, c, label from t) to 'duckdb-wide.parquet' (row_group_size 2048)")
db.execute("copy (select x, label from t) to 'duckdb-array.parquet' (compression zstd)")
db.execute("copy (select label, a::double as a from t) to 'duckdb-v2.parquet' (parquet_version v2)")
