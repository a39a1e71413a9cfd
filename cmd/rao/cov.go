package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"rao/dataset"
	"rao/descriptor"
)

func covCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cov",
		Short: "Covariance descriptors of images and of EEG trials",
		Long:  "Turn images or EEG recordings into symmetric positive definite matrices, on which the\nmethods of the manifold learn.",
		Example: `  rao cov images --data photos --features 9x9 --out P.npz
  rao cov eeg session1.gdf session2.gdf --classes left=769,right=770 --start 0.5 --stop 2.5 --bands 8-30 --out P.npz`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q; rao cov has images and eeg", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	cmd.AddCommand(covImagesCommand(a), covEEGCommand(a))
	return cmd
}

// covResult is what both kinds print.
type covResult struct {
	N       int      `json:"n"`
	Dim     int      `json:"dim"`
	Classes []string `json:"classes,omitempty"`
	Skipped []string `json:"skipped,omitempty"`
	Out     string   `json:"out"`
}

func (a *app) saveCovariances(out string, d *dataset.Data, skipped []string) error {
	if err := dataset.WriteFile(out, d); err != nil {
		return err
	}
	for _, s := range skipped {
		a.note("left out: %s", s)
	}
	r := covResult{d.Stack.Count, d.Stack.Dim, d.Classes, skipped, out}
	return a.emit(r, func() {
		fmt.Fprintf(a.out, "%s of order %d written to %s\n", plural(r.N, "matrix", "matrices"), r.Dim, out)
	})
}

func covImagesCommand(a *app) *cobra.Command {
	var data dataFlags
	var features, window, step, out, kind string
	var ridge, smooth float64
	cmd := &cobra.Command{
		Use:   "images",
		Short: "Covariance of pixel features, an image or a window each",
		Long: `The covariance of features of the pixels of each image: any of x, y, I, R, G, B, |Ix|,
|Iy|, |Ixx|, |Iyy|, |Ixy|, |dI| (length of the gradient), I@4 and |dI|@3 (of the intensity
smoothed by 4 and 3 pixels), or a named set: 5x5 and 11x11 (gray) and 9x9 (color). With
--window each image gives one matrix a window, left to right and top to bottom.
--descriptor gaussian keeps the mean of the features beside their covariance.`,
		Example: "  rao cov images --data photos --features 'x,y,I,|Ix|,|Iy|' --out P.npz",
		Args:    noArgs,
	}
	data.add(cmd, "data", "images: IDX, CIFAR, a folder of class folders")
	f := cmd.Flags()
	f.StringVar(&features, "features", "", "list of features, or 5x5, 9x9 or 11x11; by default 5x5 for gray and 9x9 for color images")
	f.StringVar(&kind, "descriptor", "covariance", "what a matrix holds: covariance, or gaussian: the mean too, one row more")
	numberFlag(f, &smooth, "smooth", 0, 0, 64, "standard deviation in pixels that the intensity is smoothed by first; 1 suits 11x11")
	f.StringVar(&window, "window", "", "ROWSxCOLS of a window; the whole image by default")
	f.StringVar(&step, "step", "", "ROWSxCOLS between windows; a window's own size by default")
	numberFlag(f, &ridge, "ridge", 0, -1, 1e6, "share of the mean variance added to the diagonal; 0 takes 1e-6, a negative value adds nothing")
	outputFlag(cmd, &out, "out", dataOutput, "npz file to write: X, and y where there are labels")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := required("out", out); err != nil {
			return err
		}
		opt := descriptor.ImageOptions{Ridge: ridge, Smooth: smooth, Gaussian: kind == "gaussian"}
		if kind != "gaussian" && kind != "covariance" {
			return usagef("--descriptor %s: want covariance or gaussian", kind)
		}
		var err error
		if features != "" {
			if opt.Features, err = descriptor.ParseFeatures(features); err != nil {
				return err
			}
		}
		if opt.WindowRows, opt.WindowCols, err = parseSize("window", window); err != nil {
			return err
		}
		if opt.StepRows, opt.StepCols, err = parseSize("step", step); err != nil {
			return err
		}
		d, err := data.open(cmd.Context(), a, "data", false)
		if err != nil {
			return err
		}
		if d.X == nil || d.Image[0] == 0 {
			return fmt.Errorf("%s does not hold images; give IDX or CIFAR files or a folder of class folders", d.Source)
		}
		shape := descriptor.Shape{Rows: d.Image[0], Cols: d.Image[1], Channels: max(1, d.Image[2])}
		x, err := descriptor.Images(cmd.Context(), d.X, shape, opt)
		if err != nil {
			return fmt.Errorf("%s: %w", d.Source, err)
		}
		res := &dataset.Data{Source: d.Source, Stack: x, Labels: repeat(d.Labels, x.Count/d.N()), Classes: d.Classes, Recipe: opt.Recipe(shape)}
		if x.Count == d.N() {
			res.Vars = d.Vars // such as the object of each image, for tune --groups
		}
		return a.saveCovariances(out, res, nil)
	}
	return cmd
}

// repeat gives every window the label of its image.
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

func parseSize(name, s string) (rows, cols int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	if n, err := fmt.Sscanf(s+"\n", "%dx%d\n", &rows, &cols); n != 2 || err != nil || rows < 1 || cols < 1 {
		return 0, 0, usagef("--%s %q: want ROWSxCOLS, such as 32x32", name, s)
	}
	return rows, cols, nil
}
