package serve

import (
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/testkit"
	"rao/method"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

// fit saves a model of three filters or of none.
func fit(t *testing.T, name, data, path string) {
	t.Helper()
	d := testkit.Must(dataset.Open(t.Context(), data, dataset.OpenOptions{RequireLabels: true}))(t)
	how := testkit.Must(method.Lookup(name))(t)
	var set method.Settings
	if name == "pca" {
		set = method.Settings{{Name: "filters", Value: "3"}}
	}
	m, err := how.Fit(t.Context(), method.InMemory{Data: d}, set, nil)
	if err == nil {
		err = m.Save(path)
	}
	testkit.NoError(t, err)
}
