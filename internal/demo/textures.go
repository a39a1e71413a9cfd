package demo

import (
	"context"

	"rao/dataset"
	"rao/internal/descriptors"
	"rao/internal/study"
	"rao/internal/synth"
)

// textureDescribers returns the describers of textures in the demo, with their names. Nil means the pixels.
func textureDescribers(ctx context.Context, train *dataset.Data, shape descriptors.Shape) (names []string,
	list []*descriptors.Describer, err error) {
	learned, err := descriptors.LearnPatches(ctx, train.X, shape, false,
		descriptors.PatchOptions{Count: 12, Sample: 6000, Seed: 1})
	if err != nil {
		return nil, nil, err
	}
	return []string{"pixels, knn", "5×5 covariance, mdm", "12 learned filters, mdm"}, []*descriptors.Describer{nil,
		{Shape: shape}, {Shape: shape, Options: descriptors.Options{Patches: learned}}}, nil
}

// textures classifies images by covariance descriptors.
func (d *run) textures(ctx context.Context) error {
	d.Say("\nTextures: four kinds of images of 20 × 20 pixels, 240 to learn from and 240 to test, at pixels, at the " +
		"covariance of\nx, y, I, |Ix|, |Iy|, and of the responses of filters learned from patches:\n")
	train, test := synth.Textures(60, 20, 1), synth.Textures(60, 20, 2)
	names, list, err := textureDescribers(ctx, train, descriptors.Shape{Rows: 20, Cols: 20, Channels: 1})
	if err != nil {
		return err
	}
	all := &study.Rows{Train: train.Source, Test: test.Source}
	for i, how := range list {
		c, name := &study.Comparison{Train: train, Test: test, Monitor: d.Monitor}, "knn-raw"
		if how != nil {
			name = "mdm"
			if c.Train, err = described(ctx, how, train); err != nil {
				return err
			}
			if c.Test, err = described(ctx, how, test); err != nil {
				return err
			}
		}
		r, err := d.compare(ctx, c, name, nil)
		if err != nil {
			return err
		}
		for _, row := range r.Rows {
			row.Method = names[i]
			all.Rows = append(all.Rows, row)
		}
	}
	if err := d.show(ctx, all); err != nil {
		return err
	}
	d.result.Textures = all
	s := all.Section()
	s.Heading = "Textures by their covariances"
	s.Text = "Waves along rows, along columns, checks and grain, at any place, wavelength and contrast. No single " +
		"pixel distinguishes them; the covariance of the surroundings of all pixels does.\n\n" + s.Text
	d.page.Sections = append(d.page.Sections, s)
	return d.write("textures", s.Figures[0])
}

func described(ctx context.Context, how *descriptors.Describer, d *dataset.Data) (*dataset.Data, error) {
	x, err := how.Matrices(ctx, d.X)
	if err != nil {
		return nil, err
	}
	return &dataset.Data{Source: d.Source, Labels: d.Labels, Classes: d.Classes, Recipe: how.Recipe(), Stack: x}, nil
}
