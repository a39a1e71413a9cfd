package eeg

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/eeg/splines"
	"rao/internal/electrodes"
)

// interpolation replaces bad channels by weighted sums of good ones.
type interpolation struct {
	bad, good []int
	weights   *mat.Dense // len(bad)×len(good)
}

// interpolation computes the weights for replacing bad channels, by spherical splines on the sphere that fits the
// electrodes best. Positions are read from the file or, if the file has none, follow from the names in the 10-10
// system. Only EEG channels are used. It returns an error if the position of a bad channel is unknown.
func (r *Recording) interpolation() (*interpolation, error) {
	places, err := r.electrodes()
	if err != nil {
		return nil, err
	}
	t := new(interpolation)
	var from, to [][3]float64
	for c, name := range r.Channels {
		switch bad := slices.Contains(r.Bad, name); {
		case !places[c].known && bad:
			return nil, rao.Optionf("bad",
				"the position of the bad channel %s is unknown; drop it ({bad=drop})", name)
		case bad:
			t.bad, to = append(t.bad, c), append(to, places[c].at)
		case places[c].known:
			t.good, from = append(t.good, c), append(from, places[c].at)
		}
	}
	t.weights, err = splines.Weights(from, to)
	return t, err
}

// electrode is the position of a channel, if known.
type electrode struct {
	at    [3]float64
	known bool
}

func (r *Recording) electrodes() ([]electrode, error) {
	out := make([]electrode, len(r.Channels))
	located := slices.ContainsFunc(r.Positions, func(p [3]float64) bool { return p != [3]float64{} })
	for c, name := range r.Channels {
		if r.Types != nil && r.Types[c] != "" && r.Types[c] != "eeg" {
			continue
		}
		if located {
			out[c] = electrode{r.Positions[c], r.Positions[c] != [3]float64{}}
		} else {
			out[c].at, out[c].known = electrodes.Position(name)
		}
	}
	if !slices.ContainsFunc(out, func(e electrode) bool { return e.known }) {
		if located {
			return nil, errors.New("the file gives positions for other channels, but not for the EEG channels; " +
				"add them, or do not interpolate")
		}
		return nil, fmt.Errorf("the positions of these electrodes are unknown, because their names are not in the "+
			"10-10 system (%s); rename them, or do not interpolate", strings.Join(r.Channels, ", "))
	}
	return out, nil
}

// apply replaces the bad channels in x, samples×channels. A nil interpolation does nothing.
func (t *interpolation) apply(x []float64, channels int) {
	if t == nil {
		return
	}
	for k := 0; k < len(x); k += channels {
		row := x[k : k+channels]
		for i, b := range t.bad {
			var v float64
			for j, g := range t.good {
				v += t.weights.At(i, j) * row[g]
			}
			row[b] = v
		}
	}
}
