package method

import "context"

type rawQDAOptions struct {
	Discriminant
	RegParam float64 `opt:"reg-param" default:"0" min:"0" max:"1" help:"regularization of QDA"`
	Scaling
}

// fitRawQDA fits the quadratic classifier on the preprocessed vectors themselves.
func fitRawQDA(_ context.Context, v *vectors, o *rawQDAOptions) (err error) {
	v.model.Classifier, err = discriminant("qda", v.stats, &o.Discriminant, o.RegParam)
	v.model.Report = closed
	return err
}

type rawLDAOptions struct {
	Discriminant
	Scaling
}

// fitRawLDA fits the linear classifier on the preprocessed vectors themselves.
func fitRawLDA(_ context.Context, v *vectors, o *rawLDAOptions) (err error) {
	v.model.Classifier, err = discriminant("lda", v.stats, &o.Discriminant, 0)
	v.model.Report = closed
	return err
}
