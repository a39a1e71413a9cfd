package model

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"rao/lvq"
	"rao/spd"
)

// Classifier is a fitted classifier. Every classifier also implements [VectorClassifier] or [MatrixClassifier].
type Classifier interface {
	// Dims returns the length of the vectors, or the order of the matrices, that the classifier accepts, and the number
	// of classes.
	Dims() (in, classes int)
	// Validate returns an error if the fields are invalid. The first call, after a file is read, may also derive data
	// for predictions from the fields. Later calls only read, so other goroutines may predict at the same time.
	Validate() error
}

// VectorClassifier is a fitted classifier of row vectors.
type VectorClassifier interface {
	Classifier
	// LogPosterior stores log P(class | row), N×c, in dst. An empty dst is resized. If ctx is canceled, it returns the
	// error of ctx.
	LogPosterior(ctx context.Context, dst *mat.Dense, x mat.Matrix) error
}

// MatrixClassifier is a fitted classifier of SPD matrices.
type MatrixClassifier interface {
	Classifier
	// LogPosterior stores log P(class | matrix), N×c, in dst. An empty dst is resized. If ctx is canceled, it returns
	// the error of ctx.
	LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error
}

// decider is a classifier with its own thresholds.
type decider interface {
	Decide(ctx context.Context, dst []lvq.Decision, logPosterior *mat.Dense, x *spd.Stack) error
}

// inside is a classifier of matrices that uses vectors internally.
type inside interface {
	Features(dst *mat.Dense, x *spd.Stack) error
}

// looksInside reports whether a classifier has internal features.
func looksInside(cl Classifier) bool { _, ok := cl.(inside); return ok }

// featuresInside returns the internal features of matrices for a classifier that has internal features.
func featuresInside(cl Classifier, x *spd.Stack) (Batch, error) {
	var v mat.Dense
	err := cl.(inside).Features(&v, x)
	return Vectors(&v), err
}

// kindOf returns the kind of observations that a classifier accepts, or "" if it implements neither interface. A
// type that is both would be a classifier of vectors, here and in logPosterior.
func kindOf(cl Classifier) Kind {
	switch cl.(type) {
	case VectorClassifier:
		return KindVectors
	case MatrixClassifier:
		return KindMatrices
	}
	return ""
}

func logPosterior(ctx context.Context, dst *mat.Dense, cl Classifier, b Batch) error {
	switch cl := cl.(type) {
	case VectorClassifier:
		return cl.LogPosterior(ctx, dst, b.X)
	case MatrixClassifier:
		return cl.LogPosterior(ctx, dst, b.Stack)
	}
	return fmt.Errorf("a %T is not a classifier of vectors or matrices", cl)
}

// validateClassifier checks a classifier, and that it accepts the output of the stages.
func validateClassifier(cl Classifier, in Schema, classes int) error {
	if err := cl.Validate(); err != nil {
		return err
	}
	kind := kindOf(cl)
	dim, own := cl.Dims()
	switch {
	case kind == "":
		return fmt.Errorf("type %T implements neither VectorClassifier nor MatrixClassifier; add a method LogPosterior",
			cl)
	case kind != in.Kind:
		return fmt.Errorf("it needs %s, but its input is %s", kind, in.Kind)
	case dim != in.Dim:
		return fmt.Errorf("it needs %d dimensions, but its input has %d", dim, in.Dim)
	case own != classes:
		return fmt.Errorf("it has %d classes, but the model names %d", own, classes)
	}
	return nil
}
