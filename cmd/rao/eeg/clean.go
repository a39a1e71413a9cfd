package eeg

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/cmd/rao/internal/app"
	"rao/eeg"
	"rao/internal/eeg/live"
	"rao/internal/indices"
	"rao/internal/text"
)

type cleanFlags struct {
	recordingFlags
	ajdc                      eeg.AJDCOptions
	eyes, also, suppress, out string
}

// cleanedSource describes a source in the JSON output of rao eeg clean. The names in the JSON are stable.
type cleanedSource struct {
	Number     int      `json:"source"`                // counted from 1
	Share      float64  `json:"share"`                 // fraction of the total power
	Channels   []string `json:"channels"`              // at most three, in which it is strongest
	Eyes       *float64 `json:"correlation,omitempty"` // largest absolute correlation with a channel of --eog
	Kurtosis   float64  `json:"kurtosis"`              // excess kurtosis; 0 for a Gaussian source
	Suppressed bool     `json:"suppressed,omitempty"`
	// Filter and Pattern contain one weight per channel. The source is the dot product of Filter and a sample. It
	// contributes its value times Pattern to the sample.
	Filter  []float64 `json:"filter"`
	Pattern []float64 `json:"pattern"`
}

type cleanResult struct {
	Recording string          `json:"recording"`
	Channels  []string        `json:"channels"`
	Sources   []cleanedSource `json:"sources"`
	Hertz     []float64       `json:"hertz"` // frequencies of the cospectra
	Converged bool            `json:"converged"`
	Out       string          `json:"out,omitempty"`
}

func cleanCommand(a *app.App) *cobra.Command {
	var c cleanFlags
	cmd := &cobra.Command{
		Use:   "clean RECORDING",
		Short: "Remove blinks and other sources from a recording",
		Long: `Separate a recording into sources by approximate joint diagonalization of its
cospectra (AJDC, Congedo and others 2008), and write it without some of them.

First run the command without --suppress. It lists the sources, the strongest first: their
share of the power, the channels where they are strongest, and with --eog their
correlation with the EOG channels. A blink is strong at the front of the head. Then run
the command again with the sources to remove (--suppress) and the file to write (--out).

--suppress auto removes and reports the sources whose correlation with a channel of --eog
is above 0.5. Without --eog it removes sources with an excess kurtosis above 5. It removes
at most half of all sources.

--also names more recordings of the same channels, from which to learn the separation.
Channels marked as bad are not used, and are written unchanged. Spans marked as bad are
not used, and no spectrum crosses a break of the recording.`,
		Example: `  rao eeg clean session.gdf --eog EOG1,EOG2 --low 1 --high 40
  rao eeg clean session.gdf --eog EOG1,EOG2 --low 1 --high 40 --suppress 1 \
      --out clean.xdf
  rao eeg clean session.gdf --low 1 --high 40 --suppress auto --out clean.xdf`,
		Args: oneRecording,
	}
	f := cmd.Flags()
	app.NumberFlag(f, &c.ajdc.Low, "low", 1, 0, 1e6, "lowest frequency of the cospectra in hertz")
	app.NumberFlag(f, &c.ajdc.High, "high", 0, 0, 1e6,
		"highest frequency of the cospectra in hertz; 0 uses half the sampling rate")
	app.NumberFlag(f, &c.ajdc.Segment, "segment", 0, 0, 1e6,
		"length of a segment of the cospectra in seconds; 0 uses 0.5")
	app.NumberFlag(f, &c.ajdc.Overlap, "overlap", 0, 0, 0.99, "share of a segment that overlaps the next one; 0 "+
		"uses 0.5")
	app.NumberFlag(f, &c.ajdc.Condition, "max-condition", 1000, 0, 1e12,
		"largest ratio of the strongest to the weakest direction that is separated; 0 separates all")
	app.CountFlag(f, &c.ajdc.Sources, "sources", 0, 0, 10000, "number of sources; 0 uses all that --max-condition "+
		"allows")
	app.TextVar(f, &c.suppress, "suppress", "NUMBER,...", "", "sources to remove, such as 1 or 1,3; auto "+
		"removes sources that correlate with an --eog channel, or without --eog sources with a high kurtosis")
	app.TextVar(f, &c.eyes, "eog", "NAME,...", "", "EOG channels: compared with the sources, and not separated")
	app.TextVar(f, &c.also, "also", "FILE,...", "", "more recordings to learn the separation from")
	c.addFile(f)
	addUnit(f, &c.opt.Unit)
	c.addChannels(f, "EEG")
	app.OutputFlag(cmd, &c.out, "out", app.SessionOutput, "XDF or BrainVision (.vhdr) file to write "+
		"the recording to, without the sources; with a name like sub-*_eeg.vhdr also the tables of BIDS derivatives")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		auto := c.suppress == "auto"
		var suppress []int
		var err error
		if !auto {
			suppress, err = app.ParseNumbers("suppress", c.suppress)
		}
		switch {
		case err != nil:
			return err
		case (c.out == "") != (suppress == nil && !auto):
			return app.Usagef("--suppress gives the sources to remove and --out the file to write: give both, or " +
				"neither to see the sources")
		}
		show, done := a.Progress("rao eeg clean")
		c.ajdc.Progress = show
		sources, err := eeg.FindSources(cmd.Context(), args[0], eeg.SourcesOptions{Recording: c.options(),
			Eyes: text.SplitList(c.eyes), Also: text.SplitList(c.also), AJDC: c.ajdc})
		done()
		if sources == nil || err != nil && !rao.IsNotConverged(err) {
			return err
		}
		noteChannels(a, []*eeg.Recording{sources.Recording})
		if bad := sources.Recording.Bad; len(bad) > 0 {
			a.Note("channels not separated because they are marked as bad: %s", strings.Join(bad, ", "))
		}
		separation := sources.Separation
		r := &cleanResult{Recording: args[0], Channels: separation.Channels, Hertz: separation.Frequencies,
			Converged: err == nil, Out: c.out}
		if auto {
			for _, k := range sources.Artifacts() {
				suppress = append(suppress, k+1)
			}
			if suppress == nil {
				a.Note("no source looks like an artifact, so the recording is written unchanged")
			}
		}
		if err := r.add(sources, suppress); err != nil {
			return err
		}
		if c.out != "" {
			clean, err := separation.Without(sources.Recording, zeroBased(suppress))
			if err != nil {
				return err
			}
			if err := live.Save(c.out, clean, origin(cmd, args, args[0])); err != nil {
				return err
			}
		}
		return a.Emit(r, func() { r.print(a) })
	}
	return cmd
}

