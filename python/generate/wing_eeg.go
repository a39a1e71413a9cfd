package main

import "rao/eeg/spatial"

func init() {
	wings["eeg"] = spatial.Methods()
	pythonNames["xdawn"] = "Xdawn"
}
