package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/dataset"
	"rao/internal/testkit"
)

// Covariances of epochs are those of pyRiemann 0.12 (see eeg/testdata/make_epochs.py), and
// what has a value for each epoch goes along.
func TestCovariancesOfEpochs(t *testing.T) {
	const epochs = "../../eeg/testdata/epochs.npz"
	out := filepath.Join(t.TempDir(), "P.npz")
	for golden, flags := range map[string][]string{
		"oas":      {"--estimator", "oas"},
		"filtered": {"--bands", "8-24", "--order", "4", "--start", "0.1", "--stop", "0.6"},
	} {
		if status, _, said := runTool(t,
			append([]string{"cov", "epochs", "--data", epochs, "--out", out}, flags...)...); status != 0 {
			t.Fatal(said)
		}
		d, err := dataset.Open(context.Background(), out, dataset.OpenOptions{Matrices: true})
		if err != nil {
			t.Fatal(err)
		}
		want, err := d.Vars[golden].ToFloat64()
		if err != nil {
			t.Fatal(err)
		}
		testkit.Close(t, golden, d.Stack.Data, want, 1e-10)
		if !slices.Equal(d.Labels, []int{0, 1, 0, 1, 0, 1}) || !slices.Equal(d.Classes, []string{"left", "right"}) ||
			!slices.Equal(d.Vars["subject"].Int64, []int64{1, 1, 1, 2, 2, 2}) || d.Vars["note"] != nil {
			t.Errorf("%v of %v, subject %v, note %v", d.Labels, d.Classes, d.Vars["subject"], d.Vars["note"])
		}
		if s := d.Recipe.Signal; s.Rate != 100 || !slices.Equal(s.Channels, []string{"C3", "Cz", "C4"}) {
			t.Errorf("%+v", s)
		}
	}
	status, _, said := runTool(t, "cov", "epochs", "--data", epochs, "--where", "subject=2", "--resample", "50",
		"--reject", "14e-6", "--meta", "person=s2,day=1", "--out", out)
	if status != 0 || !strings.Contains(said, "left out: ") {
		t.Fatalf("%d: %s", status, said)
	}
	d, err := dataset.Open(context.Background(), out, dataset.OpenOptions{Matrices: true})
	if err != nil || d.N() == 0 || d.N() > 2 || len(d.Labels) != d.N() || d.Vars["subject"].Len() != d.N() ||
		d.Vars["person"].Text(0) != "s2" || d.Vars["day"].Len() != d.N() ||
		d.Recipe.Signal.Window != 0.8 {
		t.Errorf("%d epochs, %v", d.N(), err)
	}
	for _, c := range []struct {
		want  string
		flags []string
	}{
		{"takes an array count × channels × samples", []string{"--x", "subject"}},
		{"2 names for 3 channels", []string{"--channels", "a,b"}},
		{"reaches", []string{"--stop", "5"}},
		{"want NAME=VALUE", []string{"--meta", "s2"}},
		{"the name y is taken", []string{"--meta", "y=1"}},
		{"have a variable of this name", []string{"--meta", "subject=9"}},
	} {
		if status, _, said := runTool(t,
			append([]string{"cov", "epochs", "--data", epochs, "--out", out}, c.flags...)...); status == 0 ||
			!strings.Contains(said, c.want) {
			t.Errorf("%v: %d %s", c.flags, status, said)
		}
	}
}
