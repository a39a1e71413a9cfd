package method

import (
	"context"

	"rao/internal/classifiers"
	"rao/internal/classifiers/common"
	"rao/model"
	"rao/spd"
)

type tangentOptions struct {
	Metric     tangentMetricOption `opt:"metric" default:"riemann" help:"metric of the tangent space"`
	Classifier Follower            `opt:"classifier" default:"lda-raw:scale=none:shrinkage=ledoit_wolf" help:"vector method for the tangent vectors, with its options, METHOD[:OPTION=VALUE]..., or none"`
	iteratedMean
	OnManifold
}

// fitTangent maps the matrices to tangent vectors and fits the chosen classifier to them.
func fitTangent(ctx context.Context, m *matrices, o *tangentOptions) error {
	t, unsettled := classifiers.FitTangentSpace(ctx, m.x, spd.Metric(o.Metric), o.iteratedMean.options(m.Job))
	if t == nil {
		return unsettled
	}
	m.Model.Stages = append(m.Model.Stages, model.Wrap(t))
	return joined(unsettled, m.Follow(ctx, o.Classifier))
}

type tsldaOptions struct {
	Metric tangentMetricOption `opt:"metric" default:"riemann" help:"metric of the tangent space"`
	tangentDiscriminant
	iteratedMean
	OnManifold
}

func fitTangentLDA(ctx context.Context, m *matrices, o *tsldaOptions) error {
	return m.tangentLDA(ctx, &o.tangentDiscriminant, classifiers.TangentLDAOptions{Metric: spd.Metric(o.Metric),
		Mean: o.iteratedMean.options(m.Job)})
}

func (m *matrices) tangentLDA(ctx context.Context, o *tangentDiscriminant,
	opt classifiers.TangentLDAOptions) error {
	priors, err := m.priors(&o.Priors)
	if err != nil {
		return err
	}
	opt.Shrinkage, opt.Priors = o.Shrinkage.ShrinkRule, priors
	cl, err := classifiers.FitTangentLDA(ctx, m.x, m.labels(), m.classes(), opt)
	if cl != nil {
		m.Model.Classifier = cl
	}
	return err
}

type tslrOptions struct {
	Metric tangentMetricOption `opt:"metric" default:"riemann" help:"metric of the tangent space"`
	common.LogisticFit
	iteratedMean
	OnManifold
}

func fitTangentLogistic(ctx context.Context, m *matrices, o *tslrOptions) error {
	opt := classifiers.TangentLogisticOptions{Metric: spd.Metric(o.Metric), LogisticFit: o.LogisticFit,
		Mean: o.iteratedMean.options(m.Job)}
	opt.Progress = m.Progress
	cl, err := classifiers.FitTangentLogistic(ctx, m.x, m.labels(), m.classes(), opt)
	if cl != nil {
		m.Model.Classifier, m.Model.Report = cl, cl.Report
	}
	return err
}

type machines struct {
	C     float64 `opt:"c" with:"classifier=tssvm" default:"1" above:"0" help:"largest weight of a training observation in the support vector machine"`
	Folds int     `opt:"calibration" with:"classifier=tssvm" default:"5" min:"2" max:"10000" help:"number of folds that calibrate the probabilities of support vector machines"`
	seedOption
}

func (o *machines) of(j *Job) classifiers.MachineOptions {
	return classifiers.MachineOptions{C: o.C, Folds: o.Folds, Seed: o.Seed, Progress: j.Progress}
}

// iteratedMachines are the options of a method that iterates only in its support vector machines.
type iteratedMachines struct {
	Tol     float64 `opt:"tol" default:"1e-3" above:"0" help:"stop when the optimality conditions are violated by less than this"`
	MaxIter int     `opt:"max-iter" default:"100000" min:"1" max:"1000000000" help:"maximum number of steps for each pair of classes"`
	machines
}

func (o *iteratedMachines) of(j *Job) classifiers.MachineOptions {
	opt := o.machines.of(j)
	opt.Tol, opt.MaxIter = o.Tol, o.MaxIter
	return opt
}

type tssvmOptions struct {
	Metric tangentMetricOption `opt:"metric" default:"riemann" help:"metric of the tangent space"`
	iteratedMachines
	iteratedMean
	OnManifold
}

