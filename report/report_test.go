package report

import (
	"bytes"
	"encoding/xml"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"rao/gaussian"
	"rao/internal/indices"
	"rao/internal/scoring"
	"rao/internal/testkit"
)

// gallery returns one figure of each kind, with values that are hard to draw.
func gallery(t testing.TB) map[string]*Figure {
	filters := mat.NewDense(12, 3, nil)
	filters.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(i*j + i)) }, filters)
	filters.Set(3, 1, math.NaN())
	stats := &gaussian.Statistics{Classes: []string{"a & b", "<c>"}, Counts: []int{5, 5}, Dim: 3,
		Means:       []float64{1, 0, 0, -1, 0.5, 0},
		Covariances: []float64{1, 0.5, 0, 0.5, 1, 0, 0, 0, 0, 2, -1, 0, -1, 1, 0, 0, 0, 3}}
	channels := []string{"Fz", "C3", "Cz", "C4", "Pz", "EOG"}
	scalp := testkit.Must(ScalpMap("Scalp", channels, [][]float64{{1, 2, 3, 4, 5, 9}, {0, 0, 0, 0, 0, 0}},
		[]string{"one", "none"}, ScalpOptions{Separate: true}))(t)
	nan, inf := math.NaN(), math.Inf(1)
	return map[string]*Figure{
		"bars": Bars("Bars <&>",
			[]Bar{{Label: "a \"quoted\" label", Value: 0.5, Low: 0.4, High: 0.6, Note: "2 s"},
				{Label: "b", Value: nan, Low: nan, High: inf},
				{Label: "c", Value: -0.2}},
			Axis{Label: "accuracy", Percent: true, Mark: 0.25, MarkLabel: "chance"}),
		"points": Bars("Points", []Bar{{Label: "a", Value: 0.91, Low: 0.7, High: 0.95}, {Label: "b", Value: 0.2}},
			Axis{Percent: true, Min: 0.8, Max: 1}),
		"no bars": Bars("", nil, Axis{}),
		"filters": Filters("Filters", filters, [3]int{3, 4, 1}),
		"color":   Filters("Color", filters, [3]int{2, 2, 3}, "first"),
		"confusion": Confusion("Confusion", [][]int{{5, 1, 0}, {0, 0, 0}, {123456, 2, 3}},
			[]string{"left", "a rather long name of a class", "x"}),
		"lines": Lines("Lines",
			[]Line{{Name: "a", Y: []float64{1, nan, 3, inf, 2}},
				{Name: "b", X: []float64{0.01, 1, 100}, Y: []float64{1, 2, 3}, Low: []float64{0, 1, nan},
					High: []float64{2, 3, 4}, Dashed: true}},
			PlotOptions{X: Axis{Log: true, Label: "x"}, Markers: true, Diagonal: true,
				Marks: Points{Name: "found", X: []float64{1, nan}, Y: []float64{2, 1}}}),
		"flat":     Lines("Flat", []Line{{Y: []float64{3, 3, 3}}}, PlotOptions{}),
		"no lines": Lines("Nothing", nil, PlotOptions{}),
		"scatter": Scatter("Scatter",
			[]Points{{Name: "p", X: []float64{1, nan}, Y: []float64{2, 3}, Label: []string{"first", "second"}},
				{Name: "q", X: []float64{1.5}, Y: []float64{2.5}, Large: true}},
			PlotOptions{Diagonal: true}),
		"matrices": matricesFigure("Matrices", [][]float64{{1, -2, -2, 5}, {0, 0, 0, nan}}, 2, []string{"m", "n"},
			[]string{"C3", "C4"}),
		"ellipses": Ellipses("Ellipses", stats, mat.NewDense(3, 2, []float64{1, 0, 0, 1, 0, 0.1}),
			[][2]int{{0, 1}, {1, 2}}, EllipsesOptions{}),
		"ellipses and points": Ellipses("Points", stats, nil, [][2]int{{0, 1}, {1, 2}}, EllipsesOptions{Axis: "feature",
			Points: mat.NewDense(3, 3, []float64{1, 0, 0, -1, 40, 0, nan, 0, 0}), Labels: []int{0, 1, 1}}),
		"reliability": twice(440, func(width float64) *Figure {
			return drawReliability([]scoring.ReliabilityBin{{Confidence: 0.1, Accuracy: 0.2, Count: 3}, {},
				{Confidence: 0.9, Accuracy: nan, Count: 4}}, 0.1, width)
		}),
		"scalp": scalp,
		"histogram": Histogram("Histogram", []float64{1, 2, 2, nan, 3, inf},
			Axis{Label: "F", Mark: 9, MarkLabel: "observed"}),
		"no histogram": Histogram("Nothing", nil, Axis{Mark: nan}),
		"segments": Segments("Segments", [][]int{{0, 1, 2, -1, 0, 0}, {0, 0, 0, 0, 0, 0}}, 2, 3,
			[]string{"a", "b"}),
		"tensors": Tensors("Tensors", [][]mat.Symmetric{
			{mat.NewSymDense(2, []float64{1, 0.5, 0.5, 1}), mat.NewSymDense(2, []float64{nan, nan, nan, nan})},
			{mat.NewSymDense(2, []float64{4, 0, 0, 0.1}), mat.NewSymDense(2, []float64{2, -1, -1, 2})}}),
	}
}

