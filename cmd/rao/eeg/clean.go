package eeg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/eeg/live"
	"rao/internal/format/archive"
	"rao/internal/text"
)

// cleaning is what the flags of rao eeg clean say.
type cleaning struct {
	*app.App
	opt                               eeg.AJDCOptions
	rec                               eeg.RecordingOptions
	channels, drop, kinds, eyes, also string
	suppress, out                     string
}

// cleanedSource is what rao eeg clean prints of a source; its JSON names do not change.
type cleanedSource struct {
	Number     int      `json:"source"` // from 1
	Share      float64  `json:"share"`  // of the power
	Channels   []string `json:"channels"`
	Eyes       *float64 `json:"correlation,omitempty"` // with the channel of --eog that it follows best
	Suppressed bool     `json:"suppressed,omitempty"`
}

type cleanResult struct {
	Recording string          `json:"recording"`
	Channels  []string        `json:"channels"`
	Sources   []cleanedSource `json:"sources"`
	Converged bool            `json:"converged"`
	Out       string          `json:"out,omitempty"`
}

func cleanCommand(a *app.App) *cobra.Command {
	c := &cleaning{App: a}
	cmd := &cobra.Command{
		Use:   "clean RECORDING",
		Short: "Take blinks and other sources out of a recording",
		Long: `Separate a recording into sources by approximate joint diagonalization of its cospectra
(AJDC, Congedo and others 2008), and write it without some of them. Without --suppress the
sources are listed, the strongest first: their share of the power, the channels in which
they are strongest, and with --eog how alike they are to a channel of the eyes. A blink is
strong in front. Then say which to take out, and where to write what is left.

--also names further recordings of the same channels, of other people or other conditions,
that the separation is learned from too. Channels that are marked as bad take no part; they
are written as they are, with their marks.`,
		Example: `  rao eeg clean session.gdf --eog EOG1,EOG2 --low 1 --high 40
  rao eeg clean session.gdf --eog EOG1,EOG2 --low 1 --high 40 --suppress 1 --out clean.xdf`,
		Args: oneRecording,
	}
	f := cmd.Flags()
	app.NumberFlag(f, &c.opt.Low, "low", 1, 0, 1e6, "lowest frequency in hertz that tells the sources apart")
	app.NumberFlag(f, &c.opt.High, "high", 0, 0, 1e6, "highest frequency; 0 takes half the rate")
	app.NumberFlag(f, &c.opt.Segment, "segment", 0, 0, 1e6, "seconds of a segment of the cospectra; 0 takes 0.5")
	app.NumberFlag(f, &c.opt.Overlap, "overlap", 0, 0, 0.99,
		"share of a segment that the next one has too; 0 takes 0.5")
	app.NumberFlag(f, &c.opt.Condition, "condition", 1000, 0, 1e12,
		"ratio of the strongest direction to the weakest that "+
			"is separated; 0 takes all")
	app.CountFlag(f, &c.opt.Sources, "sources", 0, 0, 10000, "number of sources; 0 takes all that --condition leaves")
	app.TextVar(f, &c.suppress, "suppress", "NUMBER,...", "", "sources to take out, such as 1 or 1,3")
	app.TextVar(f, &c.eyes, "eog", "NAME,...", "", "channels of the eyes: compared with the sources, and left out")
	app.TextVar(f, &c.also, "also", "FILE,...", "", "further recordings to learn the separation from")
	app.TextVar(f, &c.channels, "channels", "NAME,...", "",
		"names of the channels to separate, separated by commas; by "+
			"default those of EEG")
	app.TextVar(f, &c.drop, "drop", "NAME,...", "", "names of channels to leave out")
	app.TextVar(f, &c.kinds, "pick", "KIND,...", "",
		"kinds of channels to keep, such as meg, where the file tells them")
	app.NumberFlag(f, &c.rec.Rate, "rate", 0, 0, 1e9, "sampling rate in hertz, for npy")
	app.TextVar(f, &c.rec.Unit, "unit", "UNIT", "", "unit of channels whose unit is not known, such as uV")
	app.TextVar(f, &c.rec.Events, "events", "FILE", "", "table of events (csv, tsv); by default those of the recording")
	app.TextVar(f, &c.rec.Stream, "stream", "NAME", "", "name or type of the stream of signals in an XDF file")
	app.TextVar(f, &c.rec.Path, "path", "PATH", "", "part of a MAT-file that is the recording")
	app.OutputFlag(cmd, &c.out, "out", app.SessionOutput, "XDF file to write the recording to, without the sources")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		suppress, err := app.ParseNumbers("suppress", c.suppress)
		switch {
		case err != nil:
			return err
		case (c.out == "") != (suppress == nil):
			return app.Usagef("--suppress says what is taken out and --out where the rest is written: give both, or " +
				"neither to see the sources")
		}
		return c.run(cmd.Context(), args[0], suppress)
	}
	return cmd
}

