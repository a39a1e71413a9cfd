package main

import _ "rao/eeg/spatial" // registers the stages of EEG models
