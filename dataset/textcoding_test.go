package dataset

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"rao/internal/recipes"
	"rao/internal/testkit"
	"rao/recipe"
)

const mixedTable = `id,color,size,zip,species
u0,red,1.5,10,a
u1,blue,,20,b
u2,,2.5,10,a
u3,red,3.5,30,b
u4,green,0.5,20,a
`

func tableFile(t *testing.T, text string) string {
	t.Helper()
	return testkit.TempFile(t, "t.csv", text)
}

func learning(missing recipe.Missing, categories ...string) OpenOptions {
	return OpenOptions{Y: "species", RequireLabels: true,
		Table: TableOptions{Learn: true, Missing: missing, Categories: categories, ID: "id"}}
}

// Texts become one value each, and the learned form reads another table in the same way, at once and in blocks: unknown
// texts are zero and reported, and other columns are errors.
func TestFormOfTables(t *testing.T) {
	d := open(t, tableFile(t, mixedTable), learning("median", "auto", "zip"))
	want := []string{"color=blue", "color=green", "color=red", "size", "zip=20", "zip=30"}
	if got := d.Vars["columns"].Strings; !slices.Equal(got, want) {
		t.Fatalf("columns %q", got)
	}
	if d.Missing != "median" || !math.IsNaN(d.X.At(1, 3)) || d.Form.Label != "species" ||
		recipes.TableDim(d.Form) != 6 {
		t.Errorf("%+v, missing %q, %v", d.Form, d.Missing, d.X.At(1, 3))
	}
	fill := testkit.Must(d.X.Typical(context.Background(), d.Missing, nil, want))(t)
	testkit.Equal(t, fill[3], 2, "medians", fill)
	if mean, err := d.X.Typical(context.Background(), "mean", nil, nil); err != nil || mean[3] != 2 {
		t.Errorf("means %v, %v", mean, err)
	}
	d.X = d.X.Filled(fill, true)
	if d.X.At(1, 3) != 2 || d.Check() != nil {
		t.Errorf("filled in: %v", d.X.At(1, 3))
	}

	other := tableFile(t, "species,zip,size,color,id\na,10,1,mauve,x\nb,99,2,red,y\n")
	e, said := reading(t, other, OpenOptions{Form: d.Form})
	testkit.EqualSlices(t, rowOf(e, 0), []float64{0, 0, 0, 1, 0, 0}, "row")
	for _, part := range []string{"label column species (as in the training data)",
		`such as "mauve", are encoded as all zeros (1 row)`,
		`column zip: texts that are not in the training data, such as "99", are counted as 10 (1 row)`,
		"column id (it names the rows)"} {
		testkit.Contains(t, said, part)
	}
	var ids []string
	err := Blocks(context.Background(), other, OpenOptions{Form: d.Form}, 1, func(b *Data, _ int) error {
		ids = append(ids, b.Vars["id"].Strings...)
		return nil
	})
	testkit.NoError(t, err)
	testkit.EqualSlices(t, ids, []string{"x", "y"}, "names of the rows")
	refused(t, "a column is missing", tableFile(t, "size,zip\n1,2\n"), OpenOptions{Form: d.Form},
		"no column color; the model needs the columns color, size and zip")
	refused(t, "a column more", tableFile(t, "size,zip,color,shape\n1,2,red,3\n"), OpenOptions{Form: d.Form},
		"column shape is not in the training data; leave it out with drop=shape")
}

