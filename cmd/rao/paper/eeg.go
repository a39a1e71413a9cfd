package paper

import _ "rao/paper/eeg" // studies of recordings, which are deleted with eeg too
