package classifiers_test

import (
	"context"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/classify"
	"rao/cluster"
	"rao/evaluate"
	"rao/internal/classifiers"
	"rao/internal/descriptors"
	"rao/internal/format/idx"
	"rao/internal/format/ndarray"
	"rao/internal/testkit"
	"rao/spd"
)

// pixelRows presents an IDX array of images as a matrix with one image per row.
type pixelRows struct {
	a    *ndarray.Array
	cols int
}

func (m pixelRows) Dims() (int, int)    { return m.a.Len() / m.cols, m.cols }
func (m pixelRows) At(i, j int) float64 { return m.a.Value(i*m.cols + j) }
func (m pixelRows) T() mat.Matrix       { return mat.Transpose{Matrix: m} }

// classifier is what the classifiers share.
type classifier interface {
	LogPosterior(ctx context.Context, dst *mat.Dense, x *spd.Stack) error
}

// On ETH-80 with 5×5 descriptors, 21 of the 41 images of each object for training, and 8 categories, pyRiemann's
// accuracies are 60.5 % with MDM, 73.1 % with TangentSpace + LDA, and 87.1 % with 5-NN. The test logs the other methods
// next to these.
func TestETH80AgreesWithPyRiemann(t *testing.T) {
	testkit.SkipShort(t, "computes 3280 descriptors")
	dir := testkit.External(t, "data", "eth80")
	read := func(name string) *ndarray.Array {
		return testkit.Must(idx.ReadFile(filepath.Join(dir, name)))(t)
	}
	pixels, category, object := read("images-gray128-idx3-ubyte.gz"), read("category-idx1-ubyte.gz"),
		read("object-idx1-ubyte.gz")
	ctx := context.Background()
	shape := descriptors.Shape{Rows: 128, Cols: 128, Channels: 1}
	all := testkit.Must(descriptors.Describe(ctx, pixelRows{pixels, 128 * 128}, shape, descriptors.Options{}))(t)
	names := []string{"apple", "car", "cow", "cup", "dog", "horse", "pear", "tomato"}
	type method struct {
		name string
		want float64 // 0: no reference
		fit  func(x *spd.Stack, y []int) (classifier, error)
	}
	methods := []method{
		{"MDM", 0.605, func(x *spd.Stack, y []int) (classifier, error) {
			return classify.FitMDM(ctx, x, y, names, classify.MDMOptions{})
		}},
		{"TSLDA", 0.731, func(x *spd.Stack, y []int) (classifier, error) {
			return classifiers.FitTangentLDA(ctx, x, y, names, classifiers.TangentLDAOptions{})
		}},
		{"5-NN", 0.871, func(x *spd.Stack, y []int) (classifier, error) {
			return classifiers.FitMatrixKNN(context.Background(), x, y, names, classifiers.MatrixKNNOptions{})
		}},
		{"TSLR", 0, func(x *spd.Stack, y []int) (classifier, error) {
			return classifiers.FitTangentLogistic(ctx, x, y, names, classifiers.TangentLogisticOptions{})
		}},
		{"SVM", 0, func(x *spd.Stack, y []int) (classifier, error) {
			return classifiers.FitMatrixSVM(ctx, x, y, names, classifiers.MatrixSVMOptions{})
		}},
	}
	const splits = 2
	got := make([]float64, len(methods))
	var kmeans, kernel float64
	for split := range splits {
		train, test, y, truth := splitObjects(all, category, object, uint64(split))
		for i, m := range methods {
			f := testkit.Must(m.fit(train, y))(t, m.name)
			var lp mat.Dense
			testkit.NoError(t, f.LogPosterior(ctx, &lp, test))
			got[i] += evaluate.Accuracy(truth, evaluate.MostProbable(&lp)) / splits
		}
		if split == 0 {
			k := testkit.Must(cluster.FitKMeans(ctx, train, 8, cluster.KMeansOptions{Starts: 3}))(t)
			kk := testkit.Must(cluster.FitKernelKMeans(ctx, train, 8, cluster.KernelKMeansOptions{Starts: 3}))(t)
			kmeans, _ = cluster.Accuracy(k.Assignments, y)
			kernel, _ = cluster.Accuracy(kk.Assignments, y)
		}
	}
	for i, m := range methods {
		t.Logf("%-6s %.3f", m.name, got[i])
		if m.want > 0 && math.Abs(got[i]-m.want) > 0.03 {
			t.Errorf("%s: accuracy %.3f, want %.3f within 0.03", m.name, got[i], m.want)
		}
	}
	t.Logf("k-means %.3f, kernel k-means %.3f", kmeans, kernel)
	if kmeans < 0.2 || kernel < 0.2 {
		t.Error("clusters are no better than chance")
	}
}

// splitObjects draws 21 of the 41 images of each object for training.
func splitObjects(x *spd.Stack, category, object *ndarray.Array, seed uint64) (train, test *spd.Stack, y, truth []int) {
	rng := rand.New(rand.NewPCG(seed, 80))
	groups := make([][]int, 80)
	for i := range x.Count {
		g := int(category.Value(i))*10 + int(object.Value(i))
		groups[g] = append(groups[g], i)
	}
	var a, b []int
	for g, own := range groups {
		rng.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		for i, k := range own {
			if i < 21 {
				a, y = append(a, k), append(y, g/10)
			} else {
				b, truth = append(b, k), append(truth, g/10)
			}
		}
	}
	return x.Select(a), x.Select(b), y, truth
}
