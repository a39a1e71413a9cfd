package dataset

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"rao/internal/optionvalues"
	"rao/internal/testkit"
)

// rowsOf writes a table of n rows with the labels that label returns.
func rowsOf(t *testing.T, header bool, n int, label func(i int) string) string {
	var b strings.Builder
	if header {
		b.WriteString("a,b,label\n")
	}
	for i := range n {
		fmt.Fprintf(&b, "%d,%g,%s\n", i, 0.5*float64(i%7), label(i))
	}
	return textFile(t, "d.csv", b.String())
}

// Fractional numbers that look like measurements are an error if labels are required. Integers, texts and the few
// levels of a stimulus are accepted as labels.
func TestMeasurementsAreNotLabels(t *testing.T) {
	decimals := func(i int) string { return fmt.Sprintf("%.4f", 0.01+float64(i)/7) }
	need := OpenOptions{RequireLabels: true}
	refused(t, "named column", rowsOf(t, true, 60, decimals), need, "60 different fractional numbers|for 60 "+
		"observations|option y")
	refused(t, "last column", rowsOf(t, false, 60, decimals), need, "its last column contains fractional "+
		"numbers|option y")
	many := rowsOf(t, true, 900, func(i int) string { return fmt.Sprintf("%.2f", 0.01*float64(i%250)) })
	refused(t, "many, each often", many, need, "250 different fractional numbers")
	y := Array{Name: "y", Shape: []int{60}, Float64: make([]float64, 60)}
	x := Array{Name: "X", Shape: []int{60, 2}, Float64: make([]float64, 120)}
	for i := range y.Float64 {
		y.Float64[i] = 1 / float64(i+1)
	}
	refused(t, "npz", npz(t, x, y), need, "60 different fractional numbers|option y")
	testkit.Equal(t, len(open(t, npz(t, x, y), OpenOptions{}).Classes), 60, "classes where labels do not matter")
	err := Stream(context.Background(), npz(t, x, y), need, 8, func(*Table, []int, []string) error { return nil })
	testkit.ErrorContains(t, err, "60 different fractional numbers", "stream")
	for what, path := range map[string]string{
		"speeds":        rowsOf(t, true, 82, func(i int) string { return fmt.Sprintf("%.1f", -6+0.3*float64(i%41)) }),
		"whole numbers": rowsOf(t, true, 300, func(i int) string { return fmt.Sprint(i % 150) }),
		"texts":         rowsOf(t, true, 300, func(i int) string { return fmt.Sprintf("s%d.5", i%150) }),
	} {
		if d, err := Open(context.Background(), path, need); err != nil {
			t.Errorf("%s: %v", what, err)
		} else if len(d.Classes) < 41 {
			t.Errorf("%s: %d classes", what, len(d.Classes))
		}
	}
}

func TestTableOfNamesOnly(t *testing.T) {
	path := textFile(t, "names.csv", "a,b,label\n")
	refused(t, "names only", path, OpenOptions{}, "the only line was read as column names")
	path = textFile(t, "e.txt", "This is a note.\n")
	refused(t, "essay", path, OpenOptions{}, "the only line was read as column names")
	for _, name := range []string{"p.pdf", "p.csv"} {
		refused(t, name, textFile(t, name, "%PDF-1.4\n1 0 obj\n"), OpenOptions{}, "unknown file format; supported are")
	}
}

// The error names the column that cannot be both the label and a group.
func TestLabelIsNoGroup(t *testing.T) {
	for _, c := range [][2]string{
		{"a,label\n1,x\n2,y\n", `column "label" is the label, so it cannot also define the groups`},
		{"a,b,label\n1,s,x\n2,t,y\n", `column "label" is the label, so it cannot also define the groups`},
	} {
		opt := OpenOptions{RequireLabels: true, Table: TableOptions{Variables: []string{"label"}}}
		refused(t, "group", textFile(t, "d.csv", c[0]), opt, c[1])
		opt.Y = "label"
		if strings.Contains(c[0], "b,") {
			opt.Table.Drop = []string{"b"}
		}
		if d := open(t, textFile(t, "d.csv", c[0]), opt); d.Vars["label"] == nil || len(d.Classes) != 2 {
			t.Errorf("%q: %v", c[0], d.Classes)
		}
	}
	opt := OpenOptions{RequireLabels: true, Table: TableOptions{Variables: []string{"kind"}}}
	refused(t, "no usual name", textFile(t, "d.csv", "a,b,kind\n1,0.25,x\n2,0.75,y\n3,0.5,x\n"), opt,
		"kind already defines the groups")
}

// An infinite value is named by its line and column on every way to read a table.
func TestInfiniteValueIsNamed(t *testing.T) {
	for what, opt := range map[string]OpenOptions{
		"plain":      {},
		"filled":     {Table: TableOptions{Missing: optionvalues.MissingMedian, Learn: true}},
		"categories": {Table: TableOptions{Categories: []string{"c"}, Learn: true}},
	} {
		refused(t, what, textFile(t, "d.csv", "c,b,label\n1,2,x\n2,-inf,y\n"), opt, `line 3, column "b" is -Inf`)
	}
}
