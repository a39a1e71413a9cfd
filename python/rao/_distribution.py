"""The name under which rao is installed. The build backend and the messages read it from here. pyproject.toml and the
conda recipe cannot; tests compare them with it."""

DISTRIBUTION = "fisher-rao"
