package lsl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"rao/internal/testkit"
)

// reference returns the values in testdata/peer.py.
func reference(f Format) (values []float64, texts []string) {
	return map[Format][]float64{Float32: {0, -1.5, 3.25}, Float64: {-1e300, 5e-324, 0.1}, Int8: {-128, 127, 0},
			Int16: {-32768, 32767, 258}, Int32: {-1 << 31, 1<<31 - 1, 65538}, Int64: {-1 << 53, 1 << 53, -3}}[f],
		map[Format][]string{Text: {"", "left", strings.Repeat("ü", 300)}}[f]
}

// The bytes that liblsl 1.18 sends to a consumer (testdata/make.py) are read completely and give the samples that were
// sent.
func TestStreamsOfTheReference(t *testing.T) {
	for f := range Format(len(formatNames)) {
		b := testkit.Must(os.ReadFile("testdata/streamfeed_" + f.String() + ".bin"))(t)
		r := bufio.NewReader(bytes.NewReader(b))
		head := testkit.Must(readResponse(r, uidOf(t, b)))(t, f)
		c := newCodec(f, 3, head)
		testkit.NoError(t, c.checkPattern(r), f)
		want, words := reference(f)
		got, texts := c.buffers()
		for k, stamp := range []float64{1000, 1000.48, 0, 0} {
			at, stamped, err := c.read(r, got, texts)
			if err != nil || math.Abs(at-stamp) > 1e-9 || stamped != (stamp > 0) {
				t.Fatalf("%v: sample %d at %v, %v, %v", f, k, at, stamped, err)
			}
			testkit.EqualSlices(t, got, want, f)
			testkit.EqualSlices(t, texts, words, f)
		}
		if _, _, err := c.read(r, got, texts); err != io.EOF {
			t.Errorf("%v: %v behind the samples", f, err)
		}
		if head := bytes.Index(b, []byte("\r\n\r\n")); !bytes.HasPrefix(b[head+4:], c.appendPatterns(nil)) {
			t.Errorf("%v: our test patterns are other bytes", f)
		}
	}
}

// uidOf finds the uid in the head of a response.
func uidOf(t *testing.T, b []byte) string {
	_, rest, ok := strings.Cut(string(b), "UID: ")
	if !ok {
		t.Fatal("no uid")
	}
	return rest[:36]
}

// Requests of a liblsl inlet are answered.
func TestRequestOfTheReference(t *testing.T) {
	b := testkit.Must(os.ReadFile("testdata/request.bin"))(t)
	r := bufio.NewReader(bytes.NewReader(b))
	line := testkit.Must(readLine(r))(t)
	method, uid, _ := strings.Cut(line, " ")
	info := amplifier()
	info.UID = uid
	o := &Outlet{info: info, limit: 1 << 20}
	head, order, limit := o.feed(method, uid, r)
	if order == nil || order.String() != "LittleEndian" || limit != 36000 {
		t.Errorf("%q, %v, %d", head, order, limit)
	}
}

// Smoothed times equal the times from liblsl's own smoothing.
func TestDejitterAgreesWithTheReference(t *testing.T) {
	var gold struct {
		Rate        float64
		Raw, Smooth []float64
	}
	testkit.ReadJSON(t, "testdata/dejitter.json", &gold)
	d := newDejitter(gold.Raw[0], gold.Rate, defaultHalftime)
	for k, at := range gold.Raw {
		if got := d.push(at); math.Abs(got-gold.Smooth[k]) > 1e-9 {
			t.Fatalf("sample %d: %.12f, liblsl has %.12f", k, got, gold.Smooth[k])
		}
	}
}

// A line through noisy times is found, whatever the time it begins at.
func TestDejitterFindsTheLine(t *testing.T) {
	for _, start := range []float64{0, 1.7e9} {
		d := newDejitter(start, 250, 0.5)
		var last float64
		for k := range 2000 {
			jitter := 0.002 * math.Sin(float64(k*k))
			last = d.push(start + float64(k)/249.5 + jitter)
		}
		if want := start + 1999/249.5; math.Abs(last-want) > 5e-4 {
			t.Errorf("from %g: off by %g", start, last-want)
		}
	}
	free := newDejitter(3, 0, 1)
	testkit.Equal(t, free.push(17.5), 17.5, "a stream without a rate is smoothed")
}

