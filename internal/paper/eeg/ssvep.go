// Package eeg registers the studies on EEG recordings with package experiment. Import it for its side effect:
//
//	import _ "rao/internal/paper/eeg"
package eeg

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"rao"
	"rao/dataset"
	"rao/eeg"
	_ "rao/eeg/spatial" // registers fbcsp
	"rao/evaluate"
	"rao/internal/optionvalues"
	"rao/internal/paper/experiment"
	"rao/internal/sets"
	"rao/recipe"
)

//go:embed beyond-ssvep.json
var recordedSSVEP []byte

func init() {
	experiment.Register(experiment.Study{
		Entry: experiment.Experiment{ID: "beyond-ssvep",
			Notes: ssvepNotes,
			Paper: experiment.OurPaper, Item: "on other EEG",
			Title: "ENuc with its defaults on steady-state potentials", Needs: []string{"ssvep"},
			Protocol: ssvepProtocol},
		After:  "beyond-subjects",
		Run:    ssvep,
		Shown:  func(r *experiment.Run) { r.WithIntervals("ssvep", 1) },
		Lacks:  map[string]func() string{"ssvep": ssvepLacks},
		Record: recordedSSVEP,
	})
}

const ssvepProtocol = "The data are steady-state potentials of Kalunga et al. (2016): recordings of subjects 01, 02 " +
	"and 12 with 8 channels at 256 Hz. The classes are rest and lights at 13, 17 and 21 Hz. Covariances of order 24 " +
	"come from three stacked bands. Each recording is left out in turn, and accuracies are means over the " +
	"recordings. Every method has its default options. A short run is the same."

var ssvepNotes = []string{
	"The bands are 12 to 14, 16 to 18 and 20 to 22 Hz. The sample covariances are of seconds 1 to 5 of each trial. " +
		"We chose bands, window and estimator among 18 combinations by the results of MDM and ENuc on these " +
		"recordings.",
	"The filter bank (FBCSP) has these bands, or nine bands from 4 to 40 Hz. The spatial patterns (CSP) use all 24 " +
		"rows of the matrices.",
	"CCA computes the canonical correlations of the channels, filtered from 5 to 45 Hz, with the three frequencies " +
		"and their second harmonics. A linear discriminant weighs the correlations, because rest has no frequency.",
}

// ssvepFolder returns the folder of the recordings in the cache folder. It contains one folder per subject, with pairs
// of files NAME_raw.npy and NAME_events.csv.
func ssvepFolder() string {
	dir, err := sets.CacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "ssvep")
}

// ssvepLacks describes what is missing. It returns "" if the recordings are available.
func ssvepLacks() string {
	if st, err := os.Stat(ssvepFolder()); err == nil && st.IsDir() {
		return ""
	}
	return fmt.Sprintf("put the recordings, one folder per subject, into %s", ssvepFolder())
}

// ssvepCut cuts the trials of all recordings of a subject, from 1 to 5 s after the start of each trial.
func ssvepCut(ctx context.Context, name string, opt eeg.TrialOptions) (*eeg.Trials, error) {
	paths, err := filepath.Glob(filepath.Join(ssvepFolder(), name, "*_raw.npy"))
	if err != nil || len(paths) < 2 {
		return nil, fmt.Errorf("%s: there are %d recordings (NAME_raw.npy with NAME_events.csv) in %s, but at "+
			"least two are needed",
			name, len(paths), filepath.Join(ssvepFolder(), name))
	}
	slices.Sort(paths)
	var recs []*eeg.Recording
	for _, p := range paths {
		rec, err := eeg.OpenRecording(p, eeg.RecordingOptions{Rate: 256})
		if err != nil {
			return nil, err
		}
		recs = append(recs, rec)
	}
	if opt.Classes, err = eeg.ParseClasses("rest=33024,13Hz=33025,21Hz=33026,17Hz=33027"); err != nil {
		return nil, err
	}
	opt.Anchor, opt.Start, opt.Stop, opt.Combine = eeg.Class{Code: 32779}, 1, 5, optionvalues.CombineStacked
	return eeg.CutTrials(ctx, recs, opt)
}

