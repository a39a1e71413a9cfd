"""The name under which rao is installed. The build backend and the messages read it from here. pyproject.toml and the
conda recipe cannot, so tests compare their names with this one."""

DISTRIBUTION = "fisher-rao"
