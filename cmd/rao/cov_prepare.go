package main

import (
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"rao/eeg"
)

// prepareFlags say what is done to recordings before bands and trials.
type prepareFlags struct {
	bad, reference, notch, reject string
	rate                          float64
}

func (p *prepareFlags) add(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&p.bad, "bad", "drop", "channels marked as bad in any recording: drop (from all), interpolate or keep")
	s.StringVar(&p.reference, "reference", "", "average, or channels whose mean is subtracted and that are then left out, such as M1,M2")
	s.StringVar(&p.notch, "notch", "", "frequencies in hertz to take out, such as 50 or 50,100")
	numberFlag(s, &p.rate, "resample", 0, 0, 1e6, "samples a second to resample to")
	s.StringVar(&p.reject, "reject", "", "leave out trials in which a channel varies by more than this, such as 150uV")
}

// apply prepares the recordings.
func (p *prepareFlags) apply(a *app, recs []*eeg.Recording, causal bool) ([]*eeg.Recording, error) {
	prep := eeg.Preparation{Interpolate: p.bad == "interpolate", Reference: splitList(p.reference), Rate: p.rate, Causal: causal}
	for _, word := range splitList(p.notch) {
		hz, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return nil, usagef("--notch %s: want frequencies in hertz, such as 50,100", p.notch)
		}
		prep.Notch = append(prep.Notch, hz)
	}
	switch p.bad {
	case "keep":
	case "drop":
		bad, err := eeg.DropBad(recs)
		if err != nil {
			return nil, err
		}
		if len(bad) > 0 {
			a.note("left out, because marked as bad: %s; --bad interpolate or keep holds them", strings.Join(bad, ", "))
		}
	case "interpolate":
		for _, r := range recs {
			if len(r.Bad) > 0 {
				a.note("%s: %s from the other channels", r.Source, strings.Join(r.Bad, ", "))
			}
		}
	default:
		return nil, usagef("--bad %s: want drop, interpolate or keep", p.bad)
	}
	out := slices.Clone(recs)
	for i, r := range recs {
		var err error
		if out[i], err = r.Prepared(prep); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// amplitude is that of --reject in the unit of the recordings.
func (p *prepareFlags) amplitude(recs []*eeg.Recording) (float64, error) {
	if p.reject == "" {
		return 0, nil
	}
	return eeg.Amplitude(p.reject, recs)
}