// run separates the recording, and writes it without the suppressed sources.
func (c *cleaning) run(ctx context.Context, path string, suppress []int) error {
	all, eyes, err := c.open(path)
	if err != nil {
		return err
	}
	defer all.Close()
	rec, err := c.good(all)
	if err != nil {
		return err
	}
	signal, err := matrixOf(rec)
	if err != nil {
		return err
	}
	subjects := [][]*mat.Dense{{signal}}
	for _, name := range app.SplitList(c.also) {
		other, err := c.beside(name, rec)
		if err != nil {
			return err
		}
		subjects = append(subjects, []*mat.Dense{other})
	}
	sep, err := eeg.FitAJDC(ctx, subjects, rec.Rate, c.opt)
	if err != nil && (!rao.IsNotConverged(err) || ctx.Err() != nil) {
		return fmt.Errorf("%s: %w", path, err)
	}
	r := cleanResult{Recording: path, Channels: rec.Channels, Converged: err == nil, Out: c.out}
	if r.Sources, err = c.describe(sep, signal, eyes, rec.Channels); err != nil {
		return err
	}
	var zeroBased []int
	for _, s := range suppress {
		if s > len(r.Sources) {
			return app.Usagef("--suppress %d: there are %d sources", s, len(r.Sources))
		}
		r.Sources[s-1].Suppressed = true
		zeroBased = append(zeroBased, s-1)
	}
	slices.Sort(zeroBased)
	if c.out != "" {
		clean, err := sep.Without(rec, slices.Compact(zeroBased))
		if err == nil {
			clean, err = all.Replaced(clean) // the bad ones as they were, with their marks
		}
		if err != nil {
			return err
		}
		write := func(w io.Writer) error { return live.WriteRecording(w, clean) }
		if err := archive.WriteFile(c.out, write); err != nil {
			return err
		}
	}
	return c.Emit(r, func() { c.print(r) })
}

// open opens the recording and takes the channels of the eyes out of it.
func (c *cleaning) open(path string) (*eeg.Recording, *mat.Dense, error) {
	c.rec.Kinds = []string{eeg.AllKinds} // those of the eyes too
	rec, err := eeg.OpenRecording(path, c.rec)
	if err != nil {
		return nil, nil, err
	}
	if err := rec.Load(); err != nil {
		return nil, nil, err
	}
	var eyes *mat.Dense
	if c.eyes != "" {
		other := *rec
		if err := other.Choose(app.SplitList(c.eyes), nil, nil); err != nil {
			return nil, nil, err
		}
		if eyes, err = matrixOf(&other); err != nil {
			return nil, nil, err
		}
	}
	return rec, eyes, c.choose(rec)
}