// wellFormed fails the test unless b is XML with no id used twice, and returns its text.
func wellFormed(t *testing.T, what string, b []byte, html bool) string {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(b))
	if html {
		d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	}
	ids := map[string]bool{}
	var text strings.Builder
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return text.String()
		}
		testkit.NoError(t, err, what)
		switch e := tok.(type) {
		case xml.CharData:
			text.Write(e)
		case xml.StartElement:
			for _, a := range e.Attr {
				if strings.Contains(a.Value, "NaN") || strings.Contains(a.Value, "Inf") {
					t.Errorf("%s: <%s %s=%q>", what, e.Name.Local, a.Name.Local, a.Value)
				}
				if a.Name.Local == "id" {
					if ids[a.Value] {
						t.Errorf("%s: id %s is used twice", what, a.Value)
					}
					ids[a.Value] = true
				}
			}
		}
	}
}

func TestFiguresAreWellFormedDeterministicAndDescribed(t *testing.T) {
	again := gallery(t)
	for name, f := range gallery(t) {
		svg := f.SVG()
		wellFormed(t, name, svg, false)
		testkit.EqualSlices(t, svg, again[name].SVG(), name, "the same input gives other SVG")
		img := f.PNG(48)
		testkit.EqualSlices(t, img, again[name].PNG(48), name, "the same input gives other PNG")
		decoded := testkit.Must(png.Decode(bytes.NewReader(img)))(t)
		w, h := f.Size()
		if b := decoded.Bounds(); math.Abs(float64(b.Dx())-w/2) > 1.01 || math.Abs(float64(b.Dy())-h/2) > 1.01 {
			t.Errorf("%s: PNG of %v for a figure of %g×%g", name, b, w, h)
		}
		if name != "no bars" && (f.Alt == "" || !strings.Contains(string(svg), "<desc")) {
			t.Errorf("%s has no words for readers who do not see it", name)
		}
	}
}

// Text must lie within the figure: nothing is cut off at the edges.
func TestTextLiesWithinTheFigure(t *testing.T) {
	figures := gallery(t)
	for name, f := range gallery(t) {
		if f.narrow != nil {
			figures[name+" on a phone"] = f.narrow
		}
	}
	for name, f := range figures {
		for _, o := range f.ops {
			if o.kind != opText {
				continue
			}
			w := textWidth(o.text, o.size, o.bold)
			x0, x1, y0, y1 := o.x-o.anchor*w, o.x+(1-o.anchor)*w, o.y-o.size/2, o.y+o.size/2
			if o.rotate {
				x0, x1, y0, y1 = o.x-o.size/2, o.x+o.size/2, o.y-(1-o.anchor)*w, o.y+o.anchor*w
			}
			if x0 < 0 || y0 < 0 || x1 > f.w+0.5 || y1 > f.h+0.5 {
				t.Errorf("%s: %q spans %.0f..%.0f × %.0f..%.0f of %.0f×%.0f", name, o.text, x0, x1, y0, y1, f.w, f.h)
			}
		}
	}
}