// peer starts the reference library. It skips the test unless RAO_LSL_PYTHON names a Python interpreter with pylsl.
func peer(t *testing.T, args ...string) (out *bufio.Reader, in io.Closer) {
	t.Helper()
	python := os.Getenv("RAO_LSL_PYTHON")
	if python == "" {
		t.Skip("RAO_LSL_PYTHON names no Python with pylsl, which carries the reference library")
	}
	cmd := exec.Command(python, append([]string{"testdata/peer.py"}, args...)...)
	cmd.Stderr = os.Stderr
	stdin := testkit.Must(cmd.StdinPipe())(t)
	stdout := testkit.Must(cmd.StdoutPipe())(t)
	testkit.NoError(t, cmd.Start())
	t.Cleanup(func() { stdin.Close(); _ = cmd.Wait() })
	r := bufio.NewReader(stdout)
	return r, stdin
}

// An inlet receives the samples, names, clock and source of a stream of the reference library.
func TestInletTakesTheReference(t *testing.T) {
	for f := range Format(len(formatNames)) {
		name := "serve " + f.String()
		out, stdin := peer(t, "serve", f.String(), name)
		if line, err := out.ReadString('\n'); err != nil {
			t.Fatal(line, err)
		}
		q := testkit.Must(ParseQuery("name='" + name + "' and type='EEG'"))(t)
		found, err := Resolve(patience(t), q, ResolveOptions{Local: true, Minimum: 1, Wait: 20 * time.Second})
		if err != nil || len(found) != 1 {
			t.Fatalf("%v: %d streams, %v", f, len(found), err)
		}
		in := testkit.Must(Open(patience(t), found[0], InletOptions{Raw: true, Recover: -1}))(t, f)
		c := pull(t, in, 8)
		values, texts := reference(f)
		testkit.EqualSlices(t, c.Values, slices.Repeat(values, 8), f)
		testkit.EqualSlices(t, c.Texts, slices.Repeat(texts, 8), f)
		for k, at := range c.Times {
			testkit.Near(t, at, (1000 + float64(k)/100), 1e-9, f, "sample", k, "at")
		}
		info := in.Info()
		if !slices.Equal(info.Labels(), []string{"C3", "C4", "eog"}) ||
			info.SourceID != strings.ReplaceAll(name, " ", "-") {
			t.Errorf("%v: %+v", f, info)
		}
		if o, ok := in.Offset(); ok || o.RoundTrip != 0 { // Raw asks no clock
			t.Errorf("%v: %+v", f, o)
		}
		in.compare(patience(t), 0)
		if o, ok := in.Offset(); !ok || o.RoundTrip > 0.1 {
			t.Errorf("%v: %+v %v", f, o, ok)
		}
		stdin.Close()
		in.Close()
	}
}

// The reference library receives our samples, names and clock.
func TestReferenceTakesOutlet(t *testing.T) {
	for f := range Format(len(formatNames)) {
		info := amplifier()
		info.Name, info.Format, info.Rate = "take "+f.String(), f, 100
		o := offer(t, info, OutletOptions{})
		out, _ := peer(t, "take", f.String(), info.Name)
		if line, err := out.ReadString('\n'); err != nil {
			t.Fatal(line, err)
		}
		testkit.NoError(t, o.Wait(patience(t)))
		values, texts := reference(f)
		var err error
		if f == Text {
			err = o.PushText(slices.Repeat(texts, 8), 2000.07)
		} else {
			err = o.Push(slices.Repeat(values, 8), 2000.07)
		}
		testkit.NoError(t, err)
		b := testkit.Must(io.ReadAll(out))(t)
		var got struct {
			Rows                [][]any
			Times               []float64
			Offset, Clock, Rate float64
			Labels              []string
			Count               int
			Source              string
		}
		testkit.NoError(t, json.Unmarshal(b, &got), f, b)
		if len(got.Rows) != 8 || got.Count != 3 || got.Rate != 100 || got.Source != "sn&42" ||
			!slices.Equal(got.Labels, info.Labels()) {
			t.Fatalf("%v: %+v", f, got)
		}
		for k, row := range got.Rows {
			for j, v := range row {
				same := f == Text && v == texts[j] || f != Text && v == values[j]
				if !same || math.Abs(got.Times[k]-(2000+float64(k)/100)) > 1e-9 {
					t.Errorf("%v: sample %d at %v: %v", f, k, got.Times[k], row)
				}
			}
		}
		// our clock, less the offset, is its clock
		if away := Clock() - (got.Clock - got.Offset); math.Abs(away) > 5 {
			t.Errorf("%v: the clocks are %g s apart", f, away)
		}
		o.Close()
	}
}
