package sets

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/floats"

	"rao/dataset"
	"rao/eeg"
	"rao/internal/sets"
	"rao/internal/testkit"
	"rao/recipe"
)

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func open(t *testing.T, spec string, opt dataset.OpenOptions) *dataset.Data {
	t.Helper()
	return testkit.Must(dataset.Open(context.Background(), spec, opt))(t)
}

// bnciFile returns a small file in the format of bnci2014-001.
func bnciFile(t *testing.T) []byte {
	t.Helper()
	return testkit.Must(os.ReadFile("testdata/bnci.mat"))(t)
}

// edfRun returns a small run like those of eegbci: four channels, 160 samples per second, and a trial of T0, T1 and T2
// in turn every four seconds.
func edfRun(trials int, seed uint64) []byte {
	names := []string{"Fc5.", "FCZ.", "Fp1.", "C4.."}
	const notes = 40 // bytes of annotations a record of a second
	seconds := 4*trials + 1
	var b bytes.Buffer
	text := func(width int, s string) { fmt.Fprintf(&b, "%-*s", width, s) }
	text(8, "0")
	text(80, "X X X X")
	text(80, "Startdate 12-AUG-2009 X X BCI2000")
	text(16, "12.08.0916.15.00")
	text(8, strconv.Itoa(256*(2+len(names))))
	text(44, "EDF+C")
	text(8, strconv.Itoa(seconds))
	text(8, "1")
	text(4, strconv.Itoa(len(names)+1))
	field := func(width int, signal, annotations string) {
		for range names {
			text(width, signal)
		}
		text(width, annotations)
	}
	for _, n := range names {
		text(16, n)
	}
	text(16, "EDF Annotations")
	field(80, "BCI2000", "")
	field(8, "uV", "")
	field(8, "-8092", "-1")
	field(8, "8092", "1")
	field(8, "-8092", "-32768")
	field(8, "8092", "32767")
	field(80, "HP:0Hz LP:0Hz N:0Hz", "")
	field(8, "160", strconv.Itoa(notes/2))
	field(32, "", "")
	rng := rand.New(rand.NewPCG(seed, 1))
	for s := range seconds {
		for range 160 * len(names) {
			v := uint16(int16(rng.IntN(200) - 100))
			b.Write([]byte{byte(v), byte(v >> 8)})
		}
		note := fmt.Sprintf("+%d\x14\x14\x00", s)
		if s%4 == 0 && s/4 < trials {
			note += fmt.Sprintf("+%d\x154.1\x14T%d\x14\x00", s, s/4%3)
		}
		b.WriteString(note + strings.Repeat("\x00", notes-len(note)))
	}
	return b.Bytes()
}