// On a phone a drawing fits the screen width, with letters as large as on other screens.
func TestFiguresForPhones(t *testing.T) {
	for name, f := range gallery(t) {
		w, _ := f.Size()
		switch {
		case name == "scalp":
		case w > narrowWidth && f.narrow == nil:
			t.Errorf("%s is %.0f wide and has no drawing for phones", name, w)
		case f.narrow != nil && f.narrow.w > narrowWidth:
			t.Errorf("%s is %.0f wide on a phone", name, f.narrow.w)
		case f.narrow != nil && f.narrow.Alt != f.Alt:
			t.Errorf("%s is described otherwise on a phone: %q", name, f.narrow.Alt)
		}
	}
	var b bytes.Buffer
	testkit.NoError(t, HTML(&b, Page{Sections: []Section{{Figures: []*Figure{gallery(t)["bars"]}}}}))
	if s := b.String(); strings.Count(s, `<figure class="broad">`) != 1 ||
		strings.Count(s, `<figure class="narrow"`) != 1 {
		t.Error("the page lacks one of the two drawings")
	}
}

func TestPageIsOneFileThatEscapesItsText(t *testing.T) {
	var figures []*Figure
	for _, name := range []string{"bars", "lines", "bars"} { // a figure may stand twice
		figures = append(figures, gallery(t)[name])
	}
	page := Page{Title: "T <script>alert(1)</script>", Subtitle: "a & b", Footer: "made by rao",
		Sections: []Section{{Heading: "One", Text: "first\n\nsecond", Figures: figures, Note: "small"},
			{Table: &Table{Caption: "results", Header: []string{"method", "accuracy", "p"},
				Rows: [][]string{{"<b>sqfa</b>", "93.1 %", "–"}, {"pca", "87.8 ± 0.2", "<0.01"}}}},
			{Heading: "3"}, {Heading: "4"}, {Heading: "5"}}}
	var b, c bytes.Buffer
	testkit.NoError(t, HTML(&b, page))
	testkit.NoError(t, HTML(&c, page))
	s := b.String()
	testkit.Equal(t, s, c.String(), "the same page gives other bytes")
	for _, bad := range []string{"<script", "<b>sqfa", "http://", "https://", "<link", "@import"} {
		if strings.Contains(strings.ReplaceAll(s, "http://www.w3.org/2000/svg", ""), bad) {
			t.Errorf("the page contains %q", bad)
		}
	}
	for _, want := range []string{"<!doctype html>", `lang="en"`, `name="viewport"`, "prefers-color-scheme: dark",
		"<p>second</p>", "<caption>results</caption>",
		`<td class="n">93.1 %</td>`, "<td>&lt;0.01</td>", `<a href="#s1">One</a>`, `role="img"`, "default-src 'none'"} {
		testkit.Contains(t, s, want, "the page lacks")
	}
	wellFormed(t, "page", b.Bytes(), true)
}

// If the axis does not start at zero, bars would show wrong ratios, so points are drawn instead.
func TestNoBarsOnACutAxis(t *testing.T) {
	bars := []Bar{{Label: "a", Value: 0.91}}
	for min, want := range map[float64]bool{0: true, 0.8: false} {
		f := Bars("x", bars, Axis{Min: min, Max: 1})
		drawn := indices.Count(f.ops[1:], func(o op) bool { return o.kind == opRect })
		testkit.Equal(t, (drawn > 0), want, "axis from", min, drawn, "bars")
	}
}

