package main

import _ "rao/eeg/spatial"

func init() { pythonNames["xdawn"] = "Xdawn" }
