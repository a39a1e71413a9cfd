"""Names of the estimators. Written by go generate; do not edit."""

names: tuple[str, ...] = (
    "ERP",
    "FBCSP",
    "TRCA",
    "Xdawn",
)
