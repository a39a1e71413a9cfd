package eeg

import (
	"context"
	"errors"
	"fmt"
	"math"

	"rao/dataset"
	"rao/eeg"
	"rao/evaluate"
	recordings "rao/internal/eeg/sets"
	"rao/internal/paper/experiment"
	"rao/internal/paper/peers"
	"rao/recipe"
)

const movementSet = "bnci2014-001"

func init() {
	experiment.Register(experiment.Study{
		Entry: experiment.Experiment{ID: "plrsq-table6-networks",
			Notes: movementNotes,
			Paper: "PLRSQ", Item: "table 6, WaSF ConvNet",
			Title:    "WaSF ConvNet on the recordings of BCI competition IV 2a",
			Needs:    []string{movementSet, "torch"},
			Protocol: movementProtocol, Long: "hours of processor time"},
		After: "plrsq-table6",
		Run:   movements,
	})
}

const movementProtocol = "The data are the recordings of BCI competition IV, set 2a, with session T for training and " +
	"session E for testing. The networks and their training are the same as in beyond-deep-eeg, with the signals " +
	"from 0.5 to 4 s after the cue. PLRSQ and ENuc have their default options and the paper's covariances: 10 to 30 " +
	"Hz, order 5, 0.5 to 2.5 s after the cue. A short run trains for two epochs on the subjects that are downloaded."

var movementNotes = []string{
	"`rao data get bnci2014-001` downloads the recordings, which have 22 channels.",
	"The paper's WaSF ConvNet used cropped training and transfer between subjects (section 6.3). Ours uses neither.",
	"Kappa is (a − 1/4)/(3/4) for the accuracy a, as in section 6.3.",
}

// movements compares the kappa of the networks on each subject with the kappa in the paper.
func movements(ctx context.Context, r *experiment.Run) error {
	python, err := peers.Python()
	if err != nil {
		return err
	}
	labels := []string{"PLRSQ", "ENuc"}
	for _, n := range deepNets {
		labels = append(labels, n.label)
	}
	subjects := r.Pick(9, 1)
	found, err := r.Numbers(ctx, "subjects", subjects, func(k int) ([]float64, error) {
		var chosen []int // nil for all available subjects
		if !r.Short {
			chosen = []int{k + 1}
		}
		task, err := movementTask(ctx, chosen)
		if err != nil {
			return nil, err
		}
		var kappas []float64
		for _, name := range []string{"plrsq", "enuc"} {
			a, err := foldAccuracy(ctx, name, task.covariance, task.folds)
			if err != nil {
				return nil, fmt.Errorf("%s, %s: %w", task.name, name, err)
			}
			kappas = append(kappas, kappaOfFour(a))
		}
		for _, n := range deepNets {
			a, err := task.netAccuracy(ctx, r, python, n.net, 1)
			if err != nil {
				return nil, err
			}
			kappas = append(kappas, kappaOfFour(a))
		}
		return kappas, nil
	})
	if err != nil {
		return err
	}
	movementTable(r, labels, found)
	r.Remark("The networks ran on %s.", peers.Device(python))
	return nil
}

// kappaOfFour returns Cohen's kappa for four balanced classes.
func kappaOfFour(accuracy float64) float64 { return (accuracy - 0.25) / 0.75 }

// movementTable adds the table of kappas by subject and method, and the claims about it.
func movementTable(r *experiment.Run, labels []string, found [][]float64) {
	header := []string{"method"}
	for k := range found {
		header = append(header, fmt.Sprintf("A%02d", k+1))
	}
	t := r.Table("kappa", "Kappa on session E; a kappa of 288 trials has a 95 % interval of about ±0.07",
		append(header, "mean")...)
	means := make([]float64, len(labels))
	for m, label := range labels {
		row := []any{label}
		for _, kappas := range found {
			row = append(row, fmt.Sprintf("%.3f", kappas[m]))
			means[m] += kappas[m] / float64(len(found))
		}
		t.Add(append(row, fmt.Sprintf("%.3f", means[m]))...)
	}
	printed := experiment.PrintedKappas("WaSF ConvNet")
	row, above := []any{"WaSF ConvNet, paper"}, 0
	for k, kappas := range found {
		row = append(row, experiment.Printed(fmt.Sprintf("%.2f", printed[k])))
		if kappas[0] > kappas[2] {
			above++
		}
	}
	t.Add(append(row, experiment.Printed("0.58"))...)
	r.Claim("WaSF ConvNet has a mean kappa of 0.58.", math.Abs(means[2]-0.58) <= 0.05, "%.3f.", means[2]).
		If("at most 0.05 away").Needs(!r.Short)
	r.Claim("PLRSQ is superior to WaSF ConvNet on 6 of 9 subjects.", above >= 6, "On %d of %d.", above, len(found)).
		If("at least 6 of 9").Needs(!r.Short)
}

// movementTask cuts the trials of subjects, as signals and as covariances. Session E is the test set.
func movementTask(ctx context.Context, subjects []int) (*deepTask, error) {
	sel := recordings.Selection{Subjects: subjects}
	cut := func(start, stop float64, o recipe.SignalOptions) (*dataset.Data, error) {
		d, _, err := recordings.Trials(ctx, movementSet, sel, nil,
			func(recs []*eeg.Recording, here []eeg.Class) (*eeg.Trials, error) {
				const cue = 2 // seconds from the start of a trial, which the event marks, to the cue
				return eeg.CutTrials(ctx, recs, eeg.TrialOptions{Classes: here, Start: cue + start, Stop: cue + stop,
					SkipInvalid: true, SignalOptions: o})
			})
		return d, err
	}
	signals, err := cut(0.5, 4, deepBand)
	if err != nil {
		return nil, err
	}
	covariances, err := cut(0.5, 2.5, recipe.SignalOptions{Bands: []recipe.Band{{Low: 10, High: 30}}, Order: 5})
	if err != nil {
		return nil, err
	}
	t := &deepTask{name: "imagined movements", signals: signals, covariance: covariances,
		channels: covariances.Stack.Dim, rate: signals.Recipe.Signal.Rate}
	var f evaluate.Fold
	for i := range signals.N() {
		if signals.Vars["session"].Text(i) == "1test" {
			f.Test = append(f.Test, i)
		} else {
			f.Train = append(f.Train, i)
		}
	}
	if len(f.Train) == 0 || len(f.Test) == 0 {
		return nil, errors.New("both session T and session E are needed; select all runs")
	}
	t.folds = []evaluate.Fold{f}
	return t, nil
}
