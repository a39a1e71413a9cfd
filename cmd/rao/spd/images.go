package spd

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rao/cmd/rao/internal/app"
	"rao/dataset"
	"rao/internal/descriptors"
	"rao/internal/format/archive"
	"rao/model"
	"rao/recipe"
)

type imageFlags struct {
	features, window, step, kind, regions, like string
	ridge, smooth                               float64
	tangent                                     bool
	seed                                        uint64
}

func imagesCommand(a *app.App) *cobra.Command {
	var data app.DataFlags
	var f imageFlags
	var out string
	cmd := &cobra.Command{
		Use:   "images",
		Short: "Compute covariances of pixel features, per image, window or region",
		Long: `Compute the covariance of the pixel features of each image. --features selects them:

  x, y        position of the pixel
  I, R, G, B  intensity and colors
  |Ix|, |Iy|, |Ixx|, |Iyy|, |Ixy|
              derivatives of the intensity
  |dI|, angle  length and direction of the gradient
  I@4, |dI|@3  features of the intensity smoothed by 4 or 3 pixels
  5x5, 11x11  named sets for gray images
  9x9         named set for color images
  learned[:COUNT]
              responses of COUNT filters (48 by default), learned
              from patches of the images without labels

--descriptor gaussian also includes the mean of the features. With --window-size or --regions,
each image gives one matrix per window or region, in their order. --tangent maps these
matrices to tangent vectors and joins them into one vector, for methods of vectors.

The file, and models fitted to it, contain everything that was learned, so rao predict
accepts images directly. --like FILE computes the descriptors in the same way as for that
file or model.`,
		Example: `  rao spd images --data photos --features 'x,y,I,|Ix|,|Iy|' --out P.npz
  rao spd images --data cifar10:train --features learned --descriptor gaussian \
      --regions whole,quadrants,center --tangent --out Z.npz
  rao spd images --data cifar10:test --like Z.npz --out T.npz`,
		Args: app.NoArgs,
	}
	data.Add(cmd, "data", "images: IDX, CIFAR, a folder of class folders")
	f.register(cmd)
	app.OutputFlag(cmd, &out, "out", app.DataOutput, "npz file to write: X, and y if there are labels")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := app.Required("out", out); err != nil {
			return err
		}
		opt, err := f.options(cmd)
		if err != nil {
			return err
		}
		d, err := data.Open(cmd.Context(), a, "data", false)
		if err != nil {
			return err
		}
		if d.X == nil || d.Image[0] == 0 {
			return fmt.Errorf("%s contains no images; give IDX or CIFAR files or a folder of class folders", d.Source)
		}
		shape := descriptors.Shape{Rows: d.Image[0], Cols: d.Image[1], Channels: max(1, d.Image[2])}
		how, err := f.describer(cmd.Context(), d, shape, opt)
		if err != nil {
			return err
		}
		res, err := describeImages(cmd.Context(), how, d)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		a.MadeFrom(res, d)
		return a.SaveMatrices(out, res, nil)
	}
	return cmd
}

func (f *imageFlags) register(cmd *cobra.Command) {
	s := cmd.Flags()
	app.TextVar(s, &f.features, "features", "FEATURE,...", "",
		"list of features, or 5x5, 9x9, 11x11 or learned[:COUNT]; by default "+
			"5x5 for gray and 9x9 for color images")
	app.TextVar(s, &f.kind, "descriptor", "covariance|gaussian", "covariance",
		"covariance, or gaussian, which adds the mean in one more row")
	app.NumberFlag(s, &f.smooth, "smooth", 0, 0, 64, "smooth the intensity first with this standard deviation "+
		"in pixels; use 1 with --features 11x11")
	app.TextVar(s, &f.window, "window-size", "ROWSxCOLS", "", "size of a window; by default the complete image")
	app.TextVar(s, &f.step, "window-step", "ROWSxCOLS", "", "distance between windows; by default the size of a window")
	app.TextVar(s, &f.regions, "regions", "REGION,...", "",
		"parts of the image instead of windows: any of whole, quadrants, center, grid:ROWSxCOLS")
	s.BoolVar(&f.tangent, "tangent", false, "one vector per image: the tangent vectors of its matrices at their "+
		"means")
	app.TextVar(s, &f.like, "like", "FILE", "",
		"file of descriptors, or a model fitted to one, whose features and learned filters are used")
	app.SeedVar(s, &f.seed, "seed of the learned filters")
	app.NumberFlag(s, &f.ridge, "ridge", 0, -1, 1e6,
		"amount added to the diagonal: a share of the mean variance, or with learned filters an absolute amount; "+
			"0 uses 1e-6, or 0.05 with learned filters; a negative value adds nothing")
}

