package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"rao/internal/covstream"
	"rao/internal/optionvalues"
	"rao/internal/potato"
	"rao/internal/text"
	"rao/recipe"
	"rao/spd"
)

const (
	artifactWindow = 1.0   // length of a window in seconds
	artifactStep   = 0.25  // time between windows in seconds
	artifactLow    = 1.0   // lower edge of the band in hertz
	artifactHigh   = 40.0  // upper edge of the band in hertz
	artifactFollow = 0.005 // rate at which the potato follows clean windows
)

// artifacts finds the parts of a signal that a Riemannian potato classifies as artifacts. The potato learns from the
// first seconds of the signal and then follows the clean windows (Barachant, Andreev and Congedo 2013).
type artifacts struct {
	note   Note
	stream *covstream.Stream
	pick   []int // indexes of the channels in the signal
	width  int
	learn  int // number of windows to learn from
	window int64
	row    []float64
	first  []float64 // matrices of the windows to learn from
	field  *potato.Field
	z      mat.Dense
	one    *spd.Stack
	ends   []int64 // ends of the recent windows that are artifacts
	seen   int     // number of windows after the learning phase
	found  int     // number of artifacts among the windows seen
	inRow  int     // number of artifacts in a row
}

// newArtifacts returns a detector that learns from the first seconds of the named channels.
func newArtifacts(info *Info, channels []string, seconds float64, note Note) (*artifacts, error) {
	a := &artifacts{note: note, width: info.Width, window: int64(math.Round(artifactWindow * info.Rate)),
		learn: int(math.Floor((seconds-artifactWindow)/artifactStep)) + 1}
	for c := range info.Width {
		if channels == nil || info.Channels == nil || slices.Contains(channels, info.Channels[c]) {
			a.pick = append(a.pick, c)
		}
	}
	if a.learn < 20 {
		return nil, fmt.Errorf("artifact detection cannot learn from %g s; give at least 6 s, such as 30 s", seconds)
	}
	high := math.Min(artifactHigh, 0.45*info.Rate)
	if !(high > 2*artifactLow) {
		return nil, fmt.Errorf("artifacts are detected from %g Hz upwards, but the signal has only %g samples per "+
			"second; leave artifact detection out", artifactLow, info.Rate)
	}
	var err error
	a.stream, err = covstream.New(len(a.pick), info.Rate, covstream.Options{Window: artifactWindow, Step: artifactStep,
		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: artifactLow, High: high}}, Order: 2,
			Combine: optionvalues.CombineStacked, Estimator: "oas"}})
	a.row, a.one = make([]float64, len(a.pick)), spd.NewStack(1, len(a.pick))
	return a, err
}

// restart marks a break in the signal.
func (a *artifacts) restart() {
	if a != nil {
		a.stream.Restart(0)
	}
}

// push processes samples×channels and detects artifacts. It skips samples that are not finite.
func (a *artifacts) push(ctx context.Context, block []float64) error {
	if a == nil {
		return nil
	}
	for ; len(block) > 0; block = block[a.width:] {
		for i, c := range a.pick {
			a.row[i] = block[c]
		}
		err := a.stream.Push(a.row, func(cov *mat.SymDense, end int64) error { return a.score(ctx, cov, end) })
		var fault *covstream.SampleError
		if errors.As(err, &fault) {
			if fault.Refused {
				a.stream.Restart(1)
			}
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// score adds the covariance of a window to the training data, or determines whether the window is an artifact.
func (a *artifacts) score(ctx context.Context, cov *mat.SymDense, end int64) error {
	a.one.Set(0, cov)
	if a.field == nil {
		a.first = append(a.first, a.one.Data...)
		if len(a.first) < a.learn*len(a.one.Data) {
			return nil
		}
		field, err := potato.Fit(ctx, spd.StackOf(len(a.first)/len(a.one.Data), a.one.Dim, a.first),
			potato.Options{Robust: true})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			a.note("artifacts are not detected yet: %v", err)
			a.first = a.first[:0] // try again with the next seconds
			return nil
		}
		a.field, a.first = field, nil
		a.note("artifact detection starts now: %d of %d windows of the first seconds are clean",
			field.Potatoes[0].Clean, a.learn)
		return nil
	}
	a.seen++
	err := a.field.Follow(ctx, &a.z, a.one, artifactFollow)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && !a.field.Artifact(a.z.RawRowView(0)) {
		a.inRow = 0
		return nil
	}
	a.found++ // includes matrices that cannot be scored; they are unusable too
	a.ends = append(a.ends, end)
	if a.inRow++; a.inRow >= 2*a.learn {
		a.note("the last %.0f s are all artifacts; artifact detection learns again", float64(a.inRow)*artifactStep)
		a.field, a.inRow = nil, 0
	}
	return nil
}

// touch reports whether the interval of the given number of samples up to end overlaps a window with an artifact by at
// least half the length of the shorter one. It discards the windows before the interval.
func (a *artifacts) touch(samples, end int64) bool {
	if a == nil {
		return false
	}
	keep := slices.IndexFunc(a.ends, func(e int64) bool { return e > end-samples-a.window })
	if keep < 0 {
		keep = len(a.ends)
	}
	a.ends = slices.Delete(a.ends, 0, keep)
	from := end - samples + min(a.window, samples)/2
	return slices.ContainsFunc(a.ends, func(e int64) bool { return from <= e && e <= end })
}

// summary returns the share of artifacts. A session prints it in its last line.
func (a *artifacts) summary(rejected int) string {
	switch {
	case a == nil:
		return ""
	case a.field == nil:
		return "; artifacts were not detected, because the signal was too short to learn from"
	case a.seen == 0:
		return "; no signal remained for detecting artifacts"
	}
	return fmt.Sprintf("; artifacts in %s of the signal, %s rejected", text.Percent(float64(a.found)/float64(a.seen)),
		text.Plural(rejected, "decision", "decisions"))
}
