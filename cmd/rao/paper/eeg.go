package paper

import _ "rao/paper/eeg" // studies of recordings, which go with the wing eeg too
