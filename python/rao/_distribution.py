"""The name to install rao by. The backend and the messages read it here, and tests compare the files that cannot: pyproject.toml
and the conda recipe."""

DISTRIBUTION = "fisher-rao"
