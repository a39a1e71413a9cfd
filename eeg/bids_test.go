package eeg

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"rao/internal/eeg/format/bids"
	"rao/internal/testkit"
)

// openedBIDS opens the recordings of a folder until the test ends.
func openedBIDS(t *testing.T, dir string, want BIDSFilter, opt RecordingOptions) []*Recording {
	t.Helper()
	recs := testkit.Must(OpenBIDS(dir, want, opt))(t)
	t.Cleanup(func() {
		for _, r := range recs {
			r.Close()
		}
	})
	return recs
}

// The recordings of testdata/bids equal what MNE-BIDS 0.20 reads (see testdata/make_bids.py).
func TestBIDSFolderReadsAsMNEBIDSReadsIt(t *testing.T) {
	var gold map[string]struct {
		Names, Types, Bads []string
		Rate               float64
		Events             [][2]int
		First              []float64
	}
	testkit.ReadJSON(t, "testdata/bids_golden.json", &gold)
	found := openedBIDS(t, "testdata/bids", BIDSFilter{Task: "hands"}, RecordingOptions{Kinds: []string{"all"}})
	testkit.Equal(t, len(found), len(gold), "recordings")
	for _, r := range found {
		want, ok := gold[r.Subject+" "+r.Session+" "+r.Run]
		testkit.Equal(t, ok, true, r.Source)
		if !slices.Equal(r.Channels, want.Names) || !slices.Equal(r.Types, want.Types) ||
			!slices.Equal(r.Bad, want.Bads) || r.Rate != want.Rate {
			t.Errorf("%s: %v of kinds %v, bad %v, %g Hz", r.Source, r.Channels, r.Types, r.Bad, r.Rate)
		}
		var events [][2]int
		for _, e := range r.Events {
			events = append(events, [2]int{e.Sample, e.Code})
			testkit.Equal(t, e.Label, map[int]string{11: "left", 12: "right"}[e.Code], r.Source, "code", e.Code)
		}
		testkit.EqualSlices(t, events, want.Events, r.Source, "events")
		for i, v := range values(t, r, 0, 3) {
			testkit.Near(t, v, 1e-6*want.First[i], 1e-15, r.Source, "value", i)
		}
	}
}

func TestBIDSIsFiltered(t *testing.T) {
	for _, c := range []struct {
		want BIDSFilter
		n    int
		err  string
	}{
		{BIDSFilter{}, 3, ""},
		{BIDSFilter{Subjects: []string{"01"}}, 2, ""},
		{BIDSFilter{Subjects: []string{"01"}, Runs: []string{"2"}, Sessions: []string{"a"}}, 1, ""},
		{BIDSFilter{Subjects: []string{"01", "02"}}, 3, ""},
		{BIDSFilter{Task: "feet"}, 0, `no recording of task "feet"; choose from hands`},
		{BIDSFilter{Subjects: []string{"01", "3"}}, 0, `no recording of subject "3"; choose from 01, 02`},
	} {
		found, err := bids.Find("testdata/bids", c.want)
		if len(found) != c.n || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: %d recordings, %v", c.want, len(found), err)
		}
	}
	testkit.ErrorContains(t, testkit.ErrorOf(OpenBIDS("testdata", BIDSFilter{}, RecordingOptions{})),
		"the folder has no recordings in the BIDS layout")
}

