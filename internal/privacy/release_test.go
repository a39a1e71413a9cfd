package privacy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/internal/classcolumns"
	"rao/internal/format/archive"
	"rao/internal/linalg/vec"
	"rao/internal/rows"
	"rao/internal/subclasses"
	"rao/internal/testkit"
)

func randomRows(seed uint64, n, d int) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, labels := mat.NewDense(n, d, nil), make([]int, n)
	for i := range n {
		labels[i] = rng.IntN(3)
		for j := range d {
			x.Set(i, j, rng.NormFloat64()*math.Exp(rng.NormFloat64())+float64(labels[i]))
		}
	}
	return x, labels
}

var threeClasses = []string{"a", "b", "c"}

// plans of all rounds, with a mapping where one is used.
func testPlans(t *testing.T, d int) []*Plan {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 5))
	var plans []*Plan
	for _, round := range []Round{RoundStart, RoundPooled, RoundClasses} {
		p := &Plan{Round: round, Classes: threeClasses, Dim: d, Center: make([]float64, d),
			Domain: Domain{Low: slices.Repeat([]float64{-3}, d), High: slices.Repeat([]float64{5}, d)}}
		p.Radius = p.Domain.radius(d)
		if round != RoundStart {
			p.Radius /= 3
			for j := range d {
				p.Center[j] = rng.Float64() - 0.5
			}
		}
		if round == RoundClasses {
			p.Dim = d/2 + 1
			p.Mapping = make([]float64, d*p.Dim)
			for i := range p.Mapping {
				p.Mapping[i] = rng.NormFloat64()
			}
			p.Variances = slices.Repeat([]float64{1}, p.Dim)
		}
		plans = append(plans, p)
	}
	return plans
}

// exactSums reads rows by a plan without noise, in blocks of the sizes given.
func exactSums(p *Plan, x *mat.Dense, labels []int, blocks ...int) *sums {
	s := newSums(p.groups(), p.Dim, p.squares())
	n, d := x.Dims()
	at := 0
	for i := 0; at < n; i++ {
		size := n
		if len(blocks) > 0 {
			size = blocks[i%len(blocks)]
		}
		to := min(n, at+size)
		in := x.Slice(at, to, 0, d).(*mat.Dense)
		s.addRows(p, rows.New(in), labels[at:to])
		at = to
	}
	return s
}

// Removing any row changes the integers by no more than the stated ρ, in exact arithmetic, and no lattice vector is
// longer than the bound.
func TestSensitivityIsBounded(t *testing.T) {
	for trial := range uint64(8) {
		d := 1 + int(trial)*3
		x, labels := randomRows(trial, 40, d)
		x.Set(0, 0, 1e300) // rows far outside of the domain count as well
		x.Set(1, 0, math.Inf(1))
		x.SetRow(2, slices.Repeat([]float64{1e9}, d)) // a corner of the domain, on the sphere of every round
		for _, p := range testPlans(t, d) {
			const rho = 0.3
			all := exactSums(p, x, labels)
			worst := 0.0
			for i := range 40 {
				one := exactSums(p, mat.NewDense(1, d, mat.Row(nil, i, x)), labels[i:i+1])
				without := exactSums(p, withoutRow(x, i), slices.Delete(slices.Clone(labels), i, i+1))
				spent := 0.0
				eachNoisy(p, rho, all.parts(), without.parts(), func(k, at int, a, b int64, sigma float64) {
					if alone := one.parts()[k][at]; a-b != alone {
						t.Fatalf("round %s: a row adds %d in company and %d alone", p.Round, a-b, alone)
					}
					spent += spentBy(a-b, sigma)
				})
				worst = max(worst, spent)
			}
			if worst > rho*(1+1e-12) {
				t.Errorf("round %s, %d columns: a row spends ρ %g of %g", p.Round, d, worst, rho)
			}
			if worst < 0.8*rho && d > 3 {
				t.Errorf("round %s, %d columns: the largest ρ of a row is %g of %g: rows on the sphere should reach it",
					p.Round, d, worst, rho)
			}
		}
	}
}

