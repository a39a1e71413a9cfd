// Command rao-beam computes class statistics and scores data on Apache Beam.
//
//	rao-beam stats --data 'part-*.parquet' --y y --out all.npz
//	rao-beam stats --data 'part-*.parquet' --y y --subclasses 16 --out sub.npz
//	rao-beam predict --data 'part-*.parquet' --model m.rao --out predictions
//	rao-beam transform --data 'part-*.parquet' --model m.rao --out features
//
// By default it runs in this process. To use a cluster, set --runner and Beam's other options;
// docs/guide-statistics-cluster.md has examples.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"rao"
	"rao/beam/pipeline"
	"rao/dataset"
	_ "rao/dataset/parquet" // registers the format
	"rao/internal/provenance"
	"rao/internal/subclasses"
	"rao/internal/tableoptions"
	"rao/model"
)

// These are the options of the commands. They are in the same flag set as Beam's options, because workers receive all
// options.
var (
	data = flag.String("data", "", "files: a name, a pattern, names separated by commas, @LIST, a folder; or a "+
		"gs:// or s3:// pattern")
	out       = flag.String("out", "", "statistics file (stats), or folder (predict, transform)")
	modelFile = flag.String("model", "", "model file that rao fit wrote (predict, transform)")
	x         = flag.String("x", "", "variable (npz) or columns (parquet) of the observations")
	y         = flag.String("y", "", "variable (npz) or column (csv, parquet) of the labels")
	labels    = flag.String("label-file", "", "file of labels for a single local data file, such as an npy file "+
		"for an npy file")
	where    = flag.String("where", "", "keep the rows where NAME=VALUE; several separated by commas")
	drop     = flag.String("drop", "", "columns to leave out, separated by commas")
	moments  = flag.Bool("moments", false, "stats: also collect the third and fourth moments")
	minCount = flag.Int("min-count", 0, "stats: leave out the classes of a shard with fewer rows than this")
	hashes   = flag.String("hashes", "", "stats: how rows are recorded: none records only their number, for "+
		"files to be shared; a file is the secret key that sites share, which is sent to the workers")
	private = flag.String("private", "", "not available: a worker that repeats its work would draw other noise for "+
		"the same rows; use rao stats --private")
	categories = flag.String("categories", "",
		"stats: columns of texts: auto, or names; top:N keeps the N most frequent "+
			"texts of a column")
	missing = flag.String("missing", "error", "stats: missing values: error, drop the row, or fill in the mean of the "+
		"column")
	keep     = flag.String("keep", "", "stats: the only columns that are features, separated by commas")
	idColumn = flag.String("id-column", "", "stats: column of row names, not used as a feature")
	weights  = flag.String("weight-column", "", "stats: column with the weight of each row; 2 counts as two rows")
	single   = flag.Bool("allow-single", false, "stats: also write classes with one row, although their mean is "+
		"that row")
	mostSubclasses = flag.String("subclasses", "", "stats: maximum number of Gaussians per class, a count or auto; each "+
		"shard is clustered separately")
	basisFile = flag.String("basis", "", "stats --subclasses: file with principal components (rao stats basis); "+
		"without one a first pass finds them")
	components = flag.Int("components", subclasses.DefaultComponents,
		"stats --subclasses: number of principal components that the first pass finds")
	subspace = flag.Int("subspace", 0, "stats: dimension of the subspace in which classes are stored; a first pass "+
		"finds it; 0 keeps all columns")
	seed  = flag.Uint64("seed", 1, "stats --subclasses: seed of the clustering")
	order = flag.String("order", "fixed", "stats: fixed merges shards in order and gives the same bits every time; "+
		"free merges them as they arrive")
	span = flag.String("shard", "1GB", "join or split files into shards of about this size; the size affects the "+
		"last bits of the result, the number of workers does not")
)

func main() {
	verb := ""
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		verb = os.Args[1]
		os.Args = append(os.Args[:1], os.Args[2:]...)
	}
	parseFlags(os.Args[1:])
	log.SetLogger(quiet{})
	log.LogLevel = "warn"
	beam.Init() // does not return in a worker
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, verb); err != nil {
		fmt.Fprintln(os.Stderr, "rao-beam:", rao.Spell(err, asFlag))
		os.Exit(1)
	}
}

