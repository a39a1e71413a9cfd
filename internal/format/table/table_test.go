package table

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"rao/internal/testkit"
)

func readAll(text string, opt Options) (header bool, columns []string, rows [][]string, err error) {
	t, err := NewReader(strings.NewReader(text), "t.csv", opt)
	if err != nil {
		return false, nil, nil, err
	}
	for {
		fields, err := t.Next()
		if err == io.EOF {
			return t.Header, t.Columns, rows, nil
		}
		if err != nil {
			return t.Header, t.Columns, rows, err
		}
		var row []string
		for _, f := range fields {
			row = append(row, string(f))
		}
		rows = append(rows, row)
	}
}

func TestHeaderAndDelimiter(t *testing.T) {
	for _, c := range []struct {
		what, text string
		header     bool
		columns    string
		rows       string
	}{
		{"numbers", "1,2,3\n4,5,6\n", false, "0|1|2", "1|2|3/4|5|6"},
		{"names", "a,b,label\n4,5,6\n", true, "a|b|label", "4|5|6"},
		{"class at the end, no header", "5.1,3.5,setosa\n4.9,3.0,virginica\n", false, "0|1|2",
			"5.1|3.5|setosa/4.9|3.0|virginica"},
		{"class at the end, header", "a,b,class\n5.1,3.5,setosa\n", true, "a|b|class", "5.1|3.5|setosa"},
		{"class first, no header", "x,1\ny,2\n", false, "0|1", "x|1/y|2"},
		{"a blank and semicolons, decimal points", "a;b\n1.5;2\n", true, "a|b", "1.5|2"},
		{"names without the first", ",a,b\n0,1.5,2\n", true, "|a|b", "0|1.5|2"},
		{"commas inside semicolons", "a,b;c\n1;2\n", true, "a,b|c", "1|2"},
		{"one column of numbers", "1\n2\n", false, "0", "1/2"},
		{"one column, name", "label\n2\n", true, "label", "2"},
		{"one column of text", "cat\ndog\n", false, "0", "cat/dog"},
		{"one column of text, name", "class\ndog\n", true, "class", "dog"},
		{"tabs", "1\t2\n3\t4\n", false, "0|1", "1|2/3|4"},
		{"semicolons", "a;b\n1;2\n", true, "a|b", "1|2"},
		{"blanks", " 6.0000 -1.0  0.5 \n5 1 2\n", false, "0|1|2", "6.0000|-1.0|0.5/5|1|2"},
		{"comments, empty lines, CR", "# made by hand\r\n\r\n1,2\r\n\r\n3,4", false, "0|1", "1|2/3|4"},
		{"quotes", "\"a,x\",\"b \"\"q\"\"\"\n1,\"2\"\n", true, "a,x|b \"q\"", "1|2"},
		{"line breaks in quotes", "\"a\nb\",c\r\n1,\"x\r\n\n# \"\"y\"\"\"\r\n2,z\r\n", true, "a\nb|c",
			"1|x\n\n# \"y\"/2|z"},
		{"an inch is no quote", "a;b\n1;x 5\n2;\"5\"\"\"\n", true, "a|b", "1|x 5/2|5\""},
		{"byte order mark", "\ufeffa,b\n1,2\n", true, "a|b", "1|2"},
		{"blanks around", "a , b\n 1 , 2 \n", true, "a|b", "1|2"},
		{"empty fields", "1,,3\n,5,\n", false, "0|1|2", "1||3/|5|"},
		{"header alone", "a,b\n", true, "a|b", ""},
	} {
		header, columns, rows, err := readAll(c.text, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		var lines []string
		for _, r := range rows {
			lines = append(lines, strings.Join(r, "|"))
		}
		if header != c.header || strings.Join(columns, "|") != c.columns || strings.Join(lines, "/") != c.rows {
			t.Errorf("%s: header %v, columns %q, rows %q", c.what, header, columns, lines)
		}
	}
}

func TestHeaderSaid(t *testing.T) {
	yes, no := true, false
	if h, cols, rows, _ := readAll("1,2\n3,4\n", Options{Header: &yes}); !h || len(rows) != 1 || cols[0] != "1" {
		t.Errorf("header said: %v %v %v", h, cols, rows)
	}
	if h, cols, rows, _ := readAll("a,2\n3,4\n", Options{Header: &no}); h || len(rows) != 2 || cols[0] != "0" {
		t.Errorf("no header said: %v %v %v", h, cols, rows)
	}
}

func TestBadTables(t *testing.T) {
	for _, c := range []struct{ what, text, want string }{
		{"empty", "", "t.csv: the table is empty"},
		{"comments only", "# a\n\n", "the table is empty"},
		{"ragged", "1,2\n3,4\n5\n", "line 3 has 1 field, but the first line has 2; every row needs the same columns"},
		{"open quote", "1,2\n\"3,4\n", "line 2, column 0: a quote is not closed"},
		{"open quote far from the end", "1,2\n\"3,4\n" + strings.Repeat("5,6\n", 1<<18),
			"line 2: a quote is not closed within 1024 KiB"},
		{"open quote before a quote", "1,2\n\"3,4\n5,\"6\"\n", "line 2, column 0: a quote is not closed"},
		{"bare quote", "a,b\n1,5\"\n2,3\n", "line 2, column 1: a quote inside an unquoted field"},
		{"after quote", "1,2\n3,\"4\"x\n", "line 2, column 1: text after a closing quote"},
		{"binary", "1,\x00\n", "not a text file"},
		{"one bad field", "5.1,oops,1.4,a\n4.9,3.0,1.4,b\n",
			`line 1 may contain the column names or the first row: "oops" of column 1 is not a number`},
		{"names that are numbers", "0,1,2,label\n5.1,3.5,1.4,setosa\n", "line 1 may contain the column names"},
		{"numbers that count", "0,1,2,3\n0.5,1.5,0.1,0.2\n", "its numbers count up, like names; set header=yes or " +
			"header=no"},
		{"years", "1990,2000,2010\n0.5,1.5,0.1\n", "count up"},
		{"pixels", "1,2,3,4,5\n0,0,0,0,9\n", "count up"},
		{"one name twice", "a,b,a\n1,2,3\n", `columns 0 and 2 (counted from 0) are both named "a"`},
		{"Latin-1", "gr\xfcn,1\nrot,2\n", "line 1 is not UTF-8 text; set csv=encoding=latin-1"},
		{"UTF-16", "\xff\xfea\x00", "UTF-16 text"},
	} {
		_, _, _, err := readAll(c.text, Options{})
		testkit.ErrorContains(t, err, c.want, c.what)
	}
}

func TestLineNumbersCountLinesInQuotes(t *testing.T) {
	r := testkit.Must(NewReader(strings.NewReader("a,b\n\"1\n\",2\n3,4\n"), "t", Options{}))(t)
	for i, want := range []int{2, 4} {
		if _, err := r.Next(); err != nil || r.Line() != want {
			t.Errorf("row %d at line %d, want %d (%v)", i, r.Line(), want, err)
		}
	}
}

func TestLineNumbersCountSkippedLines(t *testing.T) {
	r := testkit.Must(NewReader(strings.NewReader("# one\na,b\n\n1,2\n# five\n3,4\n"), "t", Options{}))(t)
	for i, want := range []int{4, 6} {
		if _, err := r.Next(); err != nil || r.Line() != want || r.Row() != i {
			t.Errorf("row %d at line %d, want row %d at line %d (%v)", r.Row(), r.Line(), i, want, err)
		}
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("1,", 200000) + "2\n"
	_, cols, rows, err := readAll(long+long, Options{})
	if err != nil || len(cols) != 200001 || len(rows) != 2 {
		t.Errorf("%d columns, %d rows, %v", len(cols), len(rows), err)
	}
}

func TestParseFloatAgreesWithStrconv(t *testing.T) {
	for _, s := range []string{"0", "-0", "1", "-12.5", "0.1", "123456789012345", "1234567890123456789", "1e10",
		"-2.5E-3",
		".5", "5.", "0.000001", "99999.99999", "inf", "-Infinity", "1e400", "+3"} {
		got, ok := ParseFloat([]byte(s))
		want, _ := strconv.ParseFloat(s, 64)
		if !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%q: %v %v, want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "NA", "nan", "NaN"} {
		if v, ok := ParseFloat([]byte(s)); !ok || !math.IsNaN(v) {
			t.Errorf("%q: %v %v, want NaN", s, v, ok)
		}
	}
	for _, s := range []string{"a", "1a", "0x10", "1_000", "--1", ".", "-", "1.2.3", "e5"} {
		if v, ok := ParseFloat([]byte(s)); ok {
			t.Errorf("%q is taken for %v", s, v)
		}
	}
}

// True and false are 1 and 0 as values, and texts where a header or the column of labels is looked for.
func TestBooleans(t *testing.T) {
	r, err := NewReader(strings.NewReader("open,class\nTrue,False\n"), "t.csv", Options{})
	if err != nil || !r.Header || !r.Text[0] || !r.Text[1] {
		t.Fatalf("%v, %+v", err, r)
	}
	for text, want := range map[string]float64{"True": 1, "true": 1, "TRUE": 1, "False": 0, "false": 0, "FALSE": 0,
		"2": 2, "tRUE": -1, "yes": -1} {
		v, ok := r.Float([]byte(text))
		w, also := ParseValue([]byte(text))
		if ok != (want >= 0) || also != ok || ok && (v != want || w != want) {
			t.Errorf("%s: %v, %v and %v, %v", text, v, ok, w, also)
		}
		if _, ok := ParseFloat([]byte(text)); ok != (text == "2") {
			t.Errorf("%s is a number in digits: %v", text, ok)
		}
	}
}

// Numbers of every length and size are rounded as strconv rounds them.
func TestParseFloatRoundsRight(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for range 200000 {
		digits := strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10)
		point := rng.IntN(len(digits) + 1)
		s := digits[:point] + "." + digits[point:]
		if rng.IntN(3) == 0 {
			s += "e" + strconv.Itoa(rng.IntN(60)-30)
		}
		got, ok := ParseFloat([]byte(s))
		if want, err := strconv.ParseFloat(s, 64); err == nil && (!ok || got != want) {
			t.Fatalf("%s: %v %v, want %v", s, got, ok, want)
		}
	}
	for range 100000 { // what writers of tables print
		v := rng.NormFloat64() * math.Pow(10, float64(rng.IntN(9)-4))
		for _, s := range []string{strconv.FormatFloat(v, 'g', -1, 64), strconv.FormatFloat(v, 'e', 18, 64)} {
			if got, ok := ParseFloat([]byte(s)); !ok || got != v {
				t.Fatalf("%s: %v %v, want %v", s, got, ok, v)
			}
		}
	}
}

// pickAll checks that Pick reads the even columns as numbers, and an odd last column as text, like Next and Float.
func pickAll(t *testing.T, text string) {
	slow, err1 := NewReader(strings.NewReader(text), "t", Options{})
	quick, err2 := NewReader(strings.NewReader(text), "t", Options{})
	if err1 != nil || err2 != nil {
		return
	}
	want := make([]Want, len(slow.Columns))
	var numbers []int
	for j := 0; j < len(want); j += 2 {
		want[j], numbers = Number, append(numbers, j)
	}
	last := len(want) - 1
	if last > 0 && last%2 == 1 {
		want[last] = Text
	}
	values := make([]float64, len(numbers))
	for {
		row, err := slow.Next()
		got, err2 := quick.Pick(want, values)
		var bad *NumberError
		if errors.As(err2, &bad) {
			if v, ok := slow.Float(row[bad.Column]); ok {
				t.Fatalf("%q: field %d is %v", text, bad.Column, v)
			}
			return
		}
		if fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("%q: %v, want %v", text, err2, err)
		}
		if err != nil {
			return
		}
		for k, j := range numbers {
			v, ok := slow.Float(row[j])
			if !ok || math.Float64bits(v) != math.Float64bits(values[k]) && v == v {
				t.Fatalf("%q: column %d is %v, want %v", text, j, values[k], v)
			}
		}
		if want[last] == Text && string(got[last]) != string(row[last]) {
			t.Fatalf("%q: text %q, want %q", text, got[last], row[last])
		}
		if slow.Line() != quick.Line() || slow.Row() != quick.Row() {
			t.Fatalf("%q: line %d and row %d, want %d and %d", text, quick.Line(), quick.Row(), slow.Line(), slow.Row())
		}
	}
}