// onDiagonal reports whether a value of triangles of order d is on the diagonal.
func onDiagonal(at, d int) bool {
	at %= vec.PackedLen(d)
	for row := d; row > 0; row-- {
		if at == 0 {
			return true
		}
		if at < row {
			return false
		}
		at -= row
	}
	return false
}

func withoutRow(x *mat.Dense, i int) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(n-1, d, nil)
	for k, to := 0, 0; k < n; k++ {
		if k != i {
			out.SetRow(to, x.RawRowView(k))
			to++
		}
	}
	return out
}

// Neither the order of the rows, nor the blocks in which they are read, nor the number of processors changes the
// result.
func TestSumsDoNotDependOnOrder(t *testing.T) {
	const n, d = 5000, 37
	x, labels := randomRows(3, n, d)
	order := rand.New(rand.NewPCG(9, 9)).Perm(n)
	mixed, mixedLabels := mat.NewDense(n, d, nil), make([]int, n)
	for to, from := range order {
		mixed.SetRow(to, x.RawRowView(from))
		mixedLabels[to] = labels[from]
	}
	for _, p := range testPlans(t, d) {
		want := exactSums(p, x, labels)
		for name, got := range map[string]*sums{
			"blocks": exactSums(p, x, labels, 1, 700, 33), "order": exactSums(p, mixed, mixedLabels),
			"one processor": func() *sums {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
				return exactSums(p, x, labels)
			}()} {
			if !slices.Equal(got.counts, want.counts) || !slices.Equal(got.first, want.first) ||
				!slices.Equal(got.second, want.second) {
				t.Errorf("round %s: %s change the sums", p.Round, name)
			}
		}
	}
}

func testOptions(seed uint64) Options {
	return Options{Guarantee: Guarantee{Epsilon: 1, Delta: 1e-6}, Classes: threeClasses,
		Domain: Domain{Low: []float64{-3}, High: []float64{5}}, Noise: rand.NewPCG(seed, 0)}
}

// Two data sets that differ by one row, with the same noise, give files that differ only in the three arrays of
// integers.
func TestFilesHoldNothingElse(t *testing.T) {
	const n, d = 300, 8
	x, labels := randomRows(4, n, d)
	for _, p := range testPlans(t, d) {
		var files [2]map[string]archive.Array
		var metas [2]map[string]any
		for i, data := range []*mat.Dense{x, withoutRow(x, n-1)} {
			m, _ := data.Dims()
			r := testkit.Must(Measure(context.Background(), subclasses.RowsOf(data, labels[:m], threeClasses), p, nil,
				testOptions(1)))(t)
			r.next = &Plan{Round: p.Round + 1, Dim: 1} // it follows from the integers
			path := filepath.Join(t.TempDir(), "r.npz")
			testkit.NoError(t, r.WriteFile(path))
			arrays := testkit.Must(archive.Read(path, &metas[i]))(t)
			files[i] = map[string]archive.Array{}
			for _, a := range arrays {
				files[i][a.Name] = a
			}
		}
		for key, v := range metas[0] {
			if key != "sites" && !reflect.DeepEqual(v, metas[1][key]) {
				t.Errorf("round %s: the metadata %q differ: %v and %v", p.Round, key, v, metas[1][key])
			}
		}
		if !reflect.DeepEqual(metas[0]["sites"], metas[1]["sites"]) {
			t.Errorf("round %s: the sites differ", p.Round)
		}
		for name, a := range files[0] {
			b := files[1][name]
			same := slices.Equal(a.Float64, b.Float64) && slices.Equal(a.Int64, b.Int64) &&
				slices.Equal(a.Strings, b.Strings)
			integers := slices.Contains([]string{"counts", "sums", "squares"}, name)
			if same == integers && p.Round != RoundStart {
				t.Errorf("round %s: array %s, equal: %v", p.Round, name, same)
			}
		}
	}
}