func asFlag(option, value string) string {
	if value == "" {
		return "--" + option
	}
	return "--" + option + " " + value
}

// quiet discards all log messages of Beam below warnings.
type quiet struct{}

// Log implements log.Logger.
func (quiet) Log(_ context.Context, severity log.Severity, _ int, message string) {
	if severity >= log.SevWarn {
		fmt.Fprintln(os.Stderr, message)
	}
}

func run(ctx context.Context, verb string) error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q; options start with --", flag.Arg(0))
	case *data == "" || *out == "":
		return errors.New("--data and --out are required")
	case flagsOf[verb] == nil:
		return fmt.Errorf("unknown verb %q; use stats, predict or transform", verb)
	case *order != "fixed" && *order != "free":
		return fmt.Errorf("--order must be fixed or free, not %q", *order)
	}
	if err := without(verb); err != nil {
		return err
	}
	bytes, err := parseSize(*span)
	if err != nil {
		return err
	}
	shards, err := pipeline.Shards(ctx, *data, bytes)
	if err != nil {
		return err
	}
	open := openOptions()
	var m []byte
	if verb != "stats" {
		var in model.Schema
		if m, in, err = readModel(ctx, *modelFile); err != nil {
			return fmt.Errorf("--model: %w", err)
		}
		open.Features, open.Form = in.Columns, in.Table
	}
	if *labels != "" {
		if err := pipeline.OneFile(shards); err != nil {
			return fmt.Errorf("--label-file: %w", err)
		}
	}
	var first []byte
	if verb == "stats" && *mostSubclasses == "" && *subspace == 0 {
		asked := tableoptions.Options{Categories: *categories, Missing: *missing, Keep: *keep, ID: *idColumn}
		if err := asked.Set(&open); err != nil {
			return err
		}
	}
	if open.Table.Learn && open.Form == nil {
		open, first, err = pipeline.SurveyFirst(ctx, shards, open)
	} else {
		open, err = pipeline.ResolveOptions(ctx, shards, open, verb == "stats")
	}
	if err != nil {
		return err
	}
	p, s := beam.NewPipelineWithRoot()
	switch verb {
	case "stats":
		err = statsPipeline(ctx, s, shards, open, first)
	default:
		err = pipeline.Score(s, shards, pipeline.ScoreOptions{Open: open, Model: m, Transform: verb == "transform",
			Out: pipeline.Absolute(*out)})
	}
	if err != nil {
		return err
	}
	if err := ownBinary(); err != nil {
		return err
	}
	if err := beamx.Run(ctx, p); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d shards of %s; written to %s\n", len(shards), *data, *out)
	return nil
}

// flagsOf lists the options that only some commands accept.
var flagsOf = map[string][]string{
	"stats": {"label-file", "moments", "min-count", "hashes", "private", "allow-single", "order",
		"subclasses", "basis", "components", "subspace", "seed",
		"categories", "missing", "keep", "id-column", "weight-column"},
	"predict":   {"model"},
	"transform": {"model"},
}

// without returns an error if an option would have no effect on the command.
func without(verb string) error {
	given := map[string]bool{}
	flag.Visit(func(f *flag.Flag) { given[f.Name] = true })
	for _, names := range flagsOf {
		for _, name := range names {
			if given[name] && !slices.Contains(flagsOf[verb], name) {
				return fmt.Errorf("rao-beam %[2]s has no option --%[1]s; leave it out", name, verb)
			}
		}
	}
	clustered := *mostSubclasses != "" || *subspace > 0
	for _, name := range []string{"basis", "components", "seed"} {
		if given[name] && *mostSubclasses == "" {
			return fmt.Errorf("--%s needs --subclasses", name)
		}
	}
	for _, name := range []string{"moments", "min-count", "allow-single", "order"} {
		if given[name] && clustered {
			return fmt.Errorf("--%s works only for statistics of one Gaussian per class in all columns; leave it "+
				"out", name)
		}
	}
	for _, name := range []string{"categories", "missing", "keep", "id-column", "weight-column"} {
		if given[name] && clustered {
			return fmt.Errorf("--%s cannot be used with --subclasses or --subspace; make statistics of one Gaussian "+
				"per class",
				name)
		}
	}
	switch {
	case *mostSubclasses != "" && *subspace > 0:
		return errors.New("give either --subspace, for one Gaussian per class, or --subclasses, not both")
	case given["basis"] && given["components"]:
		return errors.New("give either --basis or --components; a basis already has a number of components")
	case given["private"]:
		return errors.New("--private is not available on Beam, because a worker that repeats its work would draw new " +
			"noise for the same rows, and both draws together reveal too much; run rao stats --private at each site, " +
			"and then rao stats merge")
	case *minCount < 0 || *components < 1 || *subspace < 0:
		return errors.New("--components must be 1 or more, and --min-count and --subspace 0 or more")
	}
	return nil
}