// localSet returns a known set whose files come from a test server. Only the addresses differ from the real set and,
// for eegbci, the digests, which are those of small files.
func localSet(t *testing.T, name string, files map[string][]byte, handler http.HandlerFunc) (*known, sets.GetOptions) {
	t.Helper()
	if handler == nil {
		handler = func(w http.ResponseWriter, r *http.Request) {
			data, ok := files[strings.TrimPrefix(r.URL.Path, "/")]
			if !ok {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("ETag", `"`+digestOf(data)[:16]+`"`)
			http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(data))
		}
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	s := lookup(name)
	published, local := s.Files, s.Files()
	s.Files = func() []sets.File { return local }
	t.Cleanup(func() { s.Files = published })
	for i := range local {
		f := &local[i]
		f.URL = []string{server.URL + "/" + f.Name}
		if data := files[f.Name]; f.SHA256 != "" && data != nil {
			f.SHA256 = digestOf(data)
		}
	}
	return s, sets.GetOptions{Cache: t.TempDir(), Wait: time.Millisecond, Client: server.Client(), Retries: -1}
}

// filesOfEEGBCI returns the usual runs of a subject.
func filesOfEEGBCI(subject int) map[string][]byte {
	files := map[string][]byte{}
	for _, run := range []int{4, 6, 8, 10, 12, 14} {
		files[fmt.Sprintf("S%03d/S%03dR%02d.edf", subject, subject, run)] = edfRun(6, uint64(100*subject+run))
	}
	return files
}

func TestDigestsOfEEGBCI(t *testing.T) {
	files := lookup("eegbci").Files()
	if len(files) != 109*14 || len(eegbciDigests) != 32*len(files) {
		t.Fatalf("%d files, %d bytes of digests", len(files), len(eegbciDigests))
	}
	for name, want := range map[string]string{ // lines of the published list
		"S001/S001R01.edf": "4743b736131a7e147c150e8b37711029b6cda5e356c4b3e8261a03cdcaaf8b0c",
		"S008/S008R02.edf": "dcd82e2a2477c52ca4a3dc784d9c04a55f935f2ed9ff10cfe0ec880d56c60edc",
		"S059/S059R14.edf": "341c60903abc18408b921bef74bfaa5dbed75d886f13c55b25090afa23690c16",
		"S109/S109R14.edf": "40ff8875daf98e4614854d1bb6bdf97b85b386b9caddc0dc944414fec0d049fe",
	} {
		i := slices.IndexFunc(files, func(f sets.File) bool { return f.Name == name })
		if i < 0 || files[i].SHA256 != want || files[i].URL[0] != eegbciURL+name {
			t.Errorf("%s at %d", name, i)
		}
	}
	seen := map[string]bool{}
	for _, f := range files {
		if seen[f.SHA256] {
			t.Errorf("%s has the digest of another", f.Name)
		}
		seen[f.SHA256] = true
	}
}

func TestEEGBCIFromServerToTrials(t *testing.T) {
	files := filesOfEEGBCI(7)
	s, opt := localSet(t, "eegbci", files, nil)
	opt.Subjects = []int{7}
	testkit.Must(sets.Get(context.Background(), s.Info.Name, opt))(t)
	t.Setenv("RAO_CACHE", opt.Cache)
	d := open(t, "eegbci:7", dataset.OpenOptions{RequireLabels: true})
	testkit.EqualSlices(t, d.Classes, []string{"feet", "hands", "left_hand", "right_hand"}, "classes")
	if d.Stack.Count != 6*4 || d.Stack.Dim != 4 || d.Recipe == nil || d.Recipe.Signal.Window != 481.0/160 {
		t.Errorf("%d trials of order %d, %v", d.Stack.Count, d.Stack.Dim, d.Recipe)
	}
	testkit.EqualSlices(t, d.Vars["channels"].Strings, []string{"FC5", "FCz", "Fp1", "C4"}, "channels")
	// MOABB numbers the runs 4, 8, 12 of one hand as 0 to 2, and 6, 10, 14 as 3 to 5.
	for i, l := range d.Labels {
		hand := strings.HasSuffix(d.Classes[l], "_hand")
		if run := d.Vars["run"].Strings[i]; hand != (run < "3") {
			t.Errorf("trial %d of class %s is of run %s", i, d.Classes[l], run)
		}
		if d.Vars["subject"].Strings[i] != "7" || d.Vars["session"].Strings[i] != "0" {
			t.Errorf("trial %d: subject %v, session %v", i, d.Vars["subject"].Strings[i], d.Vars["session"].Strings[i])
		}
	}
	_, err := dataset.Open(context.Background(), "eegbci:110", dataset.OpenOptions{})
	testkit.ErrorContains(t, err, "eegbci, eegbci:1 to eegbci:109", "a subject that there is not")
	_, err = dataset.Open(context.Background(), "eegbci:8", dataset.OpenOptions{})
	var absent *dataset.AbsentError
	if !errors.As(err, &absent) || absent.Set.Name != "eegbci" {
		t.Errorf("a subject that is not here: %v", err)
	}
}

func TestRunsHaveTheNamesOfMOABB(t *testing.T) {
	for _, c := range []struct {
		runs []int
		want map[int]string
	}{
		{[]int{4, 12}, map[int]string{4: "0", 12: "2"}},
		{[]int{6}, map[int]string{6: "3"}},
		{[]int{3, 13}, map[int]string{3: "0", 13: "5"}},
		{[]int{4, 3, 6, 5}, map[int]string{4: "0", 3: "3", 6: "6", 5: "9"}},
		{[]int{1}, map[int]string{1: "R01"}},
	} {
		got := nameEEGBCI(c.runs)
		for run, want := range c.want {
			testkit.Equal(t, got[run], want, "of runs", c.runs, "run", run)
		}
	}
	for _, b := range bnciSets() {
		if b.letters == nil {
			continue
		}
		session, run := b.name(b.letters(1)[1], 1)
		want := map[string]string{"001-2014": "1test 1", "002-2014": "0 6test", "004-2014": "3test 0",
			"001-2015": "1B 1"}
		testkit.Equal(t, session+" "+run, want[b.number], b.number)
	}
}

// bnciTwo returns the two files of a subject of bnci2014-001.
func bnciTwo(t *testing.T) map[string][]byte {
	return map[string][]byte{"A03T.mat": bnciFile(t), "A03E.mat": bnciFile(t)}
}

func TestBNCIFromServerToTrials(t *testing.T) {
	s, opt := localSet(t, "bnci2014-001", bnciTwo(t), nil)
	opt.Subjects = []int{3}
	dir := testkit.Must(sets.Get(context.Background(), s.Info.Name, opt))(t)
	got, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS.txt"))
	if want := digestOf(bnciFile(t)); err != nil || string(got) != want+"  A03E.mat\n"+want+"  A03T.mat\n" {
		t.Errorf("digests %q, %v", got, err)
	}
	t.Setenv("RAO_CACHE", opt.Cache)
	d := open(t, "bnci2014-001", dataset.OpenOptions{})
	if d.Stack.Count != 16 || d.Stack.Dim != 22 || len(d.Classes) != 4 {
		t.Fatalf("%d trials of order %d, classes %v", d.Stack.Count, d.Stack.Dim, d.Classes)
	}
	wantRun := []string{"0", "0", "0", "0", "1", "1", "1", "1"}
	if v := d.Vars["run"].Strings; !slices.Equal(v[:8], wantRun) || !slices.Equal(v[8:], wantRun) {
		t.Errorf("runs %v: the one without trials is not counted", v)
	}
	if v := d.Vars["session"].Strings; v[0] != "0train" || v[15] != "1test" {
		t.Errorf("sessions %v", v)
	}
	if v := d.Vars["recording"]; v.Text(0) != "0" || v.Text(15) != "3" {
		t.Errorf("recordings %v", v)
	}
	// A class is loud in its own channel.
	for i, l := range d.Labels {
		loud := map[string]int{"left_hand": 5, "right_hand": 10, "feet": 15, "tongue": 20}[d.Classes[l]]
		m := d.Stack.Sym(i)
		for c := range m.SymmetricDim() {
			if c != loud && m.At(c, c) > m.At(loud, loud)/4 {
				t.Errorf("trial %d of class %s: channel %d has %g, channel %d %g", i, d.Classes[l], c, m.At(c, c), loud,
					m.At(loud, loud))
			}
		}
	}
}

// Trials, their names and their covariances equal those of MOABB 1.7.2 on the same file (see testdata/make_moabb.py),
// whose trials have one more sample.
func TestTrialsAreMOABBs(t *testing.T) {
	var want struct {
		Samples             int
		Class, Session, Run []string
		Covariance          [][][]float64
	}
	testkit.ReadJSON(t, "testdata/moabb.json", &want)
	s, get := localSet(t, "bnci2014-001", bnciTwo(t), nil)
	get.Subjects = []int{3}
	testkit.Must(sets.Get(context.Background(), s.Info.Name, get))(t)
	opt := testkit.Must(UsualTrials("bnci2014-001"))(t)
	opt.Bands, opt.Order = []recipe.Band{{Low: 8, High: 32}}, 4
	sel := Selection{Cache: get.Cache, Channels: []string{"C3", "Cz", "C4"}}
	d, _ := testkit.Must2(Trials(context.Background(), "bnci2014-001", sel, nil,
		func(recs []*eeg.Recording, here []eeg.Class) (*eeg.Trials, error) {
			opt := opt
			opt.Classes = here
			return eeg.CutTrials(context.Background(), recs, opt)
		}))(t)
	if d.N() != len(want.Class) || d.N() != 16 {
		t.Fatalf("%d trials, MOABB has %d", d.N(), len(want.Class))
	}
	testkit.Equal(t, d.Recipe.Signal.Window, float64(want.Samples)/250, "seconds per trial, MOABB has", want.Samples,
		"samples")
	for i := range d.N() {
		got := []string{d.Classes[d.Labels[i]], d.Vars["session"].Text(i), d.Vars["run"].Text(i)}
		testkit.EqualSlices(t, got, []string{want.Class[i], want.Session[i], want.Run[i]}, "trial", i)
		covariance := slices.Concat(want.Covariance[i]...) // of microvolts, and ours is of volts
		floats.Scale(1e-12, covariance)
		testkit.Close(t, fmt.Sprint("covariance ", i), d.Stack.At(i), covariance, 1e-6)
	}
}

func TestSelectionOfRecordings(t *testing.T) {
	s := lookup("bnci2014-001")
	for _, c := range []struct {
		subjects, runs []int
		says           string
	}{{[]int{10}, nil, "no subject 10"}, {nil, []int{1}, "contains all runs"}} {
		testkit.ErrorContains(t, testkit.ErrorOf(s.Here(t.TempDir(), c.subjects, c.runs)), c.says, c.subjects, c.runs)
	}
	_, err := lookup("eegbci").Here(t.TempDir(), nil, []int{15})
	testkit.ErrorContains(t, err, "no run 15", "run 15")
	_, err = sets.Get(context.Background(), "mnist", sets.GetOptions{Cache: t.TempDir(), Subjects: []int{1}})
	testkit.ErrorContains(t, err, "no subjects", "subjects of mnist")
}

func TestTrialsOfChosenClassesAndChannels(t *testing.T) {
	s, opt := localSet(t, "bnci2014-001", bnciTwo(t), nil)
	opt.Subjects = []int{3}
	testkit.Must(sets.Get(context.Background(), s.Info.Name, opt))(t)
	sel := Selection{Cache: opt.Cache, Channels: []string{"C3", "EOG1", "Cz"}}
	cut := func(recs []*eeg.Recording, here []eeg.Class) (*eeg.Trials, error) {
		return eeg.CutTrials(context.Background(), recs, eeg.TrialOptions{Classes: here, Start: 2, Stop: 6})
	}
	classes := testkit.Must(eeg.ParseClasses("tongue,feet"))(t)
	d, _ := testkit.Must2(Trials(context.Background(), "bnci2014-001", sel, classes, cut))(t)
	if d.N() != 8 || !slices.Equal(d.Vars["channels"].Strings, sel.Channels) {
		t.Errorf("%d trials, channels %v", d.N(), d.Vars["channels"].Strings)
	}
	classes[0] = eeg.Class{Name: "jump", Label: "jump"}
	_, _, err := Trials(context.Background(), "bnci2014-001", sel, classes, cut)
	testkit.ErrorContains(t, err, "class jump", "a class that is not there")
}
