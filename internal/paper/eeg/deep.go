package eeg

import (
	"context"
	_ "embed"
	"fmt"

	"rao"
	"rao/dataset"
	"rao/eeg"
	"rao/evaluate"
	"rao/internal/eeg/synth"
	"rao/internal/optionvalues"
	"rao/internal/paper/experiment"
	"rao/internal/paper/peers"
	"rao/internal/study"
	"rao/method"
	"rao/recipe"
)

//go:embed beyond-deep-eeg.json
var recordedDeep []byte

func init() {
	experiment.Register(experiment.Study{
		Entry: experiment.Experiment{ID: "beyond-deep-eeg",
			Notes: deepNotes,
			Paper: experiment.OurPaper, Item: "on other EEG",
			Title:    "WaSF ConvNet, ShallowConvNet and EEGNet compared with ENuc and PLRSQ",
			Needs:    []string{"ssvep", "torch"},
			Protocol: deepProtocol},
		After:  "beyond-ssvep",
		Run:    deepEEG,
		Shown:  deepIntervals,
		Record: recordedDeep,
	})
}

// deepIntervals adds confidence intervals and the chance level to the table.
func deepIntervals(r *experiment.Run) {
	r.Say("accuracy", "a 95 % interval is about ±11 points for the 64 trials of subjects 01 and 02 at 70 %, and ±9 "+
		"for the 96 of subject 12. Chance is 25 % for steady-state potentials and 50 % for the generated movements")
}

const deepProtocol = "The steady-state potentials are the trials of beyond-ssvep, and each recording is left out in " +
	"turn. The imagined movements are generated recordings of two classes. In each of four repetitions, 80 trials " +
	"are for training and 80 trials of another recording for testing. The networks learn from signals " +
	"filtered from 5 to 45 Hz, with settings that we did not tune. ENuc and PLRSQ learn from covariances with " +
	"their default options."

var deepNotes = []string{
	"Each channel is standardized by the training trials. The networks are trained with Adam (rate 0.001) for 100 " +
		"epochs in batches of 16.",
	"The steady-state potentials have the same trials, channels, classes and covariances as in beyond-ssvep.",
	"The generated recordings have 16 channels at 250 Hz, from which we use seconds 0.5 to 4. For " +
		"covariances the signals are filtered from 8 to 30 Hz.",
	"The WaSF ConvNet follows the description in section 6.3 of the PLRSQ paper: wavelet-like kernels in time, then " +
		"spatial kernels. The later layers are from ShallowConvNet. We use neither cropped training nor transfer " +
		"between subjects.",
	"The comparison on steady-state potentials favors ENuc and PLRSQ: the bands of their covariances were chosen on " +
		"these recordings, and the networks have only 32 or 64 trials for training.",
	"The experiment plrsq-table6-networks trains the networks on the recordings of BCI competition IV 2a, as in the " +
		"PLRSQ paper. It needs a download.",
}

// deepNets lists the networks with their published names.
var deepNets = []struct{ label, net string }{
	{"WaSF ConvNet", "wasf"}, {"ShallowConvNet", "shallow"}, {"EEGNet", "eegnet"},
}

// deepTask contains trials as signals and as covariances, with the folds for training and testing.
type deepTask struct {
	name                string
	signals, covariance *dataset.Data
	channels            int
	rate                float64
	folds               []evaluate.Fold
}

func deepEEG(ctx context.Context, r *experiment.Run) error {
	python, err := peers.Python()
	if err != nil {
		return err
	}
	tasks, err := deepTasks(ctx, r)
	if err != nil {
		return err
	}
	header := []string{"data", "ENuc", "PLRSQ"}
	for _, n := range deepNets {
		header = append(header, n.label)
	}
	t := r.Table("accuracy", "Accuracy on left-out trials in percent, mean over the folds", header...)
	for i, task := range tasks {
		row := []any{task.name}
		for _, name := range []string{"enuc", "plrsq"} {
			mean, err := foldAccuracy(ctx, name, task.covariance, task.folds)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", task.name, name, err)
			}
			row = append(row, fmt.Sprintf("%.1f", 100*mean))
		}
		for _, n := range deepNets {
			mean, err := task.netAccuracy(ctx, r, python, n.net, 0)
			if err != nil {
				return err
			}
			row = append(row, fmt.Sprintf("%.1f", 100*mean))
		}
		t.Add(row...)
		r.Progress.Send(rao.Event{Stage: "tasks", Done: i + 1, Total: len(tasks)})
	}
	r.Remark("The networks ran on %s.", peers.Device(python))
	return nil
}

