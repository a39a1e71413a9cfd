package spatial

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"rao"
	"rao/internal/classcolumns"
	"rao/internal/faults"
	"rao/internal/optionvalues"
	"rao/internal/text"
	"rao/internal/trainingdata"
	"rao/method"
	"rao/model"
	"rao/spd"
)

// ofTrials is the option for the layout of trial signals.
type ofTrials struct {
	Channels optionvalues.AutoCount `opt:"channel-count" default:"auto" min:"1" max:"1000000" help:"number of channels of a trial, stored one after the other; auto reads it from an array count × channels × samples, and uses 1 for a table"`
}

// onTrials are the options of methods that learn mean responses.
type onTrials struct {
	ofTrials
	Evoked    string `opt:"evoked" default:"all" help:"classes whose mean responses are used, separated by commas, such as target; or all"`
	Estimator string `opt:"estimator" default:"oas" help:"covariance of a trial stacked with the mean responses: sample, oas, ledoit_wolf, schaefer_strimmer, huber, student, tyler, mcd, correlation, rbf, laplacian"`
}

type erpOptions struct {
	SVD        optionvalues.AutoCount `opt:"svd" default:"auto" min:"1" max:"100000" help:"principal components to keep of each mean response; auto keeps all channels"`
	Classifier method.Follower        `opt:"classifier" default:"mdm" help:"matrix method for the covariances, with its options, METHOD[:OPTION=VALUE]..., or none"`
	onTrials
}

type xdawnOptions struct {
	PerClass     optionvalues.AutoCount `opt:"filters-per-class" default:"auto" min:"1" max:"100000" help:"spatial filters that enhance the mean response of each class; auto uses 4, or the number of channels if smaller"`
	KeepChannels bool                   `opt:"keep-channels" default:"false" help:"filter only the mean responses and not the trial, for other sessions or people"`
	Classifier   method.Follower        `opt:"classifier" default:"tslr" help:"matrix method for the covariances, with its options, METHOD[:OPTION=VALUE]..., or none"`
	onTrials
}

// trials returns the data as trial signals.
func (o *ofTrials) trials(f *method.Job) (t Trials, err error) {
	d, m := f.Data, f.Model
	_, n := d.X.Dims()
	channels := int(o.Channels)
	switch {
	case channels == 0 && d.Image[0] > 0 && d.Image[2] <= 1:
		channels = d.Image[0]
	case channels == 0 && d.Image[0] > 0:
		return t, errors.New("the data are color images, but trials (count × channels × samples) are needed")
	case channels == 0:
		channels = 1
		note := "the data do not state the number of channels of a trial, so one channel is assumed; the option " +
			"channel-count changes this"
		m.Notes, m.Warnings = append(m.Notes, note), append(m.Warnings, note)
	}
	if n%channels != 0 {
		return t, faults.Option("trials of %s cannot be divided into %s; set the number of channels",
			text.Plural(n, "value", "values"), text.Plural(channels, "channel", "channels"))
	}
	return Trials{X: d.X.Matrix(), Samples: n / channels}, nil
}

// describe sets the channels, the training statistics and the report of the model.
func describe(f *method.Job, t Trials) error {
	d, mod := f.Data, f.Model
	if names := d.Vars["channels"]; names != nil && len(names.Strings) == t.channels() {
		mod.Input.Channels = names.Strings
	}
	m, err := classcolumns.Estimate(t.X, d.Labels, d.Classes)
	if err != nil {
		return err
	}
	if !(m.GlobalScale() > 0) {
		return faults.Data("all values of the data are equal, so there is nothing to learn; check which variable was " +
			"read")
	}
	mod.Training, mod.Report = trainingdata.OfVectors(m, m), closed
	return nil
}

// learn describes the training, learns a stage that computes covariances, and fits the classifier.
func (o *onTrials) learn(ctx context.Context, f *method.Job, follower method.Follower,
	learn func(t Trials, evoked []string, c spd.CovarianceOptions) (*Evoked, error)) error {
	d, mod := f.Data, f.Model
	t, err := o.trials(f)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	var evoked []string // nil means all classes
	if o.Evoked != "all" {
		evoked = strings.Split(o.Evoked, ",")
	}
	var c spd.CovarianceOptions
	if c.Estimator, err = optionvalues.ParseEstimator(spd.Estimator(o.Estimator)); err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	if err := describe(f, t); err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	e, err := learn(t, evoked, c)
	if unknown := (*rao.UnknownError)(nil); errors.As(err, &unknown) {
		err = rao.Optionf("evoked", "{evoked}: %w", err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	mod.Stages = append(mod.Stages, e)
	if err := f.Follow(ctx, follower); err != nil {
		return fmt.Errorf("%s: %w", d.Source, err)
	}
	if model.StageOf[*model.Adaptation](mod) != nil {
		return rao.Optionf("classifier", "{classifier=%s} adapts to a recording, but single trials are decided one by "+
			"one; choose a classifier without adaptation", follower)
	}
	return nil
}

// fitERP learns the mean responses that are stacked with a trial for its covariance.
func fitERP(ctx context.Context, f *method.Job, o *erpOptions) error {
	return o.learn(ctx, f, o.Classifier, func(t Trials, evoked []string,
		c spd.CovarianceOptions) (*Evoked, error) {
		return FitEvoked(t, f.Data.Labels, f.Data.Classes, evoked, int(o.SVD), c)
	})
}

// fitXdawn also learns filters that enhance the mean responses.
func fitXdawn(ctx context.Context, f *method.Job, o *xdawnOptions) error {
	return o.learn(ctx, f, o.Classifier, func(t Trials, evoked []string,
		c spd.CovarianceOptions) (*Evoked, error) {
		return FitXdawnCovariances(t, f.Data.Labels, f.Data.Classes, evoked, int(o.PerClass), o.KeepChannels, c)
	})
}