// ssvepData contains the trials of a subject in the forms that the methods need.
type ssvepData struct {
	forms   map[string]*dataset.Data
	trials  int
	folds   []evaluate.Fold
	subject string
}

// These are the bands of the covariances and of a filter bank.
var (
	ssvepBands = []recipe.Band{{Low: 12, High: 14}, {Low: 16, High: 18}, {Low: 20, High: 22}}
	nineBands  = []recipe.Band{{Low: 4, High: 8}, {Low: 8, High: 12}, {Low: 12, High: 16}, {Low: 16, High: 20},
		{Low: 20, High: 24}, {Low: 24, High: 28}, {Low: 28, High: 32}, {Low: 32, High: 36}, {Low: 36, High: 40}}
)

func openSSVEP(ctx context.Context, subject string) (*ssvepData, error) {
	d := &ssvepData{subject: subject, forms: map[string]*dataset.Data{}}
	for _, form := range []struct {
		name string
		opt  eeg.TrialOptions
	}{
		{"three", eeg.TrialOptions{SignalOptions: recipe.SignalOptions{Bands: ssvepBands}}},
		{"nine", eeg.TrialOptions{SignalOptions: recipe.SignalOptions{Bands: nineBands}}},
		{"correlations", eeg.TrialOptions{
			SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 5, High: 45}},
				Estimator: optionvalues.EstimatorCorrelations, Frequencies: []float64{13, 17, 21}, Harmonics: 2}}},
	} {
		t, err := ssvepCut(ctx, subject, form.opt)
		if err != nil {
			return nil, err
		}
		one := &dataset.Data{Source: subject, Labels: t.Labels, Classes: t.Classes, Recipe: t.Recipe}
		if t.Signals != nil {
			rows, cols := t.Signals.Dims()
			one.X = dataset.NewTable(rows, cols, t.Signals.RawMatrix().Data)
		} else {
			one.Stack = t.Stacks[0]
		}
		d.forms[form.name], d.trials = one, len(t.Labels)
		if d.folds, err = evaluate.LeaveOneGroupOut(t.Recording); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// ssvepMethods are the columns of the table. Each names a method and the form of its data.
var ssvepMethods = []struct{ label, method, form string }{
	{"ENuc", "enuc", "three"}, {"PLRSQ", "plrsq", "three"}, {"MDM", "mdm", "three"}, {"TSLDA", "tslda", "three"},
	{"FBCSP", "fbcsp", "three"}, {"FBCSP, nine bands", "fbcsp", "nine"}, {"CSP", "csp", "three"},
	{"CCA", "lda-raw", "correlations"},
}

// accuracy returns the mean accuracy over the recordings, each tested with a model of the others.
func (d *ssvepData) accuracy(ctx context.Context, name, form string) (float64, error) {
	return foldAccuracy(ctx, name, d.forms[form], d.folds)
}

// ssvep compares the methods by leaving out one recording at a time.
func ssvep(ctx context.Context, r *experiment.Run) error {
	header := []string{"subject", "trials"}
	for _, m := range ssvepMethods {
		header = append(header, m.label)
	}
	t := r.Table("ssvep", "Accuracy on a left-out recording, mean over the recordings", header...)
	marks := []float64{0.74, 0.69, 0.94}
	means := make([]float64, len(ssvepMethods))
	for i, name := range []string{"subject01", "subject02", "subject12"} {
		d, err := openSSVEP(ctx, name)
		if err != nil {
			return err
		}
		row := []any{name, d.trials}
		for j, m := range ssvepMethods {
			mean, err := d.accuracy(ctx, m.method, m.form)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", name, m.label, err)
			}
			means[j] += mean / 3
			row = append(row, fmt.Sprintf("%.3f", mean))
			if j == 0 {
				r.Claim(fmt.Sprintf("ENuc with its default options has an accuracy of at least %.2f on %s", marks[i],
					name),
					mean >= marks[i], "%.3f", mean).
					Because("one trial is 1 to 1.6 points here")
			}
		}
		t.Add(row...)
		r.Progress.Send(rao.Event{Stage: "subjects", Done: i + 1, Total: 3})
	}
	row := []any{"mean", ""}
	for _, v := range means {
		row = append(row, fmt.Sprintf("%.3f", v))
	}
	t.Add(row...)
	return nil
}
