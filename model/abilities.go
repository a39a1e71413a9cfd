package model

import (
	"context"
	"fmt"
	"strings"
)

// abilities are what a kind of classifier can do besides deciding; what it cannot is nil. Each
// returns new values and leaves the classifier as it is.
type abilities struct {
	// learn returns the classifier after labeled observations, as the stages leave them; counts
	// are the observations of each class behind it, nil where they are not known.
	learn func(ctx context.Context, cl Classifier, b Batch, labels, counts []int) (Classifier, error)
	// extend returns the classifier with the classes of e, which come before the stages of m.
	extend func(ctx context.Context, m *Model, cl Classifier, e Extension) (Classifier, error)
}

// ability sets one of them in the entry of a kind.
type ability func(*abilities)

func learns[T Classifier](f func(context.Context, T, Batch, []int, []int) (Classifier, error)) ability {
	return func(a *abilities) {
		a.learn = func(ctx context.Context, cl Classifier, b Batch, labels, counts []int) (Classifier, error) {
			return f(ctx, cl.(T), b, labels, counts)
		}
	}
}

func extends[T Classifier](f func(context.Context, *Model, T, Extension) (Classifier, error)) ability {
	return func(a *abilities) {
		a.extend = func(ctx context.Context, m *Model, cl Classifier, e Extension) (Classifier, error) {
			return f(ctx, m, cl.(T), e)
		}
	}
}

// whichCan returns the names of the kinds that have an ability, for a sentence.
func whichCan(has func(*abilities) bool) string {
	kindsMu.RLock()
	defer kindsMu.RUnlock()
	var names []string
	for _, k := range kinds {
		if has(&k.abilities) {
			names = append(names, k.name)
		}
	}
	last := len(names) - 1
	return fmt.Sprintf("%s and %s", strings.Join(names[:last], ", "), names[last])
}
