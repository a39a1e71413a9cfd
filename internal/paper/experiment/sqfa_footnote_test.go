package experiment

import (
	"context"
	"fmt"
	"math"
	"testing"
)

// With all rows and all components a method finds what it finds in the columns; as many components as filters leave
// every method the span of the components.
func TestReducedToComponents(t *testing.T) {
	ctx, r, task := context.Background(), &Run{Seed: 1, result: &Result{}}, taskOf("digits")
	l, err := task.open(ctx, r)
	if err != nil {
		t.Fatal(err)
	}
	all, err := task.planeOf(l)
	if err != nil {
		t.Fatal(err)
	}
	accuracy := map[string]float64{}
	for _, c := range task.paperMethods() {
		if c.method != "sqfa" && c.method != "pca" {
			continue
		}
		o, err := task.run(ctx, r, l, c)
		if err != nil {
			t.Fatal(err)
		}
		accuracy[c.method] = o.accuracy()
		for _, components := range []int{9, 100} {
			from, err := r.reduced(ctx, l, components)
			if err != nil {
				t.Fatal(err)
			}
			if o, err = task.runReduced(ctx, r, all, from, c); err != nil {
				t.Fatal(err)
			}
			accuracy[fmt.Sprint(c.method, components)] = o.accuracy()
		}
	}
	for got, want := range map[string]string{"sqfa100": "sqfa", "pca100": "pca", "pca9": "pca", "sqfa9": "pca"} {
		if math.Abs(accuracy[got]-accuracy[want]) > 0.002 {
			t.Errorf("%s has accuracy %v, %s %v", got, accuracy[got], want, accuracy[want])
		}
	}
	if accuracy["sqfa"] < accuracy["pca"]+0.0025 {
		t.Errorf("the methods do not differ: %v", accuracy)
	}
}

// The footnotes' experiments run on the data of their figures in a short form, and a short run tests no claim.
func TestFootnotesRun(t *testing.T) {
	for _, id := range []string{"sqfa-footnote-4", "plrsq-footnote-3"} {
		e, err := Lookup(id)
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Missing()) > 0 || testing.Short() {
			t.Skip("needs the data of the figures and time")
		}
		res, err := e.Run(context.Background(), Run{Short: true, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Claims) != 1 || res.Claims[0].Verdict() != "not tested" {
			t.Errorf("%s: %+v", id, res.Claims)
		}
	}
}
