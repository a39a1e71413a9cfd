package main

import methods "rao/eeg/spatial"

func init() {
	wings["eeg"] = methods.Methods()
	pythonNames["xdawn"] = "Xdawn"
	mixins["xdawn"] = spatial
}
