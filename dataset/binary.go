package dataset

import (
	"path/filepath"
	"strings"
)

// pairLabels sets opt.Labels to the file of labels that belongs to a file of images, such as train-labels-idx1-ubyte.gz
// for train-images-idx3-ubyte.gz, if it exists and opt names none.
func pairLabels(path string, opt *OpenOptions) {
	if opt.Labels != "" || opt.Y == noLabels {
		return
	}
	dir, name := filepath.Split(path)
	pair := strings.NewReplacer("-images-idx3", "-labels-idx1", "-images.idx3", "-labels.idx1").Replace(name)
	if pair != name && exists(dir+pair) {
		opt.Labels = dir + pair
	}
}
