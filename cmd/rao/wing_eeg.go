package main

import (
	_ "rao/cmd/rao/eeg"
	_ "rao/eeg/spatial"
)
