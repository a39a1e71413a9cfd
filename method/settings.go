package method

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"rao/internal/suggest"
	"rao/model"
)

// Settings are the options of every method in one place. Its fields are what the
// flags of the tool, the grid of a search and the options in a model file set. A
// method reads those that its entry names; DefaultSettings gives the defaults.
type Settings struct {
	// Preprocessing of vectors, and the classifier on the features.
	Scale      string  `opt:"scale" default:"std" help:"scaling of vectors: std (one factor for all values), column (each by its own), none"`
	Center     bool    `opt:"center" default:"true" help:"subtract the mean of the training vectors"`
	Classifier string  `opt:"classifier" default:"qda" help:"classifier on the features: qda, lda, knn, none"`
	Priors     string  `opt:"priors" default:"auto" help:"class priors: empirical (as in the data), uniform, numbers separated by commas, or auto: empirical in discriminants, ama and bayes, uniform in prototypes and the other pair weights of the SQFA family"`
	Shrinkage  string  `opt:"shrinkage" default:"auto" help:"shrinkage of covariances: none, oas, ledoit_wolf, an amount from 0 to 1, or auto: ledoit_wolf in tangent spaces, 0.1 in the filters of lfda, else none"`
	RegParam   float64 `opt:"reg-param" default:"0" help:"regularisation of QDA, from 0 to 1"`
	Neighbours int     `opt:"neighbours" default:"5" help:"neighbours that a nearest-neighbour method looks at"`

	// Linear filters.
	Filters    int     `opt:"filters" default:"0" help:"number of filters; 0 takes one less than classes, at least 2"`
	Noise      string  `opt:"noise" default:"auto" help:"feature noise: a variance in squared units of the scaled data, or auto"`
	Distance   string  `opt:"distance" default:"" help:"dissimilarity between classes; empty takes the method's own (rao distance --list)"`
	Aggregate  string  `opt:"aggregate" default:"mean" help:"how pairs of classes are joined: mean, softmin, bayes"`
	Beta       float64 `opt:"beta" default:"0" help:"sharpness of softmin; 0 takes 3"`
	Init       string  `opt:"init" default:"pca" help:"start of the filters: pca (learners other than the SQFA family take their own), random, or an npy file of dimensions × filters"`
	Starts     int     `opt:"starts" default:"1" help:"random starts, of which the best is kept"`
	Constraint string  `opt:"constraint" default:"sphere" help:"constraint on the filters: sphere, orthogonal, none"`
	Pairwise   int     `opt:"pairwise" default:"0" help:"learn the filters in groups of this size, earlier ones fixed; 0 learns all together"`
	Refine     bool    `opt:"refine" default:"false" help:"polish the filters on the rows by the posterior of the classes"`
	Contrast   string  `opt:"contrast" default:"logcosh" help:"contrast of ica: logcosh, exp, cube"`
	Deflation  bool    `opt:"deflation" default:"false" help:"ica: one component after the other"`
	EM         bool    `opt:"em" default:"false" help:"fa: the EM algorithm in place of L-BFGS"`
	Floor      float64 `opt:"noise-floor" default:"0" help:"fa: smallest noise variance of a column; 0 takes 1e-12"`
	Blend      float64 `opt:"blend" default:"0" help:"spca: share of the plain covariance, from 0 to 1"`
	Reg        float64 `opt:"reg" default:"0" help:"regularisation of wda's transport, as a share of the variance of the leading components; 0 takes 0.1"`
	Components string  `opt:"components" default:"auto" help:"wda, lmnn: leading principal components that the filters lie in: a number, none, or auto (wda 100, lmnn none)"`
	Rows       int     `opt:"rows" default:"0" help:"wda: rows of a class, drawn at random, for a quicker fit; 0 takes all"`
	StartRows  string  `opt:"start-rows" default:"auto" help:"rows of a first fit that the one on all rows starts from: a number, none, or auto (when there are many)"`
	Targets    int     `opt:"targets" default:"0" help:"lmnn: neighbours of its class that a row is drawn to; 0 takes 3"`
	InputSpace bool    `opt:"input-targets" default:"false" help:"lmnn: keep the targets that are nearest before the filters, not among the features"`
	Push       float64 `opt:"push" default:"0" help:"lmnn: weight of the rows pushed away against those drawn near, between 0 and 1; 0 takes 0.5"`
	Impostors  int     `opt:"impostors" default:"0" help:"lmnn: most rows of other classes held against one row; 0 takes 100"`
	Rounds     int     `opt:"rounds" default:"0" help:"lmnn: times that neighbours are looked for; 0 takes 30"`
	Inner      int     `opt:"inner" default:"0" help:"lmnn: iterations between; 0 takes 8"`
	Local      int     `opt:"local" default:"0" help:"lfda: neighbour whose distance is a row's local scale; 0 takes 7"`
	Ridge      float64 `opt:"ridge" default:"0" help:"ridge of gem; 0 takes the method's own"`
	Tol        float64 `opt:"tol" default:"0" help:"tolerance of an iterative fit; 0 takes the method's own"`
	MaxIter    int     `opt:"max-iter" default:"0" help:"limit on iterations; 0 takes the method's own"`
	Folds      int     `opt:"folds" default:"5" help:"folds of a validation inside the training data"`

	// Matrices: geometry, repair, prototypes.
	Metric         string  `opt:"metric" default:"auto" help:"metric of the manifold (rao distance --list), or auto: logeuclid in svm-spd, else riemann"`
	Repair         string  `opt:"repair" default:"none" help:"repair of the matrices, kept in the model: auto, none, or steps joined by + (rao check)"`
	Recenter       bool    `opt:"recenter" default:"false" help:"move each recording to a common mean without labels: the training data by theirs, and later data by their own"`
	Prototypes     int     `opt:"prototypes" default:"1" help:"prototypes a class"`
	Sigma2         string  `opt:"sigma2" default:"auto" help:"dispersion of the prototypes, in squared distance, or auto"`
	Anneal         string  `opt:"anneal" default:"none" help:"how the dispersion changes: none, published, fixed (published with one factor throughout), monotone, learned"`
	Schedule       string  `opt:"schedule" default:"published" help:"how the learning rate changes: published, adaptive"`
	Start          string  `opt:"start" default:"auto" help:"where prototypes begin: means, kmeans, or auto: kmeans when a class has several"`
	Epochs         int     `opt:"epochs" default:"0" help:"passes over the data; 0 takes the method's own"`
	Rate           float64 `opt:"rate" default:"0" help:"learning rate at the start; 0 takes the method's own"`
	Batch          int     `opt:"batch" default:"1" help:"observations a step"`
	Validation     float64 `opt:"validation" default:"0" help:"share of the data held out for early stopping, from 0 to 0.5"`
	Calibration    int     `opt:"calibration" default:"5" help:"folds that fit the temperature of the probabilities; 0 leaves them as they are"`
	RejectError    float64 `opt:"reject-error" default:"0" help:"reject the least certain, so that the rest are wrong in at most this share of held-out decisions; 0 rejects none"`
	RejectCoverage float64 `opt:"reject-coverage" default:"0" help:"reject the least certain, so that this share of held-out decisions is accepted; 0 rejects none"`
	RejectOutliers float64 `opt:"reject-outliers" default:"0" help:"reject what lies farther from every prototype than this quantile of the held-out data, such as 0.99; 0 rejects none"`
	C              float64 `opt:"c" default:"1" help:"inverse strength of the penalty"`
	Order          int     `opt:"order" default:"0" help:"order of the smaller matrices of tssm and gapca; 0 takes two thirds of the matrices' own"`
	MatrixTop      string  `opt:"matrix-classifier" default:"mdm" help:"classifier of gapca's smaller matrices: mdm, fgmdm, tslda, tslr, knn-spd, svm-spd, plrsq, none"`
	Gamma          float64 `opt:"gamma" default:"0" help:"width of the kernel; 0 finds it from the data"`

	Seed int `opt:"seed" default:"1" help:"seed of everything random"`
}

