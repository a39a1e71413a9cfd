package model

import (
	"context"
	"fmt"
	"strings"
)

// abilities are the optional operations of a kind of classifier; a missing one is nil. Each returns new values and does
// not change the classifier.
type abilities struct {
	// learn returns the classifier updated with labeled observations that have passed the stages. counts are the
	// numbers of observations of each class from which it has learned so far, or nil if unknown.
	learn func(ctx context.Context, cl Classifier, b Batch, labels, counts []int) (Classifier, error)
	// extend returns the classifier with the classes of e added. The observations of e have not passed the stages of
	// m.
	extend func(ctx context.Context, m *Model, cl Classifier, e Extension) (Classifier, error)
}

// ability sets one ability or another property in the entry of a kind.
type ability func(*kind)

// from sets the package that registers the kind.
func from(pkg string) ability { return func(k *kind) { k.pkg = pkg } }

// within sets the stage around a value of a lower package.
func within[T any](f func(T) Stage) ability {
	return func(k *kind) { k.wrap = func(v any) Stage { return f(v.(T)) } }
}

func learns[T Classifier](f func(context.Context, T, Batch, []int, []int) (Classifier, error)) ability {
	return func(k *kind) {
		k.learn = func(ctx context.Context, cl Classifier, b Batch, labels, counts []int) (Classifier, error) {
			return f(ctx, cl.(T), b, labels, counts)
		}
	}
}

func extends[T Classifier](f func(context.Context, *Model, T, Extension) (Classifier, error)) ability {
	return func(k *kind) {
		k.extend = func(ctx context.Context, m *Model, cl Classifier, e Extension) (Classifier, error) {
			return f(ctx, m, cl.(T), e)
		}
	}
}

// whichCan lists the names of the kinds that have an ability, for an error message.
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
