package paper

import _ "rao/internal/paper/eeg" // studies of recordings; delete this file together with the wing eeg