func fitTangentSVM(ctx context.Context, m *matrices, o *tssvmOptions) error {
	return m.tangentSVM(ctx, classifiers.TangentSVMOptions{Metric: spd.Metric(o.Metric),
		SVM: o.iteratedMachines.of(m.Job), Mean: o.iteratedMean.options(m.Job)})
}

func (m *matrices) tangentSVM(ctx context.Context, opt classifiers.TangentSVMOptions) error {
	cl, err := classifiers.FitTangentSVM(ctx, m.x, m.labels(), m.classes(), opt)
	if cl != nil {
		m.Model.Classifier, m.Model.Report = cl, cl.Report
	}
	return err
}

// inSubmanifold are the options of a classifier in the tangent space of a submanifold.
type inSubmanifold struct {
	Order      autoCount `opt:"reduced-order" default:"auto" min:"1" max:"100000" help:"order of the smaller matrices; auto uses two thirds of the original order"`
	Classifier Follower  `opt:"classifier" default:"tslda" help:"classifier of the smaller matrices: tslda, tssvm, or any matrix method with its options, METHOD[:OPTION=VALUE]..., or none"`
	tangentDiscriminant
	machines
	iteratedMean
}

type tssmOptions struct {
	Tol     float64 `opt:"tol" default:"1e-6" above:"0" help:"stop the joint diagonalization when its rotations are smaller than this"`
	MaxIter int     `opt:"max-iter" default:"2000" min:"1" max:"100000000" help:"maximum number of sweeps of the joint diagonalization"`
	inSubmanifold
	OnManifold
}

func fitTSSM(ctx context.Context, m *matrices, o *tssmOptions) error {
	return m.submanifold(ctx, classifiers.FitSubmanifold, &o.inSubmanifold, o.Tol, o.MaxIter)
}

type fisherTSSMOptions struct {
	Tol     float64 `opt:"tol" default:"1e-4" above:"0" help:"stop the search for the submanifold when the gradient has a smaller norm than this"`
	MaxIter int     `opt:"max-iter" default:"200" min:"1" max:"100000000" help:"maximum number of iterations"`
	inSubmanifold
	OnManifold
}

func fitFisherTSSM(ctx context.Context, m *matrices, o *fisherTSSMOptions) error {
	return m.submanifold(ctx, classifiers.FitFisherSubmanifold, &o.inSubmanifold, o.Tol, o.MaxIter)
}

// submanifold finds a submanifold with fit, maps the matrices to it and fits the chosen classifier.
func (m *matrices) submanifold(ctx context.Context, fit func(context.Context, *spd.Stack, []int, []string,
	classifiers.SubmanifoldOptions) (*classifiers.Reduction, error),
	o *inSubmanifold, tol float64, limit int) error {
	r, unsettled := fit(ctx, m.x, m.labels(), m.classes(), classifiers.SubmanifoldOptions{Order: int(o.Order),
		Mean: o.iteratedMean.options(m.Job), MaxIter: limit, Tol: tol, Progress: m.Progress})
	if r == nil {
		return unsettled
	}
	if err := m.mapBy(ctx, r); err != nil {
		return err
	}
	err := classifyMapped(ctx, m, o.Classifier, submanifoldClassifiers, o, unsettled)
	m.Model.Report = r.Report
	return err
}

var submanifoldClassifiers = ownClassifiers[inSubmanifold]{
	"tslda": (*matrices).submanifoldLDA,
	"tssvm": (*matrices).submanifoldSVM,
}

func (m *matrices) submanifoldLDA(ctx context.Context, o *inSubmanifold) error {
	return m.tangentLDA(ctx, &o.tangentDiscriminant, classifiers.TangentLDAOptions{Mean: o.iteratedMean.options(m.Job),
		Isotropic: true}) // the submanifold has no distinguished basis
}

func (m *matrices) submanifoldSVM(ctx context.Context, o *inSubmanifold) error {
	return m.tangentSVM(ctx, classifiers.TangentSVMOptions{SVM: o.machines.of(m.Job),
		Mean: o.iteratedMean.options(m.Job)})
}
