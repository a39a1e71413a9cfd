package synth

import (
	"cmp"
	"context"
	"fmt"

	"rao"
	"rao/dataset"
	"rao/gaussian"
	"rao/internal/synth"
)

// GenerateOptions are the options of [Generate]. The zero value is a good default, except that speed needs Images.
type GenerateOptions struct {
	PerClass int    // observations per class; 0: the default of the set
	Seed     uint64 // random seed; 0 is a valid seed
	Part     int    // syn1, syn2: 0, 1, 2, ... are independent draws around the same bases; speed: 1 is the test part
	Images   string // speed: folder of the photographs
}

// maker describes a generated set.
type maker struct {
	info     dataset.Set
	perClass int // default of GenerateOptions.PerClass
	values   int // number of values per additional observation of each class
	make     func(opt GenerateOptions) (*dataset.Data, error)
}

func makers() []maker {
	gaussians := func(name, what string, stats func() *gaussian.Statistics) maker {
		return maker{dataset.Set{Name: name, Description: what}, 1000, 18,
			func(o GenerateOptions) (*dataset.Data, error) { return synth.Sample(stats(), o.PerClass, o.Seed) }}
	}
	matrices := func(name, what string, draw func(synth.SynOptions) (*dataset.Data, error)) maker {
		return maker{dataset.Set{Name: name, Description: what}, 250, 400,
			func(o GenerateOptions) (*dataset.Data, error) {
				return draw(synth.SynOptions{PerClass: o.PerClass, Seed: o.Seed, Part: o.Part})
			}}
	}
	list := []maker{
		gaussians("toy1", "toy problem 1 of the SQFA paper: three classes in 6 dimensions, one pair of dimensions "+
			"each for SQFA, LDA and PCA", synth.ToyOne),
		gaussians("toy1-shifted", "toy problem 1 with larger means in dimensions 3-4, which SQFA then finds",
			synth.ToyOneShifted),
		gaussians("toy2", "toy problem 2 of the SQFA paper: three classes in 4 dimensions, one pair of dimensions "+
			"each for SQFA and smSQFA", synth.ToyTwo),
		gaussians("toy-distance", "distance toy of the SQFA paper: rotated covariances, small in dimensions 1-2 and "+
			"large in 3-4", synth.ToyDistance),
		matrices("syn1", "set I of the PLRSQ paper: four classes of 10×10 SPD matrices from two spectra and two bases",
			synth.SynI),
		matrices("syn2", "set II of the PLRSQ paper: four spectra in one basis", synth.SynII),
		{dataset.Set{Name: "speed", Description: "the naturalistic speed task of the SQFA paper: 41 speeds, made " +
			"from a folder of photographs"}, 0, 41 * 450, makeSpeed},
	}
	for i := range list {
		list[i].info.Kind = "generated"
		list[i].info.License = "as the program"
	}
	return list
}

func makeSpeed(o GenerateOptions) (*dataset.Data, error) {
	return synth.Speed(context.Background(),
		synth.SpeedOptions{Dir: o.Images, Test: o.Part > 0, PerClass: o.PerClass, Seed: o.Seed})
}

func init() {
	for _, g := range makers() {
		g.info.PartOptional = true
		g.info.Find = func(string, dataset.OpenOptions) (*dataset.SetPart, error) {
			return nil, &dataset.AbsentError{Set: g.info}
		}
		dataset.Register(g.info)
	}
}

// mostValues is the largest number of values of a generated set: 4 GiB.
const mostValues = 1 << 29

// Generate returns the set with the given name. [dataset.Sets] lists the names, with the kind "generated". It returns
// an error if the name is unknown, if an option does not fit the set, or if the observations do not fit in memory.
func Generate(name string, opt GenerateOptions) (*dataset.Data, error) {
	if opt.PerClass < 0 {
		return nil, fmt.Errorf("the number of observations per class is %d; it must be 1 or more, or 0 for the "+
			"default", opt.PerClass)
	}
	var names []string
	for _, g := range makers() {
		if g.info.Name != name {
			names = append(names, g.info.Name)
			continue
		}
		if most := mostValues / g.values; opt.PerClass > most {
			return nil, fmt.Errorf("%s: %d observations per class do not fit in memory; generate at most %d, or "+
				"several files with different seeds", name, opt.PerClass, most)
		}
		opt.PerClass = cmp.Or(opt.PerClass, g.perClass)
		d, err := g.make(opt)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		d.Source = name
		return d, nil
	}
	return nil, &rao.UnknownError{Kind: "generated data set", Name: name, Known: names}
}
