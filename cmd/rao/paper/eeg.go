package paper

import _ "rao/internal/paper/eeg" // studies of recordings, which go with the wing eeg too