func TestPickAgreesWithNext(t *testing.T) {
	for _, text := range []string{"a,b\n1,2\n", "1,x\n2,y\n,z\n nan ,q\n1e5,\"a,b\"\n", "1,2,3\n4,5\n",
		"1,2,3\n4,5,6,7\n",
		"1.5,a\nx,b\n", "1\t2\tc\n3\t4\td\n", "1 2 c\n3 4 d\n", "0.12345678901234567,a\r\n1e-320,b\r\n", "1,a\n-,b\n"} {
		pickAll(t, text)
	}
}

func FuzzTable(f *testing.F) {
	f.Add("a,b\n1,2\n")
	f.Add("\"a\"\"b\";c\n1;2")
	f.Add("1 2 3\n\t4 5 6")
	f.Fuzz(func(t *testing.T, text string) {
		pickAll(t, text)
		_, columns, rows, err := readAll(text, Options{})
		if err != nil {
			return
		}
		for _, r := range rows {
			testkit.Equal(t, len(r), len(columns), fmt.Sprintf("row %q with columns %q", r, columns))
		}
	})
}

func FuzzParseFloat(f *testing.F) {
	for _, s := range []string{"1.5", "-3", "1e5", "nan"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := ParseFloat([]byte(s))
		want, err := strconv.ParseFloat(s, 64)
		plain := !slices.ContainsFunc([]byte(s), func(c byte) bool { return c == '_' || c == 'x' || c == 'X' })
		if err == nil && plain && (!ok || math.Float64bits(got) != math.Float64bits(want) && want == want) {
			t.Errorf("%q: %v %v, want %v", s, got, ok, want)
		}
		if missing := s == "" || s == "NA" || s == "N/A"; ok && err != nil && !missing &&
			!errors.Is(err, strconv.ErrRange) {
			t.Errorf("%q: %v, and strconv says %v", s, got, err)
		}
	})
}

