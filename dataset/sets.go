package dataset

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"rao"
	"rao/internal/format/idx"
	"rao/internal/text"
)

// Set is a data set that [Open] opens by name.
type Set struct {
	Name         string      // name that Open accepts
	Parts        []string    // as in NAME:PART; empty if the set has no parts
	MoreParts    []string    // further parts that are not listed
	PartOptional bool        // the name without a part selects all parts
	Kind         string      // "embedded", "download", "import" or "generated"
	Description  string      // what the set contains
	License      string      // terms of use
	Obtain       string      // source of its files
	Here         func() bool // whether the set can be opened now; Register sets nil to a function that returns true
	// Find returns the content of a part ("" for all parts), or an error that explains how to obtain it.
	Find func(part string, opt OpenOptions) (*SetPart, error)
}

// SetPart is the content of a part of a set: files, or computed observations.
type SetPart struct {
	Paths []string // files of one format, to be concatenated
	// Make, if set, is used instead of Paths. It computes the observations on demand.
	Make    func(ctx context.Context) (*Data, error)
	Options OpenOptions       // the options given to Find, with additions for the set
	Image   [3]int            // rows, columns and channels, if not in the files
	Vars    map[string]string // further variables: the name, and an IDX file with one value per observation
}

var registry struct {
	sync.Mutex
	sets []Set
}

// Register adds a set to [Open] and [Stream]. Packages of sets call it in an init function; import rao/sets for the
// public sets. It panics if the name is empty or already registered, or if Find is nil.
func Register(s Set) {
	registry.Lock()
	defer registry.Unlock()
	if s.Name == "" || s.Find == nil {
		panic("dataset: a set needs a name and a way to find it")
	}
	if slices.ContainsFunc(registry.sets, func(o Set) bool { return o.Name == s.Name }) {
		panic("dataset: two sets are named " + s.Name)
	}
	if s.Here == nil {
		s.Here = func() bool { return true }
	}
	registry.sets = append(registry.sets, s)
}

// Sets describes the registered sets in the order of their registration.
func Sets() []Set {
	registry.Lock()
	defer registry.Unlock()
	return slices.Clone(registry.sets)
}

// named is a set and the requested part.
type named struct {
	Set
	part string
}

// lookup finds a set by NAME or NAME:PART. It returns nil for paths. Anything that exists on disk is a path. A path
// that is also the name of a set is an error.
func lookup(spec string) (*named, error) {
	if spec == "" {
		return nil, fmt.Errorf("no data were given; name a file, a folder of class folders with images, or a data set")
	}
	name, part, hasPart := strings.Cut(spec, ":")
	var names []string
	var found *Set
	for _, s := range Sets() {
		if s.Name == name {
			found = &s
		}
		if s.Kind != "generated" {
			names = append(names, s.Name)
		}
	}
	switch {
	case exists(spec) && found != nil:
		return nil, fmt.Errorf("%q is the name of a data set and also of a file or folder here; write ./%s for the "+
			"file, or rename the file to use the set", spec, spec)
	case exists(spec):
		return nil, nil
	case found == nil && strings.ContainsAny(spec, `/\.*?[,@`):
		return nil, nil // a path; opening it will report that it does not exist
	case found == nil && names == nil:
		return nil, fmt.Errorf("%s: %w; to open public data sets by name, import rao/sets", spec, ErrNotFound)
	case found == nil:
		return nil, unknownName{&rao.UnknownError{Kind: "file or data set", Name: name, Known: names}}
	}
	if !hasPart && !found.PartOptional || hasPart && !slices.Contains(found.Parts, part) &&
		!slices.Contains(found.MoreParts, part) {
		if hasPart {
			return nil, fmt.Errorf("%s: the data set has no such part; choose from %s", spec, found.parts())
		}
		return nil, fmt.Errorf("%s: the name of a part is missing; choose from %s", spec, found.parts())
	}
	return &named{*found, part}, nil
}

func (s *Set) parts() string {
	var list []string
	if s.PartOptional {
		list = append(list, s.Name)
	}
	for _, p := range s.Parts {
		list = append(list, s.Name+":"+p)
	}
	if n := len(s.MoreParts); n > 0 && len(s.Parts) == 0 {
		list = append(list, fmt.Sprintf("%s:%s to %s:%s", s.Name, s.MoreParts[0], s.Name, s.MoreParts[n-1]))
	}
	return strings.Join(list, ", ")
}

// open reads a complete set. spec is its name as given.
func (n *named) open(ctx context.Context, spec string, opt OpenOptions) (*Data, error) {
	src, err := n.Find(n.part, opt)
	if err != nil {
		return nil, err
	}
	if len(src.Paths) == 0 {
		if err := cmp.Or(noVariables(spec, &opt), notText(spec, &opt), notTable(spec, &opt)); err != nil {
			return nil, err
		}
	}
	r, opt, err := src.load(ctx)
	if err != nil {
		return nil, err
	}
	if len(src.Paths) == 0 {
		r.source = spec
	}
	d, err := assemble(r, opt)
	if err != nil {
		return nil, err
	}
	d.Source = spec
	return d, nil
}

func (s *SetPart) load(ctx context.Context) (*raw, OpenOptions, error) {
	opt := s.Options
	var r *raw
	if s.Make != nil {
		data, err := s.Make(ctx)
		if err != nil {
			return nil, opt, err
		}
		if r = rawOf(data); opt.Y == noLabels {
			r.y = nil
		}
	}
	switch len(s.Paths) {
	case 0:
	case 1:
		var err error
		if r, opt, err = load(ctx, s.Paths[0], opt); err != nil {
			return nil, opt, err
		}
	default:
		all := opt
		all.Where, all.RequireLabels, all.OnReading = nil, false, nil // these apply to all files together
		d, err := openMany(ctx, s.Paths[0], s.Paths, all)
		if err != nil {
			return nil, opt, err
		}
		r = rawOf(d)
	}
	if s.Image != [3]int{} {
		if err := s.fits(r.source, r.x.Shape[1]); err != nil {
			return nil, opt, err
		}
		r.image = s.Image
	}
	for _, name := range slices.Sorted(maps.Keys(s.Vars)) {
		v, err := idx.ReadFile(s.Vars[name])
		if err != nil {
			return nil, opt, err
		}
		v.Name = name
		if r.vars == nil {
			r.vars = make(map[string]*Array)
		}
		r.vars[name] = v
	}
	return r, opt, nil
}

// fits compares the number of columns with the size of the images.
func (s *SetPart) fits(source string, cols int) error {
	if want := s.Image[0] * s.Image[1] * s.Image[2]; s.Image != [3]int{} && cols != want {
		return fmt.Errorf("%s: the file has %s of pixels, but this data set has %d; download it again",
			source, text.Plural(cols, "column", "columns"), want)
	}
	return nil
}

// rows opens a part of a set as a stream. It returns nil if it cannot be streamed.
func (n *named) rows(ctx context.Context, spec string, opt OpenOptions) (source, error) {
	src, err := n.Find(n.part, opt)
	if err != nil {
		return nil, err
	}
	if len(src.Paths) != 1 || src.Make != nil || len(src.Vars) > 0 {
		return nil, nil
	}
	s, err := openRows(ctx, src.Paths[0], &src.Options)
	if s == nil || err != nil {
		return nil, err
	}
	known := s.known()
	if err := src.fits(known.source, known.cols); err != nil {
		s.close()
		return nil, err
	}
	known.source = spec
	return s, nil
}