// A table in a parent folder applies if no table is nearer; the table of another run does not apply.
func TestBIDSTablesAreInherited(t *testing.T) {
	dir := t.TempDir()
	testkit.NoError(t, os.CopyFS(dir, os.DirFS("testdata/bids")))
	write := func(path, text string) {
		testkit.NoError(t, os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644))
	}
	for _, old := range []string{"sub-01/ses-a/eeg/sub-01_ses-a_task-hands_run-1_channels.tsv",
		"sub-01/ses-a/eeg/sub-01_ses-a_task-hands_run-2_events.tsv"} {
		testkit.NoError(t, os.Remove(filepath.Join(dir, old)))
	}
	write("task-hands_channels.tsv", "name\ttype\tstatus\nFz\tEEG\tbad\nEOG\tVEOG\tn/a\nPz\tEEG\tgood\n")
	write("sub-01/sub-01_task-hands_events.tsv", "onset\tduration\ttrial_type\n1.5\t0\tother\n")
	write("sub-01/ses-a/sub-01_ses-a_electrodes.tsv", "name\tx\ty\tz\nC3\t-1\t0\t1\nFz\tn/a\tn/a\tn/a\n")
	found := testkit.Must(bids.Find(dir, BIDSFilter{Subjects: []string{"01"}}))(t)
	one := testkit.Must(openBIDS(&found[0], RecordingOptions{Kinds: []string{"eog"}}))(t)
	defer one.Close()
	two := testkit.Must(openBIDS(&found[1], RecordingOptions{Drop: []string{"EOG"}}))(t)
	defer two.Close()
	if !slices.Equal(one.Channels, []string{"EOG"}) || len(one.Bad) != 0 || len(one.Events) != 3 {
		t.Errorf("run 1: %v, bad %v, %d events", one.Channels, one.Bad, len(one.Events))
	}
	if len(two.Events) != 1 || two.Events[0] != (Event{Sample: 150, Label: "other"}) ||
		two.Positions[1] != [3]float64{-1, 0, 1} || two.Positions[0] != [3]float64{} {
		t.Errorf("run 2: events %v, places %v", two.Events, two.Positions)
	}
	testkit.ErrorContains(t, testkit.ErrorOf(openBIDS(&found[0], RecordingOptions{Kinds: []string{"meg"}})),
		`no channel of kind "meg"; the recording has channels of kind eeg, eog`)
	write("task-hands_channels.tsv", "name\ttype\nA1\tEEG\n")
	testkit.ErrorContains(t, testkit.ErrorOf(openBIDS(&found[0], RecordingOptions{})),
		"names no channel of the recording")
	write("task-hands_channels.tsv", "nom\ttype\nA1\tEEG\n")
	testkit.ErrorContains(t, testkit.ErrorOf(openBIDS(&found[0], RecordingOptions{})),
		`no column "name"; it has nom, type`)
	testkit.NoError(t, os.Remove(filepath.Join(dir, "task-hands_channels.tsv")))
	none := testkit.Must(openBIDS(&found[0], RecordingOptions{Drop: []string{"EOG"}}))(t)
	defer none.Close()
	testkit.Equal(t, none.Positions[1], [3]float64{-1, 0, 1}, "position of C3 without a table of channels")
}

// Channels that are bad in one recording are left out of all recordings, also after writing and reading files.
func TestBadChannelsAreLeftOutOfAll(t *testing.T) {
	recs := openedBIDS(t, "testdata/bids", BIDSFilter{}, RecordingOptions{Kinds: []string{"eeg", "eog"},
		Drop: []string{"EOG"}})
	third := values(t, recs[2], 7, 1)[1]
	bad := testkit.Must(dropBad(recs))(t)
	testkit.EqualSlices(t, bad, []string{"C4", "Fz"})
	for _, r := range recs {
		if !slices.Equal(r.Channels, []string{"C3"}) || len(r.Bad) != 0 {
			t.Errorf("%s has %v, bad %v", r.Source, r.Channels, r.Bad)
		}
	}
	if got := values(t, recs[2], 7, 1); got[0] != third {
		t.Errorf("C3 is %v, want %g", got, third)
	}
	recs[0].Bad = []string{"C3"}
	testkit.ErrorContains(t, testkit.ErrorOf(dropBad(recs)), "is left")
}

// A column of samples at another rate contradicts the onsets. Rounded onsets agree.
func TestSamplesOfEventsAgreeWithTheirOnsets(t *testing.T) {
	read := func(rows string) ([]Event, error) {
		return readEvents(strings.NewReader("onset\tduration\ttrial_type\tsample\n"+rows), 250)
	}
	_, err := read("1\t0\tleft\t250\n35.000\t0\tright\t35000\n")
	testkit.ErrorContains(t, err, "line 3: the onset 35.000 s of an event is sample 8750 at 250 Hz, but its sample is "+
		"35000")
	for _, row := range []string{"35.33\t0\tleft\t8831\n", "35.3\t0\tleft\t8831\n", "n/a\t0\tleft\t8831\n",
		"35.324\t0\tleft\t8832\n"} {
		events := testkit.Must(read(row))(t)
		testkit.Equal(t, math.Abs(float64(events[0].Sample-8831)) < 2, true, row, "gives sample", events[0].Sample)
	}
}