// In a column without missing values, the first text is the base and has no value. A column with only one text is left
// out. Columns with missing values keep all their texts.
func TestBaseOfCategories(t *testing.T) {
	const text = "color,one,some,u,species\nred,x,a,1,p\nblue,x,,2,q\ngreen,x,b,4,p\nred,x,b,3,q\n"
	opt := OpenOptions{Y: "species", RequireLabels: true,
		Table: TableOptions{Learn: true, Categories: []string{"auto"}}}
	said := ""
	opt.OnReading = func(r *Reading) { said = r.String() }
	d := open(t, tableFile(t, text), opt)
	want := []string{"color=green", "color=red", "some=a", "some=b", "u"}
	if got := d.Vars["columns"].Strings; !slices.Equal(got, want) || d.Form.Columns[0].Base != "blue" {
		t.Errorf("columns %q of %+v", got, d.Form)
	}
	testkit.Contains(t, said, `column one (every row has the text "x")`)
	opt.Table.Missing = "drop" // which leaves out the row without a text
	d = open(t, tableFile(t, text), opt)
	testkit.EqualSlices(t, d.Vars["columns"].Strings, []string{"color=green", "color=red", "some=b", "u"}, "columns")
	old := &recipe.Encoding{Label: "species", Columns: []recipe.Column{{Name: "color",
		Values: []string{"blue", "red"}}}}
	old.LeftOut = []string{"one", "some", "u"} // of a file that knows no base
	d = open(t, tableFile(t, text), OpenOptions{Form: old})
	testkit.EqualSlices(t, rowOf(d, 1), []float64{1, 0}, "row")
}

// If a column has many texts, only the most frequent can be kept. Rows with another text are 0 in all of their columns.
func TestMostFrequentTexts(t *testing.T) {
	var text strings.Builder
	text.WriteString("city,u,species\n")
	for i := range 9000 {
		city := fmt.Sprintf("rare%d", i)
		switch i % 6 {
		case 0, 1, 2:
			city = "Ulm"
		case 3, 4:
			city = "Bonn"
		}
		fmt.Fprintf(&text, "%s,%d,%c\n", city, i%7, 'p'+i%2)
	}
	opt := OpenOptions{Y: "species", RequireLabels: true,
		Table: TableOptions{Learn: true, Categories: []string{"auto"}, Top: 2}}
	said := ""
	opt.OnReading = func(r *Reading) { said = r.String() }
	path := tableFile(t, text.String())
	d := open(t, path, opt)
	if got := d.Vars["columns"].Strings; !slices.Equal(got, []string{"city=Bonn", "city=Ulm", "u"}) {
		t.Fatalf("columns %q", got)
	}
	if c := d.Form.Columns[0]; c.Base != "" || math.Abs(c.Rest-1./6) > 1e-12 || d.Form.Validate() != nil {
		t.Errorf("%+v", c)
	}
	if row := rowOf(d, 5); row[0] != 0 || row[1] != 0 {
		t.Errorf("row %v", row)
	}
	testkit.Contains(t, said, "are encoded as all zeros (1500 rows)")
	opt.Table.Top = 0
	refused(t, "all texts", path, opt, "top:20")
}

// Every block has the names of its own rows, although the next block is being read, for one file and for several.
func TestNamesOfRowsStayWithTheirBlock(t *testing.T) {
	var text strings.Builder
	text.WriteString("size,id,label\n")
	const rows = 1000
	for i := range rows {
		fmt.Fprintf(&text, "%d,row%d,%c\n", i, i, 'a'+byte(i%2))
	}
	path := tableFile(t, text.String())
	opt := OpenOptions{RequireLabels: true, Table: TableOptions{Learn: true, ID: "id"}}
	d := testkit.Must(Open(context.Background(), path, opt))(t)
	for _, spec := range []string{path, path + "," + tableFile(t, text.String())} {
		n := 0
		err := Blocks(context.Background(), spec, OpenOptions{Form: d.Form}, 7, func(b *Data, _ int) error {
			time.Sleep(50 * time.Microsecond) // the reader goes on
			ids := b.Vars["id"].Strings
			if len(ids) != b.N() {
				return fmt.Errorf("%d names for %d rows", len(ids), b.N())
			}
			for i, id := range ids {
				if want := fmt.Sprintf("row%d", int(rowOf(b, i)[0])); id != want {
					return fmt.Errorf("row %d is called %s, want %s", n, id, want)
				}
				n++
			}
			return nil
		})
		if want := rows * (1 + strings.Count(spec, ",")); err != nil || n != want {
			t.Errorf("%d of %d rows: %v", n, want, err)
		}
	}
}

func rowOf(d *Data, i int) []float64 {
	_, cols := d.X.Dims()
	row := make([]float64, cols)
	d.X.Row(row, i)
	return row
}