// good returns the recording without its bad channels, from which nothing is learned.
func (c *cleaning) good(all *eeg.Recording) (*eeg.Recording, error) {
	if all.AverageDue {
		return nil, fmt.Errorf("%s asks for the average reference, and its samples do not have it; apply the "+
			"projector in MNE (raw.apply_proj()) or take it out (raw.del_proj()), and save the file again", all.Source)
	}
	rec := *all
	bad, err := eeg.DropBad([]*eeg.Recording{&rec})
	if len(bad) > 0 && err == nil {
		c.Note("not separated, because marked as bad: %s; --out keeps them as they are, with their marks",
			strings.Join(bad, ", "))
	}
	tellChannels(c.App, []*eeg.Recording{all})
	return &rec, err
}

func (c *cleaning) choose(rec *eeg.Recording) error {
	return rec.Choose(app.SplitList(c.channels), append(app.SplitList(c.drop), app.SplitList(c.eyes)...),
		app.SplitList(c.kinds))
}

// beside opens a further recording of the same channels.
func (c *cleaning) beside(path string, first *eeg.Recording) (*mat.Dense, error) {
	opt := c.rec
	opt.Events = ""
	rec, err := eeg.OpenRecording(path, opt)
	if err != nil {
		return nil, err
	}
	defer rec.Close()
	if err := rec.Choose(first.Channels, nil, nil); err != nil {
		return nil, err
	}
	if math.Abs(rec.Rate/first.Rate-1) > 1e-9 {
		return nil, fmt.Errorf("%s has %g samples a second and %s has %g; take recordings of one rate", path, rec.Rate,
			first.Source, first.Rate)
	}
	return matrixOf(rec)
}

// matrixOf is a recording as samples × channels.
func matrixOf(rec *eeg.Recording) (*mat.Dense, error) {
	n := rec.Samples()
	if n == 0 {
		return nil, errors.New(rec.Source + " holds no samples")
	}
	x := mat.NewDense(n, len(rec.Channels), nil)
	return x, rec.Read(x.RawMatrix().Data, 0, n)
}

// describe says of every source where and how strong it is.
func (c *cleaning) describe(sep *eeg.AJDC, signal, eyes *mat.Dense, channels []string) ([]cleanedSource, error) {
	var sources mat.Dense
	sep.Transform(&sources, signal)
	out := make([]cleanedSource, len(sep.Share))
	for s := range out {
		out[s] = cleanedSource{Number: s + 1, Share: sep.Share[s]}
		order := make([]int, len(channels))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Compare(math.Abs(sep.Patterns.At(b, s)), math.Abs(sep.Patterns.At(a, s)))
		})
		for _, i := range order[:min(3, len(order))] {
			out[s].Channels = append(out[s].Channels, channels[i])
		}
		if eyes == nil {
			continue
		}
		best := 0.0
		_, n := eyes.Dims()
		for e := range n {
			r := stat.Correlation(mat.Col(nil, s, &sources), mat.Col(nil, e, eyes), nil)
			if math.IsNaN(r) {
				return nil, fmt.Errorf("channel %s of --eog does not vary, or has values that are not finite",
					app.SplitList(c.eyes)[e])
			}
			best = max(best, math.Abs(r))
		}
		out[s].Eyes = &best
	}
	return out, nil
}

func (c *cleaning) print(r cleanResult) {
	header := []string{"source", "share of power", "strongest in"}
	if c.eyes != "" {
		header = append(header, "with the eyes")
	}
	rows := make([][]string, len(r.Sources))
	for i, s := range r.Sources {
		rows[i] = []string{fmt.Sprint(s.Number), text.Percent(s.Share), strings.Join(s.Channels, ", ")}
		if s.Eyes != nil {
			rows[i] = append(rows[i], fmt.Sprintf("%.2f", *s.Eyes))
		}
	}
	c.Table(header, rows)
	if !r.Converged {
		c.Note("the separation had not converged: keep fewer sources (--condition, --sources)")
	}
	if r.Out != "" {
		fmt.Fprintf(c.App.Out, "without %s: written to %s\n", c.suppress, r.Out)
	}
}