// options returns the options of the descriptors, without learned filters.
func (f *imageFlags) options(cmd *cobra.Command) (descriptors.Options, error) {
	opt := descriptors.Options{Ridge: f.ridge, Smooth: f.smooth, Gaussian: f.kind == "gaussian", Regions: f.regions}
	if f.like != "" {
		for _, name := range []string{"features", "descriptor", "smooth", "window-size", "window-step", "regions",
			"tangent", "ridge", "seed"} {
			if cmd.Flags().Changed(name) {
				return opt, app.Usagef("--like uses the settings of %s; leave --%s out", f.like, name)
			}
		}
		return opt, nil
	}
	learned, _, err := f.learned()
	if err != nil {
		return opt, err
	}
	if cmd.Flags().Changed("seed") && !learned {
		return opt, app.Usagef("--seed needs --features learned")
	}
	if f.features != "" && !learned {
		if opt.Features, err = descriptors.ParseFeatures(f.features); err != nil {
			return opt, err
		}
	}
	if opt.WindowRows, opt.WindowCols, err = app.ParseSize("window-size", f.window); err != nil {
		return opt, err
	}
	opt.StepRows, opt.StepCols, err = app.ParseSize("window-step", f.step)
	return opt, err
}

// learned parses --features learned[:COUNT]. The count is 0 if none is given.
func (f *imageFlags) learned() (yes bool, count int, err error) {
	if f.features == "learned" {
		return true, 0, nil
	}
	text, ok := strings.CutPrefix(f.features, "learned:")
	if !ok {
		return false, 0, nil
	}
	if count, err = strconv.Atoi(text); err != nil || count < 1 || count > 1000 {
		return false, 0, app.Usagef("--features %s: give learned or learned:COUNT, such as learned:48", f.features)
	}
	return true, count, nil
}

// describer returns the describer for images of the given shape. It reads the describer from the file in --like, or
// otherwise learns it from d.
func (f *imageFlags) describer(ctx context.Context, d *dataset.Data, shape descriptors.Shape,
	opt descriptors.Options) (*descriptors.Describer, error) {
	if f.like != "" {
		r, err := recipeOf(ctx, f.like)
		if err != nil {
			return nil, err
		}
		how, err := descriptors.DescriberOf(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.like, err)
		}
		if how.Shape != shape {
			return nil, fmt.Errorf("%s is for images of %d×%d×%d, but these images are %d×%d×%d; use images of the "+
				"first size", f.like,
				how.Shape.Rows, how.Shape.Cols, how.Shape.Channels, shape.Rows, shape.Cols, shape.Channels)
		}
		return how, nil
	}
	if learned, count, _ := f.learned(); learned {
		var err error
		if opt.Patches, err = descriptors.LearnPatches(ctx, d.X, shape, opt.Planar,
			descriptors.PatchOptions{Count: count, Seed: f.seed}); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Source, err)
		}
	}
	how := &descriptors.Describer{Shape: shape, Options: opt}
	if f.tangent {
		if err := how.FitReferences(ctx, d.X); err != nil {
			return nil, fmt.Errorf("%s: %w", d.Source, err)
		}
	}
	return how, nil
}

// recipeOf returns the recipe that a model or a file of descriptors contains.
func recipeOf(ctx context.Context, path string) (*recipe.Recipe, error) {
	if kind, err := archive.Kind(path); err == nil && kind == "model" {
		m, err := model.Load(path)
		if err != nil {
			return nil, err
		}
		return m.Input.Recipe, nil
	}
	d, err := dataset.Open(ctx, path, dataset.OpenOptions{})
	if err != nil {
		return nil, err
	}
	return d.Recipe, nil
}

func describeImages(ctx context.Context, how *descriptors.Describer, d *dataset.Data) (*dataset.Data, error) {
	out := &dataset.Data{Source: d.Source, Labels: d.Labels, Classes: d.Classes, Recipe: how.Recipe()}
	if how.References != nil {
		z, err := how.Vectors(ctx, d.X)
		if err != nil {
			return nil, err
		}
		rows, cols := z.Dims()
		out.X, out.Vars = dataset.NewTable(rows, cols, z.RawMatrix().Data), d.Vars
		return out, nil
	}
	x, err := how.Matrices(ctx, d.X)
	if err != nil {
		return nil, err
	}
	out.Stack, out.Labels = x, repeat(d.Labels, x.Count/d.N())
	if x.Count == d.N() {
		out.Vars = d.Vars // for example the object in each image, for tune --groups
	}
	return out, nil
}

// repeat returns one label per window: the label of its image.
func repeat(labels []int, windows int) []int {
	if labels == nil || windows == 1 {
		return labels
	}
	out := make([]int, 0, len(labels)*windows)
	for _, l := range labels {
		for range windows {
			out = append(out, l)
		}
	}
	return out
}