// statsPipeline adds the pipeline that computes the statistics for which the options ask.
func statsPipeline(ctx context.Context, s beam.Scope, shards []pipeline.Shard, open dataset.OpenOptions,
	first []byte) error {
	to := pipeline.Absolute(*out)
	record, err := recorded(ctx)
	if err != nil {
		return err
	}
	if *mostSubclasses == "" && *subspace == 0 {
		return pipeline.Stats(s, shards, pipeline.StatsOptions{Open: open, First: first, Moments: *moments,
			MinCount: *minCount, Hashes: record, Single: *single, Free: *order == "free", Out: to})
	}
	opt := pipeline.SubclassesOptions{Open: open, Components: *components, Subspace: *subspace, Seed: *seed,
		Hashes: record, Out: to}
	if most := *mostSubclasses; most != "" && most != "auto" {
		var err error
		if opt.Most, err = strconv.Atoi(most); err != nil || opt.Most < 1 {
			return fmt.Errorf("--subclasses must be auto or a whole number of 1 or more, not %q", most)
		}
	}
	if *basisFile != "" {
		path, done, err := pipeline.Local(ctx, *basisFile)
		if err != nil {
			return err
		}
		defer done()
		if opt.Basis, err = subclasses.ReadBasis(path); err != nil {
			return err
		}
	}
	return pipeline.Subclasses(s, shards, opt)
}

// recorded parses --hashes and reads the key.
func recorded(ctx context.Context) (h pipeline.Hashes, err error) {
	switch *hashes {
	case "":
		return h, nil
	case "none":
		return pipeline.Hashes{None: true}, nil
	}
	path, done, err := pipeline.Local(ctx, *hashes)
	if err == nil {
		defer done()
		h.Key, err = provenance.ReadHashKey(path)
	}
	if err != nil {
		return h, fmt.Errorf("--hashes: %w; make a key with openssl rand -hex 32 > %s, or use --hashes "+
			"none", err, *hashes)
	}
	return h, nil
}

// readModel reads a model file from any file system. It returns the bytes of the file and the input schema of the
// model.
func readModel(ctx context.Context, path string) (file []byte, in model.Schema, err error) {
	if path == "" {
		return nil, in, errors.New("a model file that rao fit wrote is required")
	}
	local, done, err := pipeline.Local(ctx, path)
	if err != nil {
		return nil, in, err
	}
	defer done()
	m, err := model.Load(local)
	if err != nil {
		return nil, in, err
	}
	file, err = os.ReadFile(local)
	return file, m.Input, err
}

// ownBinary makes workers run this program. Otherwise Beam would build a binary from the sources.
func ownBinary() error {
	if *jobopts.WorkerBinary != "" {
		return nil
	}
	self, err := os.Executable()
	*jobopts.WorkerBinary = self
	return err
}

func openOptions() dataset.OpenOptions {
	return dataset.OpenOptions{Labels: pipeline.Absolute(*labels), X: *x, Y: *y,
		Weights: *weights, Where: list(*where), Table: dataset.TableOptions{Drop: list(*drop)}}
}

func list(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

// parseSize parses a number of bytes, such as 1GB or 64MB.
func parseSize(s string) (int64, error) {
	units := []struct {
		name string
		size float64
	}{{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3}, {"B", 1}}
	number, unit := strings.ToUpper(strings.TrimSpace(s)), 1.0
	for _, u := range units {
		if strings.HasSuffix(number, u.name) {
			number, unit = strings.TrimSuffix(number, u.name), u.size
			break
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || !(v*unit >= 1) || v*unit > math.MaxInt64/2 {
		return 0, fmt.Errorf("--shard must be a size such as 1GB or 64MB, not %q", s)
	}
	return int64(v * unit), nil
}