// add adds the sources to the result and marks the suppressed ones.
func (r *cleanResult) add(s *eeg.Sources, suppress []int) error {
	for k, share := range s.Separation.Share {
		pattern := mat.Col(nil, k, s.Separation.Patterns)
		strongest := indices.Sorted(len(pattern), func(a, b int) int {
			return cmp.Compare(math.Abs(pattern[b]), math.Abs(pattern[a]))
		})
		one := cleanedSource{Number: k + 1, Share: share, Kurtosis: s.Kurtosis[k],
			Channels: indices.Pick(r.Channels, strongest[:min(3, len(strongest))]),
			Filter:   mat.Col(nil, k, s.Separation.Filters), Pattern: pattern}
		if s.EyeCorrelation != nil {
			one.Eyes = &s.EyeCorrelation[k]
		}
		r.Sources = append(r.Sources, one)
	}
	for _, number := range suppress {
		if number > len(r.Sources) {
			return app.Usagef("--suppress %d: the sources are numbered from 1 to %d", number, len(r.Sources))
		}
		r.Sources[number-1].Suppressed = true
	}
	return nil
}

// kept describes the recording without the suppressed sources.
func (r *cleanResult) kept() string {
	var numbers []string
	for _, s := range r.Sources {
		if s.Suppressed {
			numbers = append(numbers, strconv.Itoa(s.Number))
		}
	}
	switch len(numbers) {
	case 0:
		return "unchanged recording"
	case 1:
		return "recording without source " + numbers[0]
	}
	return "recording without sources " + strings.Join(numbers, ", ")
}

// zeroBased converts numbers that start at 1 to numbers that start at 0, without duplicates.
func zeroBased(numbers []int) []int {
	out := make([]int, len(numbers))
	for i, n := range numbers {
		out[i] = n - 1
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (r *cleanResult) print(a *app.App) {
	header := []string{"source", "share of power", "strongest in", "kurtosis"}
	rows := make([][]string, len(r.Sources))
	for i, s := range r.Sources {
		rows[i] = []string{fmt.Sprint(s.Number), text.Percent(s.Share), strings.Join(s.Channels, ", "),
			fmt.Sprintf("%.1f", s.Kurtosis)}
		if s.Eyes != nil {
			rows[i] = append(rows[i], fmt.Sprintf("%.2f", *s.Eyes))
		}
	}
	if len(rows) > 0 && len(rows[0]) > len(header) {
		header = append(header, "correlation with the eyes")
	}
	a.Table(header, rows)
	if !r.Converged {
		a.Note("the separation did not converge; use fewer sources (--max-condition, --sources)")
	}
	if r.Out != "" {
		fmt.Fprintf(a.Out, "%s written to %s\n", r.kept(), r.Out)
	}
}