// An attacker who knows all other rows and the likely noise cannot do better than the bound.
func TestAuditOfAnAttackerWhoKnowsAllOtherRows(t *testing.T) {
	p := testPlans(t, 4)[2]
	x, labels := randomRows(6, 1, 4)
	x.Set(0, 0, 5) // far out: cut to the sphere
	for _, epsilon := range []float64{1, 8} {
		audit(t, p, Guarantee{Epsilon: epsilon, Delta: 1e-6}, testSampler(uint64(epsilon)),
			func() *sums { return exactSums(p, x, labels) })
	}
}

// audit compares the best attacker, who must recognize releases with the given sums among releases of noise, with the
// bound.
func audit(t *testing.T, p *Plan, g Guarantee, noise *sampler, present func() *sums) {
	t.Helper()
	draws := 2000
	if testing.Short() {
		draws = 400
	}
	rho := g.Rho()
	score := presence(p, rho, present())
	with, without := make([]float64, draws), make([]float64, draws)
	for i := range draws {
		with[i] = score(testkit.Must(addNoise(*p, present(), g, rho, noise, nil))(t))
		absent := newSums(p.groups(), p.Dim, p.squares())
		without[i] = score(testkit.Must(addNoise(*p, absent, g, rho, noise, nil))(t))
	}
	slices.Sort(without)
	wins := 0
	for _, v := range with {
		at, _ := slices.BinarySearch(without, v)
		wins += at
	}
	auc := float64(wins) / float64(draws*draws)
	bound, deviation := AttackAUC(rho), 1/math.Sqrt(6*float64(draws))
	if auc > bound+3*deviation || auc < bound-0.1 {
		t.Errorf("ε %g: AUC %.3f of the best attacker, bound %.3f ± %.3f", g.Epsilon, auc, bound, deviation)
	}
}

func TestMergeAddsSums(t *testing.T) {
	const n, d = 600, 6
	x, labels := randomRows(8, n, d)
	p := testPlans(t, d)[1]
	half := func(from, to int, seed uint64) *Release {
		r := testkit.Must(Measure(context.Background(),
			subclasses.RowsOf(x.Slice(from, to, 0, d), labels[from:to], threeClasses), p, nil, testOptions(seed)))(t)
		return r
	}
	a, b := half(0, 250, 1), half(250, n, 2)
	ab := testkit.Must(Merge(a, b))(t)
	ba := testkit.Must(Merge(b, a))(t)
	if !slices.Equal(ab.Sums, ba.Sums) || !slices.Equal(ab.Squares, ba.Squares) || ab.SquareNoise != 2*a.SquareNoise {
		t.Error("the order of the parts changes the merge")
	}
	if len(ab.Sites) != 2 || ab.Guarantee().Epsilon > a.Guarantee().Epsilon*(1+1e-12) {
		t.Errorf("two sites of disjoint rows have the guarantee %v, one has %v", ab.Guarantee(), a.Guarantee())
	}
	_, err := Merge(a, b, a)
	testkit.ErrorContains(t, err, "release 1 and release 3 contain the same release", "the same release twice")
	for name, change := range map[string]func(*Plan){
		"round":   func(p *Plan) { p.Round = RoundStart },
		"classes": func(p *Plan) { p.Classes = []string{"a", "c", "b"} },
		"column":  func(p *Plan) { p.Columns = []string{"1", "2", "3", "4", "5", "6"} },
		"range":   func(p *Plan) { p.Domain.Low = slices.Repeat([]float64{-4}, d) },
		"norm":    func(p *Plan) { p.Domain.Clip = 1 },
		"basis":   func(p *Plan) { p.Public = true },
		"earlier": func(p *Plan) { p.Radius *= 2 },
	} {
		other := *b
		change(&other.Plan)
		testkit.ErrorContains(t, testkit.ErrorOf(Merge(a, &other)), name)
	}
}

