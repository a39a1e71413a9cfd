package paper

import _ "rao/paper/eeg" // studies of recordings; delete this file together with the wing eeg