// Missing values are errors with line and name, or their rows are left out, except if every row needs a prediction.
func TestMissingValues(t *testing.T) {
	path := tableFile(t, mixedTable)
	refused(t, "error", path, learning("error", "auto"), `line 3, column "size" has no value`)
	d := open(t, path, learning("drop", "auto"))
	if d.N() != 3 || d.Form.Missing != "drop" {
		t.Errorf("%d rows are left, %+v", d.N(), d.Form)
	}
	refused(t, "predictions", path, OpenOptions{Form: d.Form},
		`line 3, column "size" has no value; fill it in, or fit the model with missing=median or mean`)
	refused(t, "a text where a model has numbers", tableFile(t, "a,b\n1,2\nx,3\n"), OpenOptions{
		Features: []string{"a", "b"}, Y: "none"}, `column "a": "x" is not a number; write a number`)
	refused(t, "a column without values", tableFile(t, "u,v,species\n,1,a\n,2,b\n"), OpenOptions{RequireLabels: true,
		Table: TableOptions{Learn: true, Missing: "drop"}}, "no rows are left")
	refused(t, "texts without --categories", path, learning("median"),
		`line 2, column "color": "red" is not a number`)
	_, err := NewTable(2, 2, []float64{1, math.NaN(), 2, math.NaN()}).Typical(context.Background(),
		"median", nil, nil)
	testkit.ErrorContains(t, err, "column 1 has no value in any of 2 rows")
}

// Columns are kept and left out by name, several files share one form, and a column with too many texts is an error.
func TestFormsOfManyTables(t *testing.T) {
	opt := learning("mean", "auto")
	opt.Table.Keep, opt.Table.ID = []string{"color"}, ""
	d := open(t, tableFile(t, mixedTable), opt)
	if !d.Form.Only || len(d.Form.Columns) != 1 || d.Form.LeftOut != nil {
		t.Errorf("%+v", d.Form)
	}
	a, b := tableFile(t, "c,v,y\nred,1,p\nred,2,q\n"), tableFile(t, "v,c,y\n3,blue,p\n4,red,q\n")
	both := open(t, a+","+b, OpenOptions{RequireLabels: true, Y: "y",
		Table: TableOptions{Learn: true, Categories: []string{"auto"}}})
	if got := both.Vars["columns"].Strings; !slices.Equal(got, []string{"c=red", "v"}) || both.N() != 4 {
		t.Errorf("%q, %d rows", got, both.N())
	}
	var many strings.Builder
	many.WriteString("name,v,y\n")
	for i := range mostValues + 1 {
		many.WriteString("n" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("z", i/26) + ",1,p\n")
	}
	refused(t, "names", tableFile(t, many.String()), OpenOptions{Y: "y",
		Table: TableOptions{Learn: true, Categories: []string{"auto"}}}, "too many for categories")
	refused(t, "an array", npz(t, xArray), OpenOptions{Table: TableOptions{Learn: true, Categories: []string{"auto"}}},
		"work only with columns of single values")
	refused(t, "an array with a column to leave out", npz(t, xArray), OpenOptions{Table: TableOptions{Learn: true,
		Drop: []string{"0"}}}, "works only with csv and tsv tables")
}

// If no labels are found, the error lists the variables that could be the labels.
func TestLabelCandidates(t *testing.T) {
	d := &Data{Source: "d", X: NewTable(2, 1, []float64{1, 2}), Vars: map[string]*Array{
		"kind": {Name: "kind", Shape: []int{2}, Int64: []int64{0, 1}}, "rate": {Name: "rate", Shape: []int{1},
			Int64: []int64{5}}}}
	err := finish(d, OpenOptions{RequireLabels: true}, nil)
	testkit.ErrorContains(t, err, "these arrays have a value for each observation: kind")
}

// While a form is being learned there are no training data yet, so the reason for the label column is unchanged.
func TestLearningNamesTheReasonOfTheLabels(t *testing.T) {
	said := ""
	path := tableFile(t, "c,b,label\nred,1,x\nblue,3,y\nred,5,x\n")
	open(t, path, OpenOptions{OnReading: func(r *Reading) { said = r.String() },
		Table: TableOptions{Learn: true, Categories: []string{"auto"}}})
	testkit.Contains(t, said, "label column label (by its name)")
}
