package predict_test

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/dataset"
	"rao/internal/scoring"
	"rao/internal/testkit"
)

// A model that knows the names of its columns notes that it used columns by position.
func TestColumnsByPositionAreNoted(t *testing.T) {
	at := testkit.Folder(t)
	const rows = "1,2.5,x\n2,3.5,x\n1.5,2,x\n5,1.5,y\n6,0.5,y\n"
	for name, text := range map[string]string{"named.csv": "a,b,label\n" + rows, "labeled.csv": rows,
		"bare.csv": "1,2.5\n2,3\n5,1.5\n6,0.5\n"} {
		testkit.NoError(t, os.WriteFile(at(name), []byte(text), 0o644))
	}
	const note = "so its columns were matched by position with the columns of the model: a and b"
	said := tooltest.Succeeds(t, "fit", "knn-raw", "--data", at("named.csv"), "--out", at("m.rao"))
	said += tooltest.Succeeds(t, "predict", "--model", at("m.rao"), "--data", at("named.csv"), "--out", at("p.csv"))
	said += tooltest.Succeeds(t, "fit", "knn-raw", "--data", at("labeled.csv"), "--out", at("bare.rao"))
	said += tooltest.Succeeds(t, "predict", "--model", at("bare.rao"), "--data", at("bare.csv"), "--out", at("p.csv"))
	if strings.Contains(said, "by position") {
		t.Errorf("a note without a reason: %s", said)
	}
	for _, header := range []string{"no", "auto"} {
		testkit.Contains(t, tooltest.Succeeds(t, "predict", "--model", at("m.rao"), "--data", at("bare.csv"),
			"--header", header, "--out", at("p.csv")), note, header)
	}
}

// predict writes the same table as csv, JSON, JSON Lines and Parquet.
func TestFormsOfPredictions(t *testing.T) {
	train, file, dir := twoClasses(t, 100)
	out := func(ext string) string { return filepath.Join(dir, "p"+ext) }
	for _, ext := range []string{".csv", ".json", ".jsonl", ".parquet"} {
		for range 2 { // the second replaces the file of the first
			tooltest.Succeeds(t, "predict", "--model", file, "--data", train, "--out", out(ext))
		}
	}
	f := testkit.Must(os.Open(out(".csv")))(t)
	defer f.Close()
	table := testkit.Must(csv.NewReader(f).ReadAll())(t)
	type row struct {
		Label    string  `json:"label"`
		Rejected *bool   `json:"rejected"`
		Outlier  *bool   `json:"outlier"`
		Bad      float64 `json:"p_bad"`
		Good     float64 `json:"p_good"`
	}
	text := testkit.Must(os.ReadFile(out(".json")))(t)
	var rows []row
	if err := json.Unmarshal(text, &rows); err != nil || len(rows) != 100 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	testkit.Equal(t, strings.ReplaceAll(strings.Trim(string(text), "[]\n"), ",\n", "\n")+"\n",
		testkit.Text(t, out(".jsonl")), "JSON Lines differ from JSON")
	d := testkit.Must(dataset.Open(context.Background(), out(".parquet"), dataset.OpenOptions{Y: "label"}))(t)
	for i, r := range rows {
		fields := table[i+1]
		bad, _ := strconv.ParseFloat(fields[3], 64)
		if r.Label != fields[0] || strconv.FormatBool(*r.Rejected) != fields[1] ||
			strconv.FormatBool(*r.Outlier) != fields[2] || r.Bad != bad {
			t.Fatalf("row %d: %v in csv, %+v in JSON", i, fields, r)
		}
		if d.Classes[d.Labels[i]] != r.Label || d.X.At(i, 0) != 0 || math.Abs(d.X.At(i, 3)-r.Good) > 1e-7*r.Good {
			t.Fatalf("row %d: %v and %v in Parquet, %+v in JSON", i, d.X.At(i, 0), d.X.At(i, 3), r)
		}
	}
	for _, ext := range []string{".json", ".jsonl", ".parquet"} {
		other := "[1, 2]"
		if ext == ".parquet" {
			other = testkit.Text(t, "../../../dataset/parquet/testdata/arrow-wide.parquet")
		}
		testkit.NoError(t, os.WriteFile(out(ext), []byte(other), 0o644))
		status, _, said := tooltest.Run(t, "predict", "--model", file, "--data", train, "--out", out(ext))
		if now, err := os.ReadFile(out(ext)); err != nil || string(now) != other || status == 0 {
			t.Errorf("exit status %d: %s; %s of someone else was replaced: %v", status, said, ext, err)
		}
	}
	tooltest.Exits(t, 2, "Parquet", "predict", "--model", file, "--data", train, "--out", out(".xlsx"))
}

