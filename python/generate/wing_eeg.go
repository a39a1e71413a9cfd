package main

import methods "rao/internal/eeg/spatial"

func init() {
	wings["eeg"] = methods.Methods()
	pythonNames["xdawn"] = "Xdawn"
	pythonNames["trca"] = "TRCA"
	mixins["xdawn"], mixins["trca"] = spatial, spatial
}
