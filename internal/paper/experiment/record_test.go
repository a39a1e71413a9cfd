package experiment

import (
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"rao/internal/testkit"
)

var timeZero = time.Date(2025, 2, 1, 0, 0, 0, 0, time.UTC)

// The titles, protocols, claims and remarks of recorded results match the code.
func TestRecordedResultsAreOfThisCode(t *testing.T) {
	entries := testkit.Must(recorded.ReadDir("recorded"))(t)
	literals := sourceLiterals(t)
	for _, entry := range entries {
		id, ok := strings.CutSuffix(entry.Name(), ".json")
		if !ok {
			continue
		}
		e, err := Lookup(id)
		if err != nil {
			t.Errorf("recorded/%s.json belongs to no experiment", id)
			continue
		}
		r := testkit.Must(e.Recorded())(t)
		if r.ID != e.ID || r.Version > e.Version {
			t.Errorf("%s was recorded as %s, version %d", id, r.ID, r.Version)
		}
		testkit.NoError(t, r.check(), id)
		if r.Commit == "" || r.Modified || r.Form == "short" || r.Date == "" {
			t.Errorf("%s does not say what made it", id)
		}
		if r.Version != e.Version {
			continue
		}
		for _, c := range r.Claims {
			if !literals[c.Says] && !formatted(literals, c.Says) {
				t.Errorf("%s: the code no longer makes the claim %q", id, c.Says)
			}
		}
		for _, s := range r.Remarks {
			if !literals[s.Form] {
				t.Errorf("%s: the code no longer remarks %q", id, s.Form)
			}
		}
	}
}

// sourceLiterals returns the constant strings in the code of this package.
func sourceLiterals(t *testing.T) map[string]bool {
	t.Helper()
	literals := map[string]bool{}
	files := testkit.Must(filepath.Glob("*.go"))(t)
	for _, name := range files {
		f := testkit.Must(parser.ParseFile(token.NewFileSet(), name, nil, 0))(t)
		ast.Inspect(f, func(n ast.Node) bool {
			if x, ok := n.(ast.Expr); ok {
				if s, ok := constantString(x); ok {
					literals[s] = true
				}
			}
			return true
		})
	}
	return literals
}

// constantString returns the value of a literal or a sum of literals.
func constantString(x ast.Expr) (string, bool) {
	switch x := x.(type) {
	case *ast.BasicLit:
		s, err := strconv.Unquote(x.Value)
		return s, err == nil && x.Kind == token.STRING
	case *ast.BinaryExpr:
		a, oka := constantString(x.X)
		b, okb := constantString(x.Y)
		return a + b, oka && okb && x.Op == token.ADD
	}
	return "", false
}

// tabled returns an experiment that fills one table with the cells.
func tabled(cells ...any) *Experiment {
	return &Experiment{ID: "test", Paper: "none", Item: "none", Title: "a test", Protocol: "none",
		run: func(_ context.Context, r *Run) error {
			table := r.Table("t", "a table", "k", "v", "w", "paper")
			for k := 0; k+2 < len(cells); k += 3 {
				table.Add(append([]any{k}, cells[k:k+3]...)...)
			}
			return nil
		}}
}

func TestConstantTableIsRefused(t *testing.T) {
	ctx := context.Background()
	testkit.ErrorContains(t, testkit.ErrorOf(tabled("93.56 ± 1.65", "93.56 ± 1.65", Printed("90"), "93.56 ± 1.65",
		"93.56 ± 1.65",
		Printed("91")).Run(ctx, Run{})), "same number", "a constant table")
	if _, err := tabled("93.56 ± 1.65", "93.56 ± 1.65", Printed("90"), "93.56 ± 1.65", "93.57 ± 1.65",
		Printed("90")).Run(ctx, Run{}); err != nil {
		t.Errorf("a table of two numbers: %v", err)
	}
	testkit.Fails(t, testkit.ErrorOf(tabled("NaN", 1, Printed("")).Run(ctx, Run{})), "a number that is none passed")
	testkit.Fails(t, testkit.ErrorOf(tabled().Run(ctx, Run{})), "an empty table passed")
}

func TestOnlyWholeRunsAreRecorded(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	e := tabled(1, 2, Printed("90"), 3, 4, Printed("90"))
	clean := Run{Commit: "0123456789abcdef"}
	full := testkit.Must(e.Run(ctx, clean))(t)
	dir := t.TempDir()
	testkit.NoError(t, full.Record(dir), "a full run")
	short := testkit.Must(e.Run(ctx, Run{Short: true, Commit: clean.Commit}))(t)
	testkit.Fails(t, short.Record(dir), "a short run was recorded")
	unknown := *full
	unknown.Commit = ""
	if err := unknown.Record(dir); err == nil && !builtFromCommit() {
		t.Error("a run of code that is not known was recorded")
	}
	changed := *full
	changed.Modified = true
	testkit.Fails(t, changed.Record(dir), "a run of changed code was recorded")
	testkit.Fails(t, testkit.ErrorOf(e.Run(ctx, Run{Whole: true})), "a whole grid that is the full run was accepted")
	cancel()
	if res, err := e.Run(ctx, clean); res != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("a canceled run: result %v, error %v", res != nil, err)
	}
}

func builtFromCommit() bool { c, _ := Build(); return c != "" }

func TestMadeSaysWhatIsNotKnown(t *testing.T) {
	e := tabled(1, 2, Printed(""), 3, 4, Printed(""))
	r := e.begin(Run{Short: true, Seed: 3, Commit: "0123456789abcdef"}, timeZero)
	r.Modified = true
	want := "`rao paper run test --seed 3 --short`, commit 0123456789ab with uncommitted changes, 2025-02-01 00:00 UTC"
	testkit.Contains(t, r.Made(), want, "lacks")
}

func TestClaimsAreCounted(t *testing.T) {
	run := Run{result: &Result{}}
	testkit.Equal(t, run.result.Reproduction(), "ours", "no claim")
	run.Claim("a", true, "x").Because("it holds")
	if c := run.result.Claims[0]; c.Why != "" || run.result.Reproduction() != "holds" {
		t.Errorf("%+v, %s", c, run.result.Reproduction())
	}
	run.Claim("b", false, "y").Because("too few")
	if got := run.result.Reproduction(); got != "1 of 2 claims hold" || run.result.Claims[1].Why != "too few" {
		t.Errorf("%s, %+v", got, run.result.Claims[1])
	}
	run.Claim("c", false, "z").Needs(false)
	testkit.Equal(t, run.result.Reproduction(), "1 of 2 claims hold; 1 not tested")
}

// verb is a verb of fmt in a literal.
var verb = regexp.MustCompile(`%[-+#0-9.]*[a-zA-Z]`)

// formatted reports whether a literal with verbs of fmt makes the text.
func formatted(literals map[string]bool, text string) bool {
	for l := range literals {
		if !verb.MatchString(l) {
			continue
		}
		parts := verb.Split(l, -1)
		for i, p := range parts {
			parts[i] = regexp.QuoteMeta(strings.ReplaceAll(p, "%%", "%"))
		}
		if bare := strings.Join(parts, ""); len(bare) > 20 &&
			regexp.MustCompile("^"+strings.Join(parts, ".+")+"$").MatchString(text) {
			return true
		}
	}
	return false
}