// netAccuracy returns the mean accuracy of a network over the folds. If threads is 0, it uses GOMAXPROCS threads.
func (t *deepTask) netAccuracy(ctx context.Context, r *experiment.Run, python, net string, threads int) (float64,
	error) {
	mean := 0.0
	for k, fold := range t.folds {
		part := peers.Task{Net: net, Epochs: r.Pick(100, 2), Batch: 16, Rate: 1e-3, Decay: 1, Threads: threads,
			Seed: r.Seed + uint64(k), Classes: len(t.signals.Classes), SampleRate: t.rate,
			Train: t.part(fold.Train), Test: t.part(fold.Test)}
		v, err := peers.Train(ctx, python, part, nil)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", t.name, err)
		}
		mean += v.Accuracy / float64(len(t.folds))
	}
	return mean, nil
}

// part returns the trials with the given indices as input of a network.
func (t *deepTask) part(index []int) peers.Part {
	d := t.signals.Subset(index)
	_, values := d.X.Dims()
	return peers.PartOf(d, 1, t.channels, values/t.channels)
}

// foldAccuracy returns the mean accuracy over the folds of a method with its default options.
func foldAccuracy(ctx context.Context, name string, d *dataset.Data, folds []evaluate.Fold) (float64, error) {
	m, err := method.ParseSpec(name)
	if err != nil {
		return 0, err
	}
	mean := 0.0
	err = study.OverFolds(ctx, m, d, folds, func(x *study.Decisions) error {
		s, err := x.Score()
		if err == nil {
			mean += s.Accuracy / float64(len(folds))
		}
		return err
	})
	return mean, err
}

// deepBand is the pass band of the signals for the networks.
var deepBand = recipe.SignalOptions{Bands: []recipe.Band{{Low: 5, High: 45}}, Estimator: optionvalues.EstimatorNone}

// deepTasks cuts the trials of three subjects of the SSVEP set and of simulated recordings.
func deepTasks(ctx context.Context, r *experiment.Run) ([]*deepTask, error) {
	var tasks []*deepTask
	subjects := []string{"subject01", "subject02", "subject12"}
	for _, name := range subjects[:r.Pick(3, 1)] {
		cut, err := ssvepCut(ctx, name, eeg.TrialOptions{SignalOptions: deepBand})
		if err != nil {
			return nil, err
		}
		opt := eeg.TrialOptions{SignalOptions: recipe.SignalOptions{Bands: ssvepBands}}
		covariances, err := ssvepCut(ctx, name, opt)
		if err != nil {
			return nil, err
		}
		task := newDeepTask("steady-state potentials, "+name, cut, covariances, 8, 256)
		if task.folds, err = evaluate.LeaveOneGroupOut(cut.Recording); err != nil {
			return nil, err
		}
		tasks = append(tasks, task)
	}
	trials, repetitions := r.Pick(80, 20), r.Pick(4, 1)
	var recordings []*eeg.Recording
	for k := range 2 * repetitions {
		rec, err := synth.Rhythms(trials, r.Seed+uint64(k))
		if err != nil {
			return nil, err
		}
		recordings = append(recordings, rec)
	}
	opt := eeg.TrialOptions{Classes: synth.RhythmClasses, Start: 0.5, Stop: 4, SignalOptions: deepBand}
	cut, err := eeg.CutTrials(ctx, recordings, opt)
	if err != nil {
		return nil, err
	}
	opt.SignalOptions = recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 30}}}
	covariances, err := eeg.CutTrials(ctx, recordings, opt)
	if err != nil {
		return nil, err
	}
	task := newDeepTask("imagined movements, generated", cut, covariances, len(synth.RhythmChannels), synth.RhythmRate)
	for k := range repetitions {
		var f evaluate.Fold
		for i, from := range cut.Recording {
			switch from {
			case 2 * k:
				f.Train = append(f.Train, i)
			case 2*k + 1:
				f.Test = append(f.Test, i)
			}
		}
		task.folds = append(task.folds, f)
	}
	return append(tasks, task), nil
}

func newDeepTask(name string, signals, covariances *eeg.Trials, channels int, rate float64) *deepTask {
	rows, cols := signals.Signals.Dims()
	return &deepTask{name: name, channels: channels, rate: rate,
		signals: &dataset.Data{Source: name, Labels: signals.Labels, Classes: signals.Classes, Recipe: signals.Recipe,
			X: dataset.NewTable(rows, cols, signals.Signals.RawMatrix().Data)},
		covariance: &dataset.Data{Source: name, Labels: covariances.Labels, Classes: covariances.Classes,
			Recipe: covariances.Recipe, Stack: covariances.Stacks[0]}}
}
