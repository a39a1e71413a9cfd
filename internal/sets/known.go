package sets

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"rao/dataset"
)

// knownSet is a public set, with the layout of its parts in files.
type knownSet struct {
	info  dataset.Set
	files []remoteFile
	// find returns the source of a part from the files in the set's folder.
	find func(dir, part string, opt dataset.OpenOptions) (*dataset.SetPart, error)

	subjects *BySubject // nil unless the set's files belong to subjects
}

func init() {
	dataset.Register(dataset.Set{Name: "digits", Parts: []string{"train", "test"}, PartOptional: true, Kind: "embedded",
		Description: "optical digits, 1797 images of 8×8, 10 classes; test is every third",
		License:     "CC BY 4.0, Alpaydin and Kaynak 1998", Obtain: "built in", Find: findDigits})
	for _, s := range tables() {
		s.register()
	}
}

func (s *knownSet) register() {
	s.info.Here, s.info.Find = s.here, s.source
	dataset.Register(s.info)
}

// source returns the source of a part in the cache folder.
func (s *knownSet) source(part string, opt dataset.OpenOptions) (*dataset.SetPart, error) {
	dir, err := s.dir("")
	if err != nil {
		return nil, err
	}
	return s.find(dir, part, opt)
}

// knownSets returns the sets that have files.
func knownSets() []*knownSet {
	all := tables()
	for _, b := range bySubject {
		all = append(all, b.known())
	}
	return all
}

func tables() []*knownSet {
	return []*knownSet{
		{info: dataset.Set{Name: "mnist", Parts: []string{"train", "test"}, Kind: "download",
			Description: "handwritten digits, 60000 and 10000 images of 28×28, 10 classes",
			License:     "CC BY-SA 3.0, LeCun, Cortes and Burges", Obtain: mnistURL}, files: mnistFiles,
			find: findMnist},
		{info: dataset.Set{Name: "fashion-mnist", Parts: []string{"train", "test"}, Kind: "download",
			Description: "articles of clothing, 60000 and 10000 images of 28×28, 10 classes",
			License:     "MIT, Zalando SE 2017", Obtain: fashionURL}, files: fashionFiles, find: findMnist},
		{info: dataset.Set{Name: "cifar10", Parts: []string{"train", "test"}, Kind: "download",
			Description: "color photographs, 50000 and 10000 images of 32×32, 10 classes",
			License:     "none stated, Krizhevsky 2009", Obtain: cifarURL}, files: cifarFiles, find: findCifar},
		{info: dataset.Set{Name: "svhn", Parts: []string{"train", "test"}, Kind: "download",
			Description: "cropped house numbers, 73257 and 26032 color images of 32×32, 10 classes; class 10 is the " +
				"digit 0",
			License: "for non-commercial use, Netzer et al. 2011", Obtain: svhnURL}, files: svhnFiles,
			find: findSVHN},
		{info: dataset.Set{Name: "optdigits", Parts: []string{"train", "test"}, Kind: "download",
			Description: "optical digits with other writers in the test part, 3823 and 1797 images of 8×8, 10 classes",
			License:     "CC BY 4.0, Alpaydin and Kaynak 1998", Obtain: optdigitsURL}, files: optdigitsFiles,
			find: findOptdigits},
		{info: dataset.Set{Name: "usps", Parts: []string{"train", "test"}, Kind: "import",
			Description: "digits of postal codes, 7291 and 2007 images of 16×16, 10 classes",
			License:     "research use", Obtain: "the data of The Elements of Statistical Learning, " +
				"https://hastie.su.domains/ElemStatLearn/data.html (zip.train.gz and zip.test.gz)"}, files: uspsFiles,
			find: findUsps},
		{info: dataset.Set{Name: "eth80", PartOptional: true, Kind: "import",
			Description: "photographs of 80 objects from 41 views, 3280 gray images of 128×128, 8 classes; " +
				"variable object numbers the objects",
			License: "research use, Leibe and Schiele 2003",
			Obtain: "http://www.mis.informatik.tu-darmstadt.de/Research/Projects/categorization/eth80-db.html, " +
				"and convert it to gray 128×128 images in IDX files"}, files: ethFiles, find: findEth},
		{info: dataset.Set{Name: "bci-iv-2a",
			Parts: []string{"A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09"}, MoreParts: bciSessions(),
			Kind: "import",
			Description: "EEG of four imagined movements, 22×22 covariances of 576 trials per subject; A01T is the " +
				"training session, A01E the other",
			License: "research use, Brunner et al. 2008", Obtain: "the data of the PLRSQ authors, " +
				"https://github.com/sonnatang/RiemannianPLVQ"}, files: bciFiles, find: findBci},
	}
}

func (s *knownSet) here() bool {
	dir, err := s.dir("")
	if err != nil {
		return false
	}
	if s.subjects != nil {
		return slices.ContainsFunc(s.files, func(f remoteFile) bool { return f.completePath(dir) != "" })
	}
	for _, f := range s.files {
		if f.optional {
			continue
		}
		if f.find(dir) == "" {
			return false
		}
	}
	list, err := os.ReadDir(dir)
	return err == nil && len(list) > 0
}

// CacheDir returns the folder in which Get stores the sets: $RAO_CACHE, or "rao" in the user's cache folder.
func CacheDir() (string, error) {
	if dir := os.Getenv("RAO_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no cache folder: %w; set RAO_CACHE to a folder for data sets", err)
	}
	return filepath.Join(dir, "rao"), nil
}

