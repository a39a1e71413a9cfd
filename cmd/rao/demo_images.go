package main

import (
	"cmp"
	"context"

	"rao/dataset"
	"rao/descriptor"
	"rao/method"
	"rao/synth"
)

// textureDescribers are what the demo describes textures by; nil: the pixels themselves.
func textureDescribers(ctx context.Context, train *dataset.Data, shape descriptor.Shape) (names []string,
	list []*descriptor.Describer, err error) {
	learned, err := descriptor.LearnPatches(ctx, train.X, shape, false,
		descriptor.PatchOptions{Count: 12, Sample: 6000, Seed: 1})
	if err != nil {
		return nil, nil, err
	}
	return []string{"pixels, knn", "5×5 covariance, mdm", "12 learned filters, mdm"}, []*descriptor.Describer{nil,
		{Shape: shape}, {Shape: shape, Options: descriptor.ImageOptions{Patches: learned}}}, nil
}

// textures tells images apart by covariance descriptors.
func (d *demo) textures(ctx context.Context) error {
	d.say("\nTextures: four kinds of images of 20 × 20 pixels, 240 to learn from and 240 to test, at pixels, at the " +
		"covariance of\nx, y, I, |Ix|, |Iy|, and of the responses of filters learned from patches:\n")
	train, test := synth.Textures(60, 20, 1), synth.Textures(60, 20, 2)
	names, list, err := textureDescribers(ctx, train, descriptor.Shape{Rows: 20, Cols: 20, Channels: 1})
	if err != nil {
		return err
	}
	res := &compareResult{Train: train.Source, Test: test.Source}
	for i, how := range list {
		c, name := comparison{train: train, test: test}, "knn-raw"
		if how != nil {
			name = "mdm"
			if c.train, err = describeImages(ctx, how, train); err != nil {
				return err
			}
			if c.test, err = describeImages(ctx, how, test); err != nil {
				return err
			}
		}
		m, err := method.Lookup(name)
		if err != nil {
			return err
		}
		row := d.compareOne(ctx, &c, m, nil, nil)
		row.Method = names[i]
		res.Rows = append(res.Rows, row)
	}
	if err := cmp.Or(ctx.Err(), res.failure(ctx)); err != nil {
		return err
	}
	d.result.Textures = res
	if !d.json {
		d.indent(func() { d.printComparison(res) })
	}
	s := accuracySection(res)
	s.Heading = "Textures by their covariances"
	s.Text = "Waves along rows, along columns, checks and grain, at any place, wavelength and contrast. No pixel " +
		"tells them; " +
		"the covariance of what surrounds every pixel does.\n\n" + s.Text
	if err := writeFigure(d.dir, "textures", s.Figures[0]); err != nil {
		return err
	}
	d.page.Sections = append(d.page.Sections, s)
	return nil
}
