package suggest_test

import (
	"fmt"
	"strings"
	"testing"

	"rao/internal/suggest"
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
		testkit.EqualSlices(t, suggest.Nearest(c.name, known), c.want, "Nearest", c.name)
	}
}

func TestNearestNamesNoneTwice(t *testing.T) {
	testkit.EqualSlices(t, suggest.Nearest("ldaa", []string{"lda", "qda", "lda"}), []string{"lda", "qda"}, "got")
}

func TestChoiceListsAllWhenNoneIsNear(t *testing.T) {
	text, many := suggest.Choice("zzzzzz", known)
	testkit.Equal(t, text, "choose from "+strings.Join(known, ", "), "got")
	testkit.Equal(t, many, false, "many")
	text, _ = suggest.Choice("zzzzzz", known[:1])
	testkit.Equal(t, text, "did you mean riemann?", "the only name")
	text, _ = suggest.Choice("rieman", known)
	testkit.Equal(t, text, "did you mean riemann?", "got")
}

func TestChoiceListsFewOfManyNames(t *testing.T) {
	var names []string
	for i := range 40 {
		names = append(names, fmt.Sprintf("name%02d", i))
	}
	if text, many := suggest.Choice("something else", names); !many || strings.Count(text, "name") != 3 {
		t.Errorf("got %q, %v", text, many)
	}
}

func TestChoiceWhereThereIsNone(t *testing.T) {
	text, _ := suggest.Choice("person", nil)
	testkit.Equal(t, text, "none is available", "got")
}

// A name that starts with the given text comes before a name at the same distance.
func TestNearestPrefersPrefixes(t *testing.T) {
	testkit.EqualSlices(t, suggest.Nearest("band", []string{"bad", "bands"}), []string{"bands", "bad"}, "got")
}
