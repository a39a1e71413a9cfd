package main

import _ "rao/eeg/spatial"
