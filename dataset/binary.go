package dataset

import (
	"path/filepath"
	"strings"

	"rao/internal/format/cifar"
	"rao/internal/format/idx"
)

// loadIdx reads IDX observations: images when there are three axes. Without a
// file of labels, the one that the MNIST naming pairs with path is used if it is
// there.
func loadIdx(path string, opt *OpenOptions) (*raw, error) {
	pairLabels(path, opt)
	x, err := idx.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &raw{source: path, x: x}
	if len(x.Shape) == 3 {
		r.image = [3]int{x.Shape[1], x.Shape[2], 1}
		x.Shape = []int{x.Shape[0], x.Shape[1] * x.Shape[2]}
	}
	return r, nil
}

// pairLabels finds train-labels-idx1-ubyte.gz beside train-images-idx3-ubyte.gz.
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

// loadCifar reads a file in CIFAR-10's binary form.
func loadCifar(path string) (*raw, error) {
	images, labels, err := cifar.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return cifarRaw(path, images, labels), nil
}

func cifarRaw(source string, images []float32, labels []int) *raw {
	r := &raw{source: source, image: [3]int{cifar.Side, cifar.Side, 3},
		x: &Array{Name: "X", Type: "u1", Shape: []int{len(labels), cifar.Pixels}, Float32: images}}
	r.y = make([]string, len(labels))
	for i, l := range labels {
		r.y[i] = cifar.Names[l]
	}
	r.names = cifar.Names[:]
	return r
}
