package experiment

import (
	"context"
	"fmt"
	"testing"

	"rao/internal/testkit"
)

// With all rows and all components, a method reaches the same accuracy as in the columns. With as many components as
// filters, the filters of every method span the components.
func TestReducedToComponents(t *testing.T) {
	ctx, r, task := context.Background(), &Run{Seed: 1, result: &Result{}}, taskOf("digits")
	l := testkit.Must(task.open(ctx, r))(t)
	all := testkit.Must(task.planeOf(l))(t)
	accuracy := map[string]float64{}
	for _, c := range task.paperMethods() {
		if c.method != "sqfa" && c.method != "pca" {
			continue
		}
		o := testkit.Must(task.run(ctx, r, l, c))(t)
		accuracy[c.method] = o.accuracy()
		for _, components := range []int{9, 100} {
			from := testkit.Must(r.reduced(ctx, l, components))(t)
			o = testkit.Must(task.runReduced(ctx, r, all, from, c))(t)
			accuracy[fmt.Sprint(c.method, components)] = o.accuracy()
		}
	}
	for got, want := range map[string]string{"sqfa100": "sqfa", "pca100": "pca", "pca9": "pca", "sqfa9": "pca"} {
		testkit.Near(t, accuracy[got], accuracy[want], 0.002, "accuracy of", got, "and", want)
	}
	if accuracy["sqfa"] < accuracy["pca"]+0.0025 {
		t.Errorf("the methods do not differ: %v", accuracy)
	}
}

// The footnotes' experiments run on the data of their figures in a short form, and a short run tests no claim.
func TestFootnotesRun(t *testing.T) {
	for _, id := range []string{"sqfa-footnote-4", "plrsq-footnote-3"} {
		e := testkit.Must(Lookup(id))(t)
		if len(e.Missing()) > 0 || testing.Short() {
			t.Skip("needs the data of the figures and time")
		}
		res := testkit.Must(e.Run(context.Background(), Run{Short: true, Seed: 1}))(t)
		if len(res.Claims) != 1 || res.Claims[0].Verdict() != "not tested" {
			t.Errorf("%s: %+v", id, res.Claims)
		}
	}
}