func TestHTMLReturnsTheWritersError(t *testing.T) {
	testkit.Equal(t, HTML(failing{}, Page{Title: "x"}), io.ErrShortWrite, "error")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteFile(t *testing.T) {
	f := Bars("x", []Bar{{Label: "a", Value: 1}}, Axis{})
	dir := t.TempDir()
	for _, name := range []string{"a.svg", "a.PNG", "a.pdf"} {
		testkit.NoError(t, f.WriteFile(filepath.Join(dir, name)))
		if st, err := os.Stat(filepath.Join(dir, name)); err != nil || st.Size() == 0 {
			t.Error(name, err)
		}
	}
	testkit.ErrorContains(t, f.WriteFile(filepath.Join(dir, "a.gif")), `cannot be written as ".gif"`, "gif")
}

func TestPNGScalesWithDots(t *testing.T) {
	f := Bars("x", []Bar{{Label: "a", Value: 1}}, Axis{})
	small := testkit.Must(png.DecodeConfig(bytes.NewReader(f.PNG(96))))(t)
	large := testkit.Must(png.DecodeConfig(bytes.NewReader(f.PNG(192))))(t)
	testkit.Equal(t, large.Width, 2*small.Width, "width at twice the dots per inch")
}

func TestScalpPositions(t *testing.T) {
	for name, want := range map[string]point{"Cz": {0, 0}, "Fz": {0, 0.4}, "Pz": {0, -0.4}, "T7": {-0.8, 0},
		"T4": {0.8, 0}, "EEG C3-REF": {-0.4, 0}, "Oz": {0, -0.8}, "c4.": {0.4, 0}} {
		x, y, ok := scalpPosition(name)
		if !ok || math.Hypot(x-want.x, y-want.y) > 1e-9 {
			t.Errorf("%s: %.3f, %.3f, %v, want %v", name, x, y, ok, want)
		}
	}
	for _, c := range []string{"Fp1", "AF7", "F7", "F3", "FC5", "C1", "TP7", "P3", "PO7", "O1"} {
		mirror := c[:len(c)-1] + string(c[len(c)-1]+1)
		x, y, ok := scalpPosition(c)
		u, v, ok2 := scalpPosition(mirror)
		if !ok || !ok2 || x >= 0 || math.Abs(x+u) > 1e-12 || math.Abs(y-v) > 1e-12 {
			t.Errorf("%s at %g, %g and %s at %g, %g are not mirrored", c, x, y, mirror, u, v)
		}
	}
	for _, name := range []string{"", "EOG", "C", "C11", "X3", "C3x", "C0"} {
		if _, _, ok := scalpPosition(name); ok {
			t.Errorf("%q has a place on the scalp", name)
		}
	}
	_, err := ScalpMap("", []string{"Cz", "EOG", "ch1", "C3"}, [][]float64{{1, 2, 3, 4}}, []string{"m"}, ScalpOptions{})
	testkit.ErrorContains(t, err, "only 2 of Cz, EOG, ch1, C3", "unknown channels")
	_, err = ScalpMap("", []string{"Cz", "C4", "Fz", "C3"}, [][]float64{{1, 2, math.NaN(), 4}}, []string{"m"},
		ScalpOptions{})
	testkit.ErrorContains(t, err, "value NaN at Fz", "NaN")
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		log    bool
		want   string
	}{
		{0, 1, false, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{-0.5, 0.5, false, "−0.4 −0.2 0.0 0.2 0.4"},
		{0, 3e6, false, "0 1e6 2e6 3e6"},
		{1, 1000, true, "1 10 100 1000"},
		{0.5, 20, true, "0.5 1 2 5 10 20"},
		{1e-6, 1e6, true, "1e-6 0.001 1 1000 1e6"},
		{7, 7.5, false, "7.0 7.1 7.2 7.3 7.4 7.5"},
		{-0.6, 0.6, false, "−0.50 −0.25 0.00 0.25 0.50"},
	} {
		_, labels := ticks(c.lo, c.hi, 5, c.log)
		testkit.Equal(t, strings.Join(labels, " "), c.want, c.lo, "..", c.hi)
	}
}

func TestShapesThatContradictPanic(t *testing.T) {
	for name, call := range map[string]func(){
		"filters":   func() { Filters("", mat.NewDense(5, 1, nil), [3]int{2, 2, 1}) },
		"confusion": func() { Confusion("", [][]int{{1}}, []string{"a", "b"}) },
		"lines":     func() { Lines("", []Line{{X: []float64{1}, Y: []float64{1, 2}}}, PlotOptions{}) },
		"scatter":   func() { Scatter("", []Points{{X: []float64{1}, Y: []float64{1, 2}}}, PlotOptions{}) },
		"matrices":  func() { matricesFigure("", [][]float64{{1, 2}}, 2, []string{"a"}, nil) },
	} {
		testkit.Equal(t, testkit.Panic(call), any(mat.ErrShape), name)
	}
}

// Intervals of a curve are drawn as bars at its points on request.
func TestErrorBars(t *testing.T) {
	l := []Line{{X: []float64{1, 2}, Y: []float64{1, 2}, Low: []float64{0.5, 1}, High: []float64{1.5, 3}}}
	band, bars := Lines("x", l, PlotOptions{}), Lines("x", l, PlotOptions{ErrorBars: true})
	if got := len(bars.ops) - len(band.ops); got != 5 { // two bars of three lines for one band
		t.Errorf("%d more parts than with a band, want 5", got)
	}
}

// A plane with only points shows all of them, however far they are from the origin. All marks of a plane have the same
// scale.
func TestPlaneOfPoints(t *testing.T) {
	stats := &gaussian.Statistics{Classes: []string{"a"}, Counts: []int{5}, Dim: 2, Means: []float64{1000, 2000},
		Covariances: []float64{1, 0, 0, 4}}
	x := mat.NewDense(3, 2, []float64{999, 2000, 1000, 2005, 1004, 1990})
	f := Ellipses("far", stats, nil, [][2]int{{0, 1}}, EllipsesOptions{Points: x, Labels: []int{0, 0, 0}})
	if n := strings.Count(string(f.SVG()), "<circle"); n < 4 {
		t.Errorf("%d circles for three points and a mean", n)
	}
	f = Ellipses("far", stats, nil, [][2]int{{0, 1}}, EllipsesOptions{})
	if n := strings.Count(string(f.SVG()), "<circle"); n < 1 {
		t.Errorf("%d circles for a mean", n)
	}
}

// A map ends a little beyond the outermost electrodes.
func TestHull(t *testing.T) {
	edge := hull([]point{{0, 0}, {1, 1}, {-1, 1}, {0.2, 0.3}, {-1, -1}, {1, -1}, {0, 1}})
	if len(edge) != 4 {
		t.Fatalf("hull %v of a square", edge)
	}
	for _, c := range []struct {
		p    point
		want float64
	}{{point{0, 0}, -1}, {point{1.5, 0}, 0.5}, {point{0, -1}, 0}, {point{0.5, 0.25}, -0.5}} {
		testkit.Near(t, beyond(edge, c.p), c.want, 1e-12, c.p, "beyond")
	}
}

// A dash that is cut at the end of a segment continues in the next segment.
func TestDashesGoRoundCorners(t *testing.T) {
	got := dashed([]point{{0, 0}, {4, 0}, {4, 4}}, []float64{3, 2})
	want := [][]point{{{0, 0}, {3, 0}}, {{4, 1}, {4, 4}}}
	if len(got) != len(want) || !slices.Equal(got[0], want[0]) || !slices.Equal(got[1], want[1]) {
		t.Errorf("%v, want %v", got, want)
	}
	if all := dashed(want[0], nil); len(all) != 1 || !slices.Equal(all[0], want[0]) {
		t.Errorf("no dashes: %v", all)
	}
}

// A quarter turn to the left rotates every dot.
func TestTurnedTextIsTextTurned(t *testing.T) {
	const size = 64
	draw := func(turned bool) *image.RGBA {
		f := newFigure("", size, size)
		f.ops = append(f.ops, op{kind: opText, x: size / 2, y: size / 2, text: "rao", size: 20, anchor: 0.5,
			rotate: turned, fill: ink})
		img := testkit.Must(png.Decode(bytes.NewReader(f.PNG(96))))(t)
		return img.(*image.RGBA)
	}
	level, turned := draw(false), draw(true)
	dark := 0
	for y := range size {
		for x := range size {
			a, b := level.RGBAAt(x, y), turned.RGBAAt(y, size-1-x)
			if a.R < 128 {
				dark++
			}
			if math.Abs(float64(a.R)-float64(b.R)) > 24 {
				t.Fatalf("dot %d, %d: %v level, %v turned", x, y, a, b)
			}
		}
	}
	if dark < 50 {
		t.Errorf("%d dark dots", dark)
	}
}
