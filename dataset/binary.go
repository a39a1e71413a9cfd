package dataset

import (
	"path/filepath"
	"strings"
)

// pairLabels finds train-labels-idx1-ubyte.gz next to train-images-idx3-ubyte.gz.
func pairLabels(path string, opt *OpenOptions) {
	if opt.Labels != "" {
		return
	}
	dir, name := filepath.Split(path)
	pair := strings.NewReplacer("-images-idx3", "-labels-idx1", "-images.idx3", "-labels.idx1").Replace(name)
	if pair != name && exists(dir+pair) {
		opt.Labels = dir + pair
	}
}
