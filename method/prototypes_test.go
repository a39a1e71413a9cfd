package method

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/testkit"
	"rao/lvq"
)

// Certain probabilities are labels; uncertain ones make an uncertain classifier.
func TestSoftLabels(t *testing.T) {
	d := toyMatrices(t)
	probabilities := func(own float64) string {
		p := mat.NewDense(d.N(), 4, nil)
		for i, y := range d.Labels {
			for c := range 4 {
				p.Set(i, c, (1-own)/3)
			}
			p.Set(i, y, own)
		}
		return writeFilters(t, p)
	}
	plain := testkit.Must(fitWith(t, "plrsq"))(t)
	certain := testkit.Must(fitWith(t, "plrsq", "soft-labels="+probabilities(1)))(t)
	doubtful := testkit.Must(fitWith(t, "plrsq", "soft-labels="+probabilities(0.7)))(t)
	prototypes := func(c any) *mat.Dense {
		s := c.(*lvq.PLRSQ).Prototypes
		return mat.NewDense(s.Count, s.Dim*s.Dim, s.Contiguous())
	}
	if !mat.EqualApprox(prototypes(plain.Classifier), prototypes(certain.Classifier), 1e-12) {
		t.Error("certain probabilities give other prototypes than labels")
	}
	sure := func(c any) float64 {
		var logp mat.Dense
		testkit.NoError(t, c.(*lvq.PLRSQ).LogPosterior(t.Context(), &logp, d.Stack))
		sum := 0.0
		for i, y := range d.Labels {
			sum += logp.At(i, y) / float64(d.N())
		}
		return sum
	}
	if a, b := sure(certain.Classifier), sure(doubtful.Classifier); !(b < a-0.1) {
		t.Errorf("mean log-probability of the label %.3f where labels are certain, %.3f where they are 0.7", a, b)
	}
	_, err := fitWith(t, "plrsq", "soft-labels="+writeFilters(t, mat.NewDense(d.N(), 3, nil)))
	testkit.ErrorContains(t, err, "one column for each of the 4 classes", "probabilities of three classes")
	_, err = fitWith(t, "plrsq", "soft-labels="+probabilities(1.2))
	testkit.ErrorContains(t, err, "must be between 0 and 1", "probabilities above one")
}

// A note reports that held-out folds prevented the training.
func TestPrototypesThatStaySaySo(t *testing.T) {
	d := toyMatrices(t)
	rand.New(rand.NewPCG(3, 3)).Shuffle(len(d.Labels), func(i, j int) {
		d.Labels[i], d.Labels[j] = d.Labels[j], d.Labels[i]
	})
	for epochs, want := range map[string]bool{"auto": true, "2": false} {
		mod := fitTo(t, "plrsq", InMemory{Data: d}, "epochs="+epochs)
		testkit.Equal(t, strings.Contains(strings.Join(mod.Notes, "\n"), "the prototypes were not trained"), want,
			fmt.Sprintf("epochs %s: notes %q", epochs, mod.Notes))
	}
}
