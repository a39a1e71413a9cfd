"""Names of the estimators, their methods and options. Written by go generate; do not edit."""

names: dict[str, str] = {
    "ERP": "erp",
    "FBCSP": "fbcsp",
    "TRCA": "trca",
    "Xdawn": "xdawn",
}

dashed: tuple[str, ...] = (
    "band-count",
    "filter-pairs",
    "filters-per-class",
    "keep-channels",
)