// Ambiguities of a table's text are named in the error.
func TestTablesByName(t *testing.T) {
	for _, c := range []struct {
		what, text string
		opt        Options
		rows       string
	}{
		{"decimal commas", "a;b\n1,5;2\n", Options{DecimalComma: true}, "1.5 2"},
		{"decimal commas, no header", "1,5;-2,25\n3,5;4\n", Options{DecimalComma: true}, "1.5 -2.25/3.5 4"},
		{"decimal commas, blanks", "1,5 2\n", Options{DecimalComma: true}, "1.5 2"},
		{"rows that start with #", "#1,2\n3,4\n", Options{NoComments: true}, "? 2/3 4"},
		{"tabs said", "1,5\t2\n", Options{Comma: '\t'}, "? 2"},
	} {
		no := false
		if c.what == "rows that start with #" || c.what == "tabs said" {
			c.opt.Header = &no
		}
		r := testkit.Must(NewReader(strings.NewReader(c.text), "t.csv", c.opt))(t, c.what)
		var rows []string
		for {
			fields, err := r.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			var row []string
			for _, f := range fields {
				if v, ok := r.Float(f); ok {
					row = append(row, strconv.FormatFloat(v, 'g', -1, 64))
				} else {
					row = append(row, "?")
				}
			}
			rows = append(rows, strings.Join(row, " "))
		}
		testkit.Equal(t, strings.Join(rows, "/"), c.rows, c.what)
	}
	r := testkit.Must(NewReader(strings.NewReader("gr\xfcn,1\n# b\nrot,2\n"), "t.csv", Options{Latin1: true}))(t)
	if f, err := r.Next(); err != nil || string(f[0]) != "grün" || !slices.Equal(r.Text, []bool{true, false}) ||
		r.Comments != 1 {
		t.Errorf("%q, %v, %v, %d comments", f, r.Text, err, r.Comments)
	}
	testkit.Fails(t,
		testkit.ErrorOf(NewReader(strings.NewReader("1,5,2\n"), "t.csv", Options{Comma: ',', DecimalComma: true})),
		"decimal commas between commas are read")
}
