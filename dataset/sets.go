package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rao/internal/cifar"
	"rao/internal/idx"
	"rao/internal/suggest"
)

// Info describes a set that is known by name.
type Info struct {
	Name        string   // as in Open
	Parts       []string // as in NAME:PART; empty when the set is one whole
	Kind        string   // "embedded", "download", "import" or "generated"
	Description string
	Licence     string
	Obtain      string // where its files come from
	Here        bool   // it can be opened now: embedded, generated, or in the cache folder
}

// knownSet is a set that Open knows by name.
type knownSet struct {
	info  Info
	whole bool // the name without a part means all of it
	files []remoteFile
	// open opens a part from the set's folder.
	openPart func(ctx context.Context, dir, part string, opt OpenOptions) (*Data, error)
}

// known returns the sets, in the order of List.
func knownSets() []*knownSet {
	return []*knownSet{
		{info: Info{Name: "digits", Parts: []string{"train", "test"}, Kind: "embedded",
			Description: "optical digits, 1797 images of 8×8, 10 classes; test is every third",
			Licence:     "CC BY 4.0, Alpaydin and Kaynak 1998", Obtain: "built in"}, whole: true},
		{info: Info{Name: "mnist", Parts: []string{"train", "test"}, Kind: "download",
			Description: "handwritten digits, 60000 and 10000 images of 28×28, 10 classes",
			Licence:     "CC BY-SA 3.0, LeCun, Cortes and Burges", Obtain: mnistURL}, files: mnistFiles, openPart: openMnist},
		{info: Info{Name: "fashion-mnist", Parts: []string{"train", "test"}, Kind: "download",
			Description: "articles of clothing, 60000 and 10000 images of 28×28, 10 classes",
			Licence:     "MIT, Zalando SE 2017", Obtain: fashionURL}, files: fashionFiles, openPart: openMnist},
		{info: Info{Name: "cifar10", Parts: []string{"train", "test"}, Kind: "download",
			Description: "colour photographs, 50000 and 10000 images of 32×32, 10 classes",
			Licence:     "none stated, Krizhevsky 2009", Obtain: cifarURL}, files: cifarFiles, openPart: openCifar},
		{info: Info{Name: "optdigits", Parts: []string{"train", "test"}, Kind: "download",
			Description: "optical digits with other writers in the test part, 3823 and 1797 images of 8×8, 10 classes",
			Licence:     "CC BY 4.0, Alpaydin and Kaynak 1998", Obtain: optdigitsURL}, files: optdigitsFiles, openPart: openOptdigits},
		{info: Info{Name: "usps", Parts: []string{"train", "test"}, Kind: "import",
			Description: "digits of postal codes, 7291 and 2007 images of 16×16, 10 classes",
			Licence:     "research use", Obtain: "zip.train.gz and zip.test.gz from the data of The Elements of Statistical Learning, https://hastie.su.domains/ElemStatLearn/data.html"}, files: uspsFiles, openPart: openUsps},
		{info: Info{Name: "eth80", Kind: "import",
			Description: "photographs of 80 objects from 41 sides, 3280 grey images of 128×128, 8 classes; --where object=0 picks an object",
			Licence:     "research use, Leibe and Schiele 2003", Obtain: "http://www.mis.informatik.tu-darmstadt.de/Research/Projects/categorization/eth80-db.html, as grey 128×128 images in IDX files"}, whole: true, files: ethFiles, openPart: openEth},
		{info: Info{Name: "bci-iv-2a", Parts: []string{"A01", "A02", "A03", "A04", "A05", "A06", "A07", "A08", "A09"}, Kind: "import",
			Description: "EEG of four imagined movements, 22×22 covariances of 576 trials a subject; A01T is its training session, A01E the other",
			Licence:     "research use, Brunner et al. 2008", Obtain: "the data of the PLRSQ authors, https://github.com/sonnatang/RiemannianPLVQ"}, files: bciFiles, openPart: openBci},
	}
}