// Predictions need no labels, so nothing is said about data without them. Commands that need labels refuse --y none.
func TestPredictionsNeedNoLabels(t *testing.T) {
	_, file, dir := twoClasses(t, 40, "--missing", "mean")
	rows := filepath.Join(dir, "rows.csv")
	testkit.NoError(t, os.WriteFile(rows, []byte("u,v\n1,2\n3,4\n"), 0o644))
	said := tooltest.Succeeds(t, "predict", "--model", file, "--data", rows, "--out", filepath.Join(dir, "p.csv"))
	if strings.Contains(said, "label") {
		t.Error(said)
	}
	tooltest.Exits(t, 1, "--y none leaves the labels out, but this command needs them", "evaluate", "--model", file,
		"--data", rows, "--y", "none")
}

// evaluate --groups reports the measures for each value, computed only from the rows with this value.
func TestGroups(t *testing.T) {
	train, file, dir := twoClasses(t, 400)
	lines := strings.Split(strings.TrimSpace(testkit.Text(t, train)), "\n")
	for i, l := range lines[1:] {
		lines[i+1] = []string{"north,", "south,", "north,", ","}[i%4] + l
	}
	lines[0] = "site," + lines[0]
	grouped := filepath.Join(dir, "grouped.csv")
	testkit.NoError(t, os.WriteFile(grouped, []byte(strings.Join(lines, "\n")+"\n"), 0o644))
	type result struct {
		N        int               `json:"n"`
		Measures []scoring.Measure `json:"measures"`
		By       string            `json:"by"`
		Groups   []struct {
			Value    string            `json:"value"`
			N        int               `json:"n"`
			Measures []scoring.Measure `json:"measures"`
		} `json:"groups"`
	}
	evaluated := func(args ...string) (r result) {
		t.Helper()
		tooltest.Decode(t, &r, append([]string{"evaluate", "--model", file, "--data", grouped}, args...)...)
		return r
	}
	all := evaluated("--groups", "site")
	if all.By != "site" || len(all.Groups) != 3 || all.Groups[0].Value != "" || all.Groups[1].Value != "north" {
		t.Fatalf("%+v", all)
	}
	testkit.Equal(t, all.Groups[0].N+all.Groups[1].N+all.Groups[2].N, 400, "rows in the groups")
	north := evaluated("--where", "site=north")
	for i, m := range north.Measures {
		got := all.Groups[1].Measures[i]
		if got.Name != m.Name || got.Value != m.Value || (m.Interval != nil && *got.Interval != *m.Interval) {
			t.Errorf("group: %+v, alone: %+v", got, m)
		}
	}
	out := tooltest.Output(t, "evaluate", "--model", file, "--data", grouped, "--groups", "site")
	for _, want := range []string{"site", "(no value)", "recall in %"} {
		testkit.Contains(t, out, want)
	}
	tooltest.Fails(t, "nothing", "evaluate", "--model", file, "--data", grouped, "--groups", "nothing")
	// a column that the model learned from
	var by result
	tooltest.Decode(t, &by, "evaluate", "--model", file, "--data", train, "--groups", "u")
	if len(by.Groups) < 100 {
		t.Errorf("%d groups", len(by.Groups))
	}
	both := evaluated("--groups", "site,u") // combinations of values of two variables
	if both.By != "site,u" || len(both.Groups) < 300 || !strings.HasPrefix(both.Groups[0].Value, "site ,") {
		t.Errorf("%s, %d groups, %+v", both.By, len(both.Groups), both.Groups[0])
	}
	// a group without the positive class has no recall and no precision
	out = tooltest.Output(t, "evaluate", "--model", file, "--data", train, "--groups", "u")
	if !regexp.MustCompile(`(?m) 1 +100\.0 .* - +- *$`).MatchString(out) {
		t.Errorf("no group without recall in\n%s", out)
	}
}

// With --json and the predictions on standard output, standard error has the JSON value.
func TestJSONNextToPredictionsOnStandardOutput(t *testing.T) {
	train, file, dir := twoClasses(t, 20)
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	os.Stdout = testkit.Must(os.Create(filepath.Join(dir, "stdout")))(t)
	status, out, said := tooltest.Run(t, "predict", "--model", file, "--data", train, "--out", "-", "--json")
	testkit.NoError(t, os.Stdout.Close())
	os.Stdout = stdout
	table := string(testkit.Must(os.ReadFile(filepath.Join(dir, "stdout")))(t))
	testkit.Equal(t, status, 0, said)
	testkit.Equal(t, out, "", "standard output")
	testkit.Contains(t, said, `{"n":`, "standard error")
	if !strings.HasPrefix(table, "label,") || strings.Contains(table, "{") {
		t.Errorf("standard output: %.80q", table)
	}
}
