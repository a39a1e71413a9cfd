package experiment

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"rao/dataset"
	"rao/gaussian"
	"rao/internal/sets"
	"rao/method"
)

const beyondEmbeddingsProtocol = "The data are docstrings of installed Python packages, embedded by the sentence " +
	"model all-MiniLM-L6-v2 as vectors of 384 values with unit norm. A class is a folder of modules. Training and " +
	"test docstrings are from different files. All classifiers learn from class statistics alone. Nothing is chosen " +
	"on the test files. A short run has the nearest mean and principal components."

var beyondEmbeddingsNotes = []string{
	"Shrinkage is 0.1, 0.4 or 0.8, chosen by the accuracy on the docstrings of a quarter of the training files. All " +
		"other settings are defaults.",
	"The page docs/measurements/embeddings.md adds logistic regression and transformed columns. We knew all these " +
		"accuracies before we set the target.",
}

// embeddingsFolder returns the folder of train.npz and test.npz in the cache folder.
func embeddingsFolder() string {
	dir, err := sets.CacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "embeddings")
}

// embeddingsLacks returns the command that creates the missing files, or "" if no file is missing.
func embeddingsLacks() string {
	for _, name := range []string{"train.npz", "test.npz"} {
		if _, err := os.Stat(filepath.Join(embeddingsFolder(), name)); err != nil {
			return fmt.Sprintf("python internal/paper/bench/embeddings.py --out %s "+
				"PACKAGE_FOLDER...", embeddingsFolder())
		}
	}
	return ""
}

// embeddingMethods are the rows of the table. Each has a method with its settings, the numbers that it needs for a
// class with n columns, and the amounts of shrinkage to choose from.
var embeddingMethods = []struct {
	label, method string
	settings      method.Settings
	numbers       func(n int) string
	diagonal      bool
	amounts       []string
	quick         bool // part of a short run
}{
	{"nearest mean", "lda-raw", method.Settings{{Name: "priors", Value: "uniform"}}, means, false, []string{"1"}, true},
	{"naive Bayes", "qda-raw", nil, variances, true, amounts, false},
	{"LDA on all columns", "lda-raw", nil, func(n int) string { return means(n) + ", and one covariance" }, false,
		amounts, false},
	{"QDA on all columns", "qda-raw", nil, squares, false, amounts, false},
	{"PCA, 32 filters, QDA", "pca", filters("32"), squares, false, amounts, true},
	{"LDA, 32 filters, QDA", "lda", filters("32"), squares, false, amounts, false},
	{"SQFA, 32 filters, QDA", "sqfa", filters("32"), squares, false, amounts, false},
	{"PCA, 96 filters, QDA", "pca", filters("96"), squares, false, amounts, true},
	{"LDA, 96 filters, QDA", "lda", filters("96"), squares, false, amounts, false},
}

var amounts = []string{"0.1", "0.4", "0.8"}

func filters(n string) method.Settings { return method.Settings{{Name: "filters", Value: n}} }
func means(n int) string               { return fmt.Sprint(1 + n) }
func variances(n int) string           { return fmt.Sprint(1 + 2*n) }
func squares(n int) string             { return fmt.Sprint(1 + n + n*(n+1)/2) }

// embeddings contains the parts of the data, and the statistics of the parts that are used for learning.
type embeddings struct {
	fit, dev, train, test *dataset.Data
	ofFit, ofTrain        *gaussian.Statistics
}

// openEmbeddings reads the files and holds out a quarter of the training files. Classes that would keep fewer than
// eight docstrings are not divided.
func openEmbeddings(ctx context.Context) (*embeddings, error) {
	e := new(embeddings)
	var err error
	for name, dst := range map[string]**dataset.Data{"train": &e.train, "test": &e.test} {
		path := filepath.Join(embeddingsFolder(), name+".npz")
		if *dst, err = dataset.Open(ctx, path, dataset.OpenOptions{RequireLabels: true}); err != nil {
			return nil, err
		}
	}
	files := e.train.Vars["files"]
	if files == nil || files.Len() != e.train.N() {
		return nil, fmt.Errorf("%s contains no array \"files\" that names the file of every docstring; make "+
			"the data again", e.train.Source)
	}
	held, kept := make([]bool, e.train.N()), make([]int, len(e.train.Classes))
	for i, l := range e.train.Labels {
		if held[i] = sha256.Sum256([]byte("dev" + files.Text(i)))[0] < 64; !held[i] {
			kept[l]++
		}
	}
	var fit, dev []int
	for i, l := range e.train.Labels {
		if held[i] && kept[l] >= 8 {
			dev = append(dev, i)
		} else {
			fit = append(fit, i)
		}
	}
	e.fit, e.dev = e.train.Subset(fit), e.train.Subset(dev)
	if e.ofFit, err = gaussian.Estimate(e.fit.X, e.fit.Labels, e.fit.Classes); err != nil {
		return nil, err
	}
	e.ofTrain, err = gaussian.Estimate(e.train.X, e.train.Labels, e.train.Classes)
	return e, err
}