// A site that continues from a merged round is charged with its earlier releases; an unknown site is charged with the
// most of any site.
func TestSitesAddUpOverRounds(t *testing.T) {
	r := &Release{Delta: 1e-6, Sites: []Site{
		{"a", []SiteRelease{{"1", "start", 0.01}}}, {"b", []SiteRelease{{"2", "start", 0.03}}}}}
	for id, want := range map[string]float64{"a": 0.01, "b": 0.03, "": 0.03, "c": 0.03} {
		if s := r.SiteAfter(id); s.rho() != want || s.ID == "" {
			t.Errorf("site %q has spent ρ %g, want %g", id, s.rho(), want)
		}
	}
	s := r.SiteAfter("a")
	s.Releases = append(s.Releases, SiteRelease{"3", "pooled", 1})
	testkit.Equal(t, len(r.Sites[0].Releases), 1, "going on changed the release")
}

// The guarantee still includes a site that does not take part in later rounds, because its first release influenced the
// later files.
func TestSitesThatDropOutAreCounted(t *testing.T) {
	x, labels := randomRows(14, 400, 4)
	read := subclasses.RowsOf(x, labels, threeClasses)
	loud, quiet := testOptions(1), testOptions(2)
	loud.Epsilon = 16
	begin := func(opt Options) *Release {
		p := testkit.Must(Begin(opt))(t)
		return testkit.Must(Measure(context.Background(), read, p, nil, opt))(t)
	}
	a, b := begin(loud), begin(quiet)
	spent := a.Guarantee().Epsilon
	r := testkit.Must(Merge(a, b))(t)
	for !r.Complete() {
		p := testkit.Must(r.Next(0))(t)
		r = testkit.Must(Measure(context.Background(), read, p, r.SiteAfter(b.Sites[0].ID), quiet))(t)
		if got := r.Guarantee().Epsilon; got < spent*(1-1e-9) || len(r.Sites) != 2 || r.Contributors() != 1 {
			t.Errorf("round %s: ε %g of %d sites, %d in the sums; one has spent ε %g", r.Plan.Round, got, len(r.Sites),
				r.Contributors(), spent)
		}
	}
	testkit.Equal(t, a.Guarantee().Epsilon, spent, "going on changed an earlier release")
}

func TestFilesComeBack(t *testing.T) {
	const n, d = 2000, 6
	x, labels := randomRows(10, n, d)
	read := subclasses.RowsOf(x, labels, threeClasses)
	opt := testOptions(3)
	opt.Columns = []string{"u", "v", "w", "x", "y", "z"}
	plan := testkit.Must(Begin(opt))(t)
	var site *Site
	for {
		r := testkit.Must(Measure(context.Background(), read, plan, site, opt))(t)
		path := filepath.Join(t.TempDir(), "r.npz")
		testkit.NoError(t, r.WriteFile(path))
		back := testkit.Must(ReadFile(path))(t)
		testkit.Equal(t, back.Plan.differs(&r.Plan), "", "round", plan.Round, "changed in the file")
		if !slices.Equal(back.Squares, r.Squares) || back.SquareNoise != r.SquareNoise ||
			back.Guarantee() != r.Guarantee() {
			t.Errorf("round %s: sums or their noise changed in the file", plan.Round)
		}
		if plan.Kind.last(plan.Round) {
			s := testkit.Must(back.Subclasses())(t)
			testkit.NoError(t, s.Basis.Validate())
			if len(s.Parts) > 0 {
				t.Error("private statistics have hashes of rows")
			}
			break
		}
		site = back.SiteAfter(r.Sites[0].ID)
		next := testkit.Must(back.Next(0))(t)
		direct := testkit.Must(r.Next(0))(t)
		testkit.Equal(t, next.differs(direct), "", "after round", plan.Round, "of the next round changed in the file")
		plan = next
	}
}