// List describes every set that is known by name: those that Open reads and those
// that Generate makes.
func List() []Info {
	var out []Info
	for _, s := range knownSets() {
		s.info.Here = s.here()
		out = append(out, s.info)
	}
	return append(out, generated()...)
}

// here reports whether the set can be opened.
func (s *knownSet) here() bool {
	if s.info.Kind == "embedded" {
		return true
	}
	dir, err := s.dir("")
	if err != nil {
		return false
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

// CacheDir returns the folder in which Get keeps the sets: $RAO_CACHE, or "rao" in
// the user's cache folder.
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

// dir returns the set's folder in the cache folder given, or in CacheDir.
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

// named is a set and the part asked for.
type named struct {
	set  *knownSet
	part string
}

// lookup finds a known set by NAME or NAME:PART. It returns nil for paths. What
// exists on disk is a path, except that the embedded sets keep their names: ./digits
// is a file or folder of that name.
func lookup(spec string) (*named, error) {
	if spec == "" {
		return nil, fmt.Errorf("no data named: give a file, a folder of class folders with images, or the name of a set")
	}
	name, part, hasPart := strings.Cut(spec, ":")
	s := findSet(name)
	if exists(spec) && (s == nil || s.info.Kind != "embedded") {
		return nil, nil
	}
	if s == nil {
		if strings.ContainsAny(spec, `/\.`) {
			return nil, nil // a path; opening it reports that it is missing
		}
		for _, g := range generated() {
			if g.Name == name {
				return nil, fmt.Errorf("%s is generated: make it first with rao dataset make %s --out FILE.npz", name, name)
			}
		}
		var names []string
		for _, k := range knownSets() {
			names = append(names, k.info.Name)
		}
		return nil, fmt.Errorf("no file %q, and %w", spec, suggest.Unknown("data set", name, names))
	}
	if !hasPart && !s.whole || hasPart && !s.hasPart(part) {
		return nil, fmt.Errorf("%s: name a part: %s", spec, s.parts())
	}
	return &named{s, part}, nil
}

// hasPart knows that a session letter may follow the subjects of bci-iv-2a.
func (s *knownSet) hasPart(part string) bool {
	if s.info.Name == "bci-iv-2a" && len(part) == 4 && (part[3] == 'T' || part[3] == 'E') {
		part = part[:3]
	}
	return slices.Contains(s.info.Parts, part)
}

func (s *knownSet) parts() string {
	var list []string
	for _, p := range s.info.Parts {
		list = append(list, s.info.Name+":"+p)
	}
	if s.whole {
		list = append([]string{s.info.Name}, list...)
	}
	return strings.Join(list, ", ")
}

// open opens a known set; spec is its name as given.
func (n *named) open(ctx context.Context, spec string, opt OpenOptions) (*Data, error) {
	if n.set.info.Kind == "embedded" {
		r, err := digits(spec, n.part)
		if err != nil {
			return nil, err
		}
		return assemble(r, opt)
	}
	dir, err := n.set.dir("")
	if err != nil {
		return nil, err
	}
	d, err := n.set.openPart(ctx, dir, n.part, opt)
	if err != nil {
		return nil, err
	}
	d.Source = spec
	return d, nil
}

// absent words the error for a set that is not in the cache folder.
func (s *knownSet) absent(file string) error {
	how := fmt.Sprintf("run rao dataset get %s, or rao dataset get %s --from DIR where DIR holds its files", s.info.Name, s.info.Name)
	if s.info.Kind == "import" {
		how = fmt.Sprintf("obtain it (%s) and run rao dataset get %s --from DIR", s.info.Obtain, s.info.Name)
	}
	return fmt.Errorf("%s is not in the cache folder (%s is missing); %s", s.info.Name, file, how)
}

// need returns the path of a file of a set in its folder, or the error that says
// how to get it.
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

// partPrefix is how the MNIST files name the parts.
func partPrefix(part string) string {
	if part == "test" {
		return "t10k"
	}
	return part
}

// mnistPaths returns the files of images and of labels of a part.
func mnistPaths(dir, part string) (images, labels string, err error) {
	set := filepath.Base(dir)
	if images, err = need(set, dir, partPrefix(part)+"-images-idx3-ubyte.gz"); err != nil {
		return "", "", err
	}
	labels, err = need(set, dir, partPrefix(part)+"-labels-idx1-ubyte.gz")
	return images, labels, err
}

func openMnist(ctx context.Context, dir, part string, opt OpenOptions) (*Data, error) {
	images, labels, err := mnistPaths(dir, part)
	if err != nil {
		return nil, err
	}
	if opt.Labels == "" {
		opt.Labels = labels
	}
	return openPath(ctx, images, opt)
}

func openCifar(ctx context.Context, dir, part string, opt OpenOptions) (*Data, error) {
	paths, err := cifarPaths(dir, part)
	if err != nil {
		return nil, err
	}
	var images []float32
	var labels []int
	for _, p := range paths {
		x, y, err := cifar.ReadFile(p)
		if err != nil {
			return nil, err
		}
		images, labels = append(images, x...), append(labels, y...)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return assemble(cifarRaw("cifar10:"+part, images, labels), opt)
}

// cifarPaths returns the files of a part.
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

func openOptdigits(ctx context.Context, dir, part string, opt OpenOptions) (*Data, error) {
	file := "optdigits.tra"
	if part == "test" {
		file = "optdigits.tes"
	}
	return openDigitTable(ctx, "optdigits", dir, file, "-1", 8, opt)
}

func openUsps(ctx context.Context, dir, part string, opt OpenOptions) (*Data, error) {
	return openDigitTable(ctx, "usps", dir, "zip."+part+".gz", "0", 16, opt)
}

// openDigitTable opens a table of side×side images without a header.
func openDigitTable(ctx context.Context, set, dir, file, label string, side int, opt OpenOptions) (*Data, error) {
	path, err := need(set, dir, file)
	if err != nil {
		return nil, err
	}
	no := false
	opt.Header = &no
	if opt.LabelColumn == "" {
		opt.LabelColumn = label
	}
	d, err := openPath(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	if _, cols := d.X.Dims(); cols != side*side {
		return nil, fmt.Errorf("%s: %d columns of pixels, %s has %d", path, cols, set, side*side)
	}
	d.Image = [3]int{side, side, 1}
	return d, nil
}

func openEth(_ context.Context, dir, _ string, opt OpenOptions) (*Data, error) {
	images, err := need("eth80", dir, "images-gray128-idx3-ubyte.gz")
	if err != nil {
		return nil, err
	}
	if opt.Labels == "" {
		if opt.Labels, err = need("eth80", dir, "category-idx1-ubyte.gz"); err != nil {
			return nil, err
		}
	}
	r, err := loadIdx(images, &opt)
	if err != nil {
		return nil, err
	}
	r.vars = make(map[string]*Array)
	for _, name := range []string{"category", "object"} {
		path, err := need("eth80", dir, name+"-idx1-ubyte.gz")
		if err != nil {
			return nil, err
		}
		if r.vars[name], err = idx.ReadFile(path); err != nil {
			return nil, err
		}
		r.vars[name].Name = name
	}
	return assemble(r, opt)
}

func openBci(ctx context.Context, dir, part string, opt OpenOptions) (*Data, error) {
	if len(part) == 4 {
		flag := map[byte]string{'T': "testIdx=0", 'E': "testIdx=1"}[part[3]]
		opt.Where = append(slices.Clone(opt.Where), flag)
		part = part[:3]
	}
	path, err := need("bci-iv-2a", dir, part+".mat")
	if err != nil {
		return nil, err
	}
	if opt.X == "" {
		opt.X = "P"
	}
	if opt.Y == "" {
		opt.Y = "Label"
	}
	return openPath(ctx, path, opt)
}
