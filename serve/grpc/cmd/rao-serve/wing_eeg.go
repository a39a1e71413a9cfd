package main

import _ "rao/eeg/spatial" // stages of EEG models
