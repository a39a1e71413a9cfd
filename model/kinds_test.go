package model

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao"
	"rao/internal/testkit"
	"rao/spd"
)

// pass is a stage that another package could register.
type pass struct {
	N int `json:"n"`
}

func (p *pass) Out(in Schema) (Schema, error)                   { return in, nil }
func (p *pass) Apply(_ context.Context, b Batch) (Batch, error) { return b, nil }

// Every classifier has Predict, of rows or of matrices.
func TestClassifiersPredict(t *testing.T) {
	for _, cl := range Classifiers() {
		_, rows := cl.(interface {
			Predict(ctx context.Context, x mat.Matrix) ([]int, error)
		})
		_, matrices := cl.(interface {
			Predict(ctx context.Context, x *spd.Stack) ([]int, error)
		})
		if !rows && !matrices {
			t.Errorf("%T has no method Predict", cl)
		}
	}
}

// If a program does not import the package of a part of a model, the error names the package. Text in the file that is
// not an import path is not repeated.
func TestMissingPackagesAreNamed(t *testing.T) {
	before := slices.Clone(kinds)
	t.Cleanup(func() { kinds = before })
	m, _ := vectorModel(t)
	m.Stages = append([]Stage{&pass{1}}, m.Stages...)
	for pkg, says := range map[string]string{
		"":                    `unknown type of model "test-pass"`,
		"example.org/my/pass": `"test-pass", which package example.org/my/pass registers`,
		"a\nb":                `unknown type of model "test-pass"`,
		"no path":             `unknown type of model "test-pass"`,
	} {
		kinds = slices.Clone(before)
		add[pass]("test-pass", from(pkg))
		var file bytes.Buffer
		testkit.NoError(t, m.Write(&file))
		kinds = before
		_, err := Read(bytes.NewReader(file.Bytes()), int64(file.Len()), "m.rao")
		if err == nil || !strings.HasPrefix(err.Error(), "m.rao: ") || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", pkg, err)
		}
		if u := (*rao.UnknownError)(nil); errors.As(err, &u) != strings.HasPrefix(says, "unknown") ||
			u != nil && !strings.HasSuffix(err.Error(), "or a newer one") {
			t.Errorf("%q: %v", pkg, err)
		}
	}
	kinds = slices.Clone(before)
	Register[pass]("test-pass")
	if k, _, _ := kindFor(&pass{}); !strings.HasSuffix(k.pkg, "/model") {
		t.Errorf("package %q", k.pkg)
	}
	if k, _, _ := kindFor(m.Classifier); k.pkg != "" {
		t.Errorf("a kind of the module itself is of package %q", k.pkg)
	}
}

// reversed is a map that puts the channels in the opposite order.
type reversed struct {
	N int `json:"n"`
}

func (r *reversed) Dims() (in, out int) { return r.N, r.N }
func (r *reversed) Validate() error     { return nil }
func (r *reversed) Map(out, x *spd.Stack) error {
	*out = *spd.NewStack(x.Count, x.Dim)
	for k := range x.Count {
		for i, v := range x.At(k) {
			out.At(k)[len(x.At(k))-1-i] = v
		}
	}
	return nil
}

// A map from another package can be saved to a file and loaded again.
func TestMapsOfOtherPackages(t *testing.T) {
	before := slices.Clone(kinds)
	t.Cleanup(func() { kinds = before })
	Register[reversed]("test-reversed")
	m, x := matrixModel(t)
	m.Stages = append(m.Stages, Wrap(&reversed{x.Dim}))
	path := save(t, m)
	again := testkit.Must(Load(path))(t)
	if s := Unwrap(again.Stages[0]).(*reversed); s.N != x.Dim {
		t.Errorf("the map comes back as %v", s)
	}
	testkit.Panics(t, func() { Register[os.File]("test-file") }, "registration of a map that maps nothing")
	testkit.Panics(t, func() { Register[untagged]("test-untagged") }, "registration of a field without a name")
}

// untagged has a field without a json tag, so it could not be saved.
type untagged struct {
	pass
	Dim int
}
