//go:build wasip1

package main

import _ "rao/eeg/spatial"