// dir returns the set's folder in the given cache folder, or in CacheDir.
func (s *knownSet) dir(cache string) (string, error) {
	if cache == "" {
		var err error
		if cache, err = CacheDir(); err != nil {
			return "", err
		}
	}
	return filepath.Join(cache, s.info.Name), nil
}

func findSet(name string) *knownSet {
	for _, s := range knownSets() {
		if s.info.Name == name {
			return s
		}
	}
	return nil
}

// absent returns the error for a set that is not in the cache folder.
func (s *knownSet) absent(file string) error {
	return &dataset.AbsentError{Set: s.info, File: file}
}

// need returns the path of a file in a set's folder, or an error that explains how to get the file.
func need(set, dir, file string) (string, error) {
	s := findSet(set)
	for _, f := range s.files {
		if f.name == file {
			if path := f.find(dir); path != "" {
				return path, nil
			}
		}
	}
	return "", s.absent(file)
}

// partPrefix returns the prefix of the MNIST files of a part.
func partPrefix(part string) string {
	if part == "test" {
		return "t10k"
	}
	return part
}

// mnistPaths returns the files with the images and the labels of a part.
func mnistPaths(dir, part string) (images, labels string, err error) {
	set := filepath.Base(dir)
	if images, err = need(set, dir, partPrefix(part)+"-images-idx3-ubyte.gz"); err != nil {
		return "", "", err
	}
	labels, err = need(set, dir, partPrefix(part)+"-labels-idx1-ubyte.gz")
	return images, labels, err
}

func findMnist(dir, part string, opt dataset.OpenOptions) (*dataset.SetPart, error) {
	images, labels, err := mnistPaths(dir, part)
	if err != nil {
		return nil, err
	}
	opt.Labels = cmp.Or(opt.Labels, labels)
	return &dataset.SetPart{Paths: []string{images}, Options: opt}, nil
}

func findCifar(dir, part string, opt dataset.OpenOptions) (*dataset.SetPart, error) {
	paths, err := cifarPaths(dir, part)
	if err != nil {
		return nil, err
	}
	return &dataset.SetPart{Paths: paths, Options: opt}, nil
}

func cifarPaths(dir, part string) ([]string, error) {
	names := []string{"test_batch.bin"}
	if part == "train" {
		names = nil
		for i := 1; i <= 5; i++ {
			names = append(names, fmt.Sprintf("data_batch_%d.bin", i))
		}
	}
	var paths []string
	for _, name := range names {
		p, err := need("cifar10", dir, name)
		if err != nil {
			return nil, err
		}
		paths = append(paths, p)
	}
	return paths, nil
}

// findSVHN reads the variables of the MAT-files: X, 32×32×3×N, and y, of length N.
func findSVHN(dir, part string, opt dataset.OpenOptions) (*dataset.SetPart, error) {
	path, err := need("svhn", dir, part+"_32x32.mat")
	if err != nil {
		return nil, err
	}
	opt.X = cmp.Or(opt.X, "X")
	if opt.Y == "" {
		opt.Y = "y"
	}
	return &dataset.SetPart{Paths: []string{path}, Options: opt}, nil
}

func findOptdigits(dir, part string, opt dataset.OpenOptions) (*dataset.SetPart, error) {
	file := "optdigits.tra"
	if part == "test" {
		file = "optdigits.tes"
	}
	return findDigitTable("optdigits", dir, file, "-1", 8, opt)
}

func findUsps(dir, part string, opt dataset.OpenOptions) (*dataset.SetPart, error) {
	return findDigitTable("usps", dir, "zip."+part+".gz", "0", 16, opt)
}

// findDigitTable returns the source of a table of side×side images without a header.
func findDigitTable(set, dir, file, label string, side int, opt dataset.OpenOptions) (*dataset.SetPart, error) {
	path, err := need(set, dir, file)
	if err != nil {
		return nil, err
	}
	no := false
	opt.Header = &no
	opt.Y = cmp.Or(opt.Y, label)
	return &dataset.SetPart{Paths: []string{path}, Options: opt, Image: [3]int{side, side, 1}}, nil
}

func findEth(dir, _ string, opt dataset.OpenOptions) (*dataset.SetPart, error) {
	images, err := need("eth80", dir, "images-gray128-idx3-ubyte.gz")
	if err != nil {
		return nil, err
	}
	vars := make(map[string]string)
	for _, name := range []string{"category", "object"} {
		if vars[name], err = need("eth80", dir, name+"-idx1-ubyte.gz"); err != nil {
			return nil, err
		}
	}
	opt.Labels = cmp.Or(opt.Labels, vars["category"])
	return &dataset.SetPart{Paths: []string{images}, Options: opt, Vars: vars}, nil
}

// bciSessions returns the training (T) and evaluation (E) sessions of each subject.
func bciSessions() []string {
	var parts []string
	for i := 1; i <= 9; i++ {
		parts = append(parts, fmt.Sprintf("A%02dT", i), fmt.Sprintf("A%02dE", i))
	}
	return parts
}

func findBci(dir, part string, opt dataset.OpenOptions) (*dataset.SetPart, error) {
	if len(part) == 4 {
		flag := map[byte]string{'T': "testIdx=0", 'E': "testIdx=1"}[part[3]]
		opt.Where = append(slices.Clone(opt.Where), flag)
		part = part[:3]
	}
	path, err := need("bci-iv-2a", dir, part+".mat")
	if err != nil {
		return nil, err
	}
	opt.X = cmp.Or(opt.X, "P")
	if opt.Y == "" {
		opt.Y = "Label"
	}
	return &dataset.SetPart{Paths: []string{path}, Options: opt}, nil
}