// The length of a missing array is not known, so the error does not state a shape.
func TestMissingListsAreNamed(t *testing.T) {
	in := new(reader)
	testkit.Equal(t, in.length("names"), 0)
	testkit.Equal(t, in.err.Error(), "array names is missing, or is not a list of values")
}

// The domain can be a range per column, for columns in different units, or a largest length of the rows.
func TestDomains(t *testing.T) {
	const n, d = 4000, 3
	x, labels := randomRows(11, n, d)
	for i := range n {
		x.Set(i, 1, 1000*x.At(i, 1))
	}
	opt := testOptions(5)
	opt.Epsilon = 16
	for name, domain := range map[string]Domain{
		"range": {Low: []float64{-5, -5000, -5}, High: []float64{7, 7000, 7}}, "length": {Clip: 9000}} {
		opt.Domain = domain
		for _, kind := range []Kind{Subspace, Pooled} {
			opt.Kind = kind
			r := testkit.Must(Estimate(context.Background(), subclasses.RowsOf(x, labels, threeClasses), opt))(t)
			if kind == Pooled {
				testkit.NoError(t, testkit.ErrorOf(r.compact()), name)
				continue
			}
			testkit.NoError(t, testkit.ErrorOf(r.Subclasses()), name)
		}
	}
}

func TestBadOptions(t *testing.T) {
	x, labels := randomRows(12, 50, 3)
	x.Set(7, 1, math.NaN())
	clean, _ := randomRows(12, 50, 3)
	for name, c := range map[string]struct {
		x      *mat.Dense
		change func(*Options)
		want   string
	}{
		"no classes":     {clean, func(o *Options) { o.Classes = nil }, "classes"},
		"a class twice":  {clean, func(o *Options) { o.Classes = []string{"a", "a"} }, "twice"},
		"no range":       {clean, func(o *Options) { o.Domain = Domain{} }, "range"},
		"an empty range": {clean, func(o *Options) { o.Domain.High = o.Domain.Low }, "range"},
		"both":           {clean, func(o *Options) { o.Domain.Clip = 1 }, "both"},
		"epsilon":        {clean, func(o *Options) { o.Epsilon = 0 }, "epsilon"},
		"dimensions":     {clean, func(o *Options) { o.Dim = 4 }, "dimensions"},
		"missing values": {x, func(*Options) {}, "missing"},
		"names":          {clean, func(o *Options) { o.Columns = []string{"a"} }, "names"},
	} {
		opt := testOptions(1)
		c.change(&opt)
		_, err := Estimate(context.Background(), subclasses.RowsOf(c.x, labels, threeClasses), opt)
		testkit.ErrorContains(t, err, c.want, name, "want one about")
		if err != nil && strings.Contains(err.Error(), "row 7") {
			t.Errorf("%s: the error names a row: %v", name, err)
		}
	}
}

func TestLedger(t *testing.T) {
	path := filepath.Join(t.TempDir(), "site.json")
	budget := Guarantee{Epsilon: 3, Delta: 1e-6}
	one := Guarantee{Epsilon: 1, Delta: 1e-6}.Rho()
	l := testkit.Must(charge(path, budget, one, "first"))(t)
	count := 1
	for {
		again, err := charge(path, Guarantee{}, one, "again")
		var full *BudgetError
		if errors.As(err, &full) {
			break
		}
		testkit.NoError(t, err)
		testkit.Equal(t, again.Site, l.Site, "the site's name changed")
		count++
	}
	testkit.Equal(t, count, int(budget.Rho()/one), "releases of ε 1 fit into a budget of ε 3, want")
	testkit.Fails(t, testkit.ErrorOf(charge(path, Guarantee{Epsilon: 8, Delta: 1e-6}, one, "more")),
		"the budget can be raised")
	testkit.NoError(t, os.WriteFile(path+".lock", nil, 0o600))
	testkit.ErrorContains(t, testkit.ErrorOf(charge(path, budget, 1e-9, "locked")), "another process",
		"two processes charge at once")
	for _, text := range []string{"", "{", `{"site":"x"}`,
		`{"site":"x","budget":{"epsilon":3,"delta":1e-6},"releases":[{"rho":-1}]}`,
		`{"site":"x","budget":{"epsilon":3,"delta":1e-6},"spent":0}`} {
		bad := testkit.TempFile(t, "bad.json", text)
		testkit.Fails(t, testkit.ErrorOf(charge(bad, budget, one, "bad")),
			fmt.Sprintf("the ledger %q is accepted", text))
	}
}