// diagonalOf returns statistics in which the covariances contain only the variances.
func diagonalOf(s *gaussian.Statistics) *gaussian.Statistics {
	out := gaussian.New(s.Classes, s.Dim)
	copy(out.Counts, s.Counts)
	copy(out.Means, s.Means)
	for i := range s.NumClasses() {
		from, to := s.Covariance(i), out.Covariance(i)
		for j := range s.Dim {
			to.SetSym(j, j, from.At(j, j))
		}
	}
	return out
}

// learned returns the accuracy on d of a method fitted to statistics.
func (r *Run) learned(ctx context.Context, name string, set method.Settings, s *gaussian.Statistics,
	d *dataset.Data) (float64, error) {
	fit, _, err := r.fitNamed(ctx, name, method.Statistics{Stats: s}, set)
	if err != nil {
		return 0, err
	}
	score, err := method.Score(ctx, fit, d)
	if err != nil {
		return 0, err
	}
	return score.Accuracy, nil
}

// beyondEmbeddings compares classifiers of many classes that learn from statistics.
func beyondEmbeddings(ctx context.Context, r *Run) error {
	e, err := openEmbeddings(ctx)
	if err != nil {
		return err
	}
	t := r.Table("embeddings", fmt.Sprintf("Accuracy in percent on %d docstrings of other files, with %d classes and "+
		"%d docstrings for training", e.test.N(), len(e.train.Classes), e.train.N()),
		"classifier", "numbers per class", "accuracy", "shrinkage chosen", "settings tried")
	scores := map[string]float64{}
	for k, m := range embeddingMethods {
		if r.Short && !m.quick {
			continue
		}
		ofFit, ofTrain := e.ofFit, e.ofTrain
		if m.diagonal {
			ofFit, ofTrain = diagonalOf(ofFit), diagonalOf(ofTrain)
		}
		settings := func(amount string) method.Settings {
			return append(method.Settings{{Name: "shrinkage", Value: amount}}, m.settings...)
		}
		chosen, best := m.amounts[0], -1.0
		for _, amount := range m.amounts {
			if len(m.amounts) == 1 {
				break
			}
			v, err := r.learned(ctx, m.method, settings(amount), ofFit, e.dev)
			if err != nil {
				return fmt.Errorf("%s: %w", m.label, err)
			}
			if v > best {
				chosen, best = amount, v
			}
		}
		score, err := r.learned(ctx, m.method, settings(chosen), ofTrain, e.test)
		if err != nil {
			return fmt.Errorf("%s: %w", m.label, err)
		}
		scores[m.label] = score
		t.Add(m.label, m.numbers(e.ofTrain.Dim), fmt.Sprintf("%.1f", 100*score), chosen, len(m.amounts))
		r.progress("classifiers", k+1, len(embeddingMethods))
	}
	if r.Short {
		return nil
	}
	sqfa, lda := scores["SQFA, 32 filters, QDA"], scores["LDA, 32 filters, QDA"]
	r.Claim("QDA is at least as accurate with 32 filters of SQFA as with 32 discriminants of LDA", sqfa >= lda,
		"%.1f and %.1f %%",
		100*sqfa, 100*lda)
	return nil
}

func readEmbeddings(r *Run) {
	t := r.table("embeddings")
	tests, ok := leadingNumber(strings.TrimPrefix(t.Caption, "Accuracy in percent on "))
	if !ok {
		return
	}
	t.say("brackets show Wilson's 95 %% interval")
	t.change(func(_ []string, cell string) string { return withWilson(cell, 100, int(tests)) }, 2)
}
