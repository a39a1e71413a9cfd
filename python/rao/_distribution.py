"""The name to install rao by. The backend, the conda recipe and the messages read it here, and a test compares
pyproject.toml, which cannot."""

DISTRIBUTION = "fisher-rao"
