"""The table that mixed writes in tables_test.go, as Parquet: python3 mixed.py"""

import pandas as pd

rows = []
for i in range(60):
    k = i % 2
    color = "green" if i % 7 == 3 else ["red", "blue"][k]
    size = None if i % 7 == 5 else k + 0.1 * (i * 7 % 11)
    rows.append((f"u{i}", color, size, i * 5 % 13, "ab"[k]))
table = pd.DataFrame(rows, columns=["id", "color", "size", "weight", "species"])
table.to_parquet("mixed.parquet", index=False)