func FuzzReadFile(f *testing.F) {
	x, labels := randomRows(13, 200, 3)
	for _, kind := range []Kind{Subspace, Pooled} {
		opt := testOptions(2)
		opt.Kind = kind
		r := testkit.Must(Estimate(context.Background(), subclasses.RowsOf(x, labels, threeClasses), opt))(f)
		path := filepath.Join(f.TempDir(), "r.npz")
		testkit.NoError(f, r.WriteFile(path))
		b := testkit.Must(os.ReadFile(path))(f)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		path := testkit.TempFile(t, "r.npz", b)
		r, err := ReadFile(path)
		if err != nil {
			return
		}
		_, _ = r.Subclasses()
		_, _ = r.compact()
		_, _ = r.Next(0)
	})
}

// Classes without rows give statistics of pure noise, which are finite and can be read.
func TestClassesWithoutRows(t *testing.T) {
	x, labels := randomRows(3, 60, 4)
	for seed := range uint64(20) {
		for _, kind := range []Kind{Subspace, Pooled} {
			opt := testOptions(seed)
			opt.Kind, opt.Classes = kind, []string{"absent", "missing", "unknown"}
			r, err := Estimate(context.Background(), subclasses.RowsOf(x, labels, threeClasses), opt)
			testkit.NoError(t, err, kind)
			path := filepath.Join(t.TempDir(), "s.npz")
			testkit.NoError(t, r.WriteFile(path), kind, "seed", seed)
			if r, err = ReadFile(path); err != nil {
				t.Fatalf("%s: %v", kind, err)
			}
			s := testkit.Must(r.Source())(t, kind, "seed", seed)
			testkit.NoError(t, classcolumns.Enough(s.Counts, s.Weights, 1, s.Classes), kind, "seed", seed)
		}
	}
}

// presence returns the likelihood ratio of the presence of rows with the given sums, up to a constant.
func presence(p *Plan, rho float64, of *sums) func(r *Release) float64 {
	return func(r *Release) (s float64) {
		eachNoisy(p, rho, [3][]int64{r.Counts, r.Sums, r.Squares}, of.parts(),
			func(_, _ int, a, b int64, sigma float64) { s += float64(a) * float64(b) / (sigma * sigma) })
		return s
	}
}

func (s *sums) parts() [3][]int64 { return [3][]int64{s.counts, s.first, s.second} }

// eachNoisy calls f with each integer of two sums and the deviation of its noise.
func eachNoisy(p *Plan, rho float64, x, y [3][]int64, f func(k, at int, a, b int64, sigma float64)) {
	square, sum, count := p.sigmas(rho)
	for k := range x {
		for at, a := range x[k] {
			sigma := [3]int64{count, sum, square}[k]
			if k == 2 && p.Round != RoundStart && !onDiagonal(at, p.Dim) {
				sigma = int64(math.Ceil(float64(square) / math.Sqrt2))
			}
			f(k, at, a, y[k][at], float64(sigma))
		}
	}
}

// spentBy returns the ρ that the change of an integer spends.
func spentBy(change int64, sigma float64) float64 {
	r := float64(change) / sigma
	return r * r / 2
}
