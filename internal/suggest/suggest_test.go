package suggest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rao/internal/testkit"
)

var known = []string{"riemann", "logeuclid", "euclid", "wasserstein", "kullback_sym", "logdet", "harmonic"}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name string
		want []string
	}{
		{"rieman", []string{"riemann"}},
		{"Riemann", []string{"riemann"}},
		{"reimann", []string{"riemann"}},
		{"eucild", []string{"euclid", "logeuclid"}},
		{"kullback", []string{"kullback_sym"}},
		{"zzzzzz", []string{}},
		{"", []string{}},
	} {
		testkit.EqualSlices(t, Nearest(c.name, known), c.want, "Nearest", c.name)
	}
}

func TestNearestNamesNoneTwice(t *testing.T) {
	testkit.EqualSlices(t, Nearest("ldaa", []string{"lda", "qda", "lda"}), []string{"lda", "qda"}, "got")
}

func TestUnknownListsAllWhenNoneIsNear(t *testing.T) {
	err := Unknown("metric", "zzzzzz", known)
	for _, k := range known {
		testkit.Contains(t, err.Error(), k, err, "does not list")
	}
	testkit.Equal(t, Unknown("metric", "rieman", known).Error(), `unknown metric "rieman"; did you mean riemann?`,
		"got")
}

func TestUnknownListsFewOfManyNames(t *testing.T) {
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf("name%02d", i))
	}
	err := Unknown("method", "something else", many)
	var e *UnknownError
	if !errors.As(err, &e) || !e.Many || strings.Count(err.Error(), "name") != 3 {
		t.Errorf("got %v", err)
	}
}

func TestUnknownNameWhereThereIsNone(t *testing.T) {
	if err := Unknown("variable", "person", nil); err.Error() != `unknown variable "person"; none is available` {
		t.Error(err)
	}
}

// A name that starts with the given text comes before a name at the same distance.
func TestNearestPrefersPrefixes(t *testing.T) {
	testkit.EqualSlices(t, Nearest("band", []string{"bad", "bands"}), []string{"bands", "bad"}, "got")
}