// Setting describes one option.
type Setting struct {
	Name    string
	Default string
	Help    string
	Bool    bool
}

// SettingsList returns the options in the order of their declaration.
func SettingsList() []Setting {
	t := reflect.TypeFor[Settings]()
	out := make([]Setting, t.NumField())
	for i := range out {
		f := t.Field(i)
		out[i] = Setting{f.Tag.Get("opt"), f.Tag.Get("default"), f.Tag.Get("help"), f.Type.Kind() == reflect.Bool}
	}
	return out
}

// DefaultSettings returns the defaults that the help shows.
func DefaultSettings() Settings {
	var s Settings
	for _, o := range SettingsList() {
		if err := s.Set(o.Name, o.Default); err != nil {
			panic("method: bad default: " + err.Error())
		}
	}
	return s
}

// field returns the field of the named option.
func (s *Settings) field(name string) (reflect.Value, error) {
	v := reflect.ValueOf(s).Elem()
	var names []string
	for i := range v.NumField() {
		opt := v.Type().Field(i).Tag.Get("opt")
		if opt == name {
			return v.Field(i), nil
		}
		names = append(names, opt)
	}
	return reflect.Value{}, suggest.Unknown("option", name, names)
}

// Set gives the named option a value. An unknown name or a value of the wrong
// kind is an error that says so.
func (s *Settings) Set(name, value string) error {
	v, err := s.field(name)
	if err != nil {
		return err
	}
	bad := func(want string) error {
		return fmt.Errorf("option %s: %q is not %s", name, value, want)
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(value)
	case reflect.Bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return bad("true or false")
		}
		v.SetBool(b)
	case reflect.Int:
		n, err := strconv.ParseInt(value, 10, strconv.IntSize)
		if err != nil || n < 0 {
			return bad("a whole number, 0 or more")
		}
		v.SetInt(n)
	case reflect.Float64:
		f, err := strconv.ParseFloat(value, 64)
		if err != nil || !(f >= 0) {
			return bad("a number, 0 or more")
		}
		v.SetFloat(f)
	}
	return nil
}

// Get returns the value of the named option as text.
func (s *Settings) Get(name string) (string, error) {
	v, err := s.field(name)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(v.Interface()), nil
}

// Changed returns the options that differ from the defaults, by name: what a model
// file keeps.
func (s Settings) Changed() []model.Option {
	var out []model.Option
	def := DefaultSettings()
	for _, o := range SettingsList() {
		now, _ := s.Get(o.Name)
		if was, _ := def.Get(o.Name); now != was {
			out = append(out, model.Option{Name: o.Name, Value: now})
		}
	}
	slices.SortFunc(out, func(a, b model.Option) int { return strings.Compare(a.Name, b.Name) })
	return out
}
