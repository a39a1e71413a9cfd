package compare_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"rao/cmd/rao/internal/tooltest"
	"rao/internal/testkit"
)

// Scores of another program appear in rows, bars and tests like the scores of the study's own methods. Scores that do
// not match the study are rejected.
func TestStudyTakesOtherScores(t *testing.T) {
	at := testkit.Folder(t)
	studyTable(t, at("t.csv"))
	args := func(methods, out string, more ...string) []string {
		return append([]string{"--set", "t=" + at("t.csv"), "--methods", methods, "--evaluations",
			"cross-session", "--subject-variable", "subject", "--session-variable", "session",
			"--out", at(out)}, more...)
	}
	both := studied(t, args("lda-raw,qda-raw", "both")...)
	b := testkit.Must(os.ReadFile(at("both/scores.csv")))(t)
	var lines []string
	for i, line := range strings.Split(strings.TrimSpace(string(b)), "\n") {
		if i == 0 || strings.Contains(line, ",qda-raw,") {
			lines = append(lines, strings.Replace(line, ",qda-raw,", ",net,", 1))
		}
	}
	write := func(name string, lines ...string) string {
		testkit.NoError(t, os.WriteFile(at(name), []byte(strings.Join(lines, "\n")+"\n"), 0o600))
		return at(name)
	}
	net := studied(t, args("lda-raw", "one", "--other-scores", write("net.csv", lines...))...)
	if len(net.Pairs) != 1 || net.Pairs[0].P != both.Pairs[0].P || net.Pairs[0].Effect != both.Pairs[0].Effect ||
		len(net.Means) != 2 || net.Means[1].Method != "net" || net.Means[1].Mean != both.Means[1].Mean {
		t.Errorf("%+v and %+v, want the same of %+v and %+v", net.Means, net.Pairs, both.Means, both.Pairs)
	}
	if page, err := os.ReadFile(at("one/index.html")); err != nil || !strings.Contains(string(page), ">net<") {
		t.Error("the page does not show the other method", err)
	}
	for want, lines := range map[string][]string{
		"needs exactly one":            lines[:len(lines)-1],
		"does not have":                append(slices.Clone(lines), strings.Replace(lines[1], "t,", "u,", 1)),
		"column evaluation is missing": {"dataset,score"},
		"the file is empty":            {},
		"is not a finite number":       {lines[0], "t,cross-session,net,a,1,high,,,,"},
		"both have a method lda-raw":   append(slices.Clone(lines), strings.Replace(lines[1], "net", "lda-raw", 1)),
	} {
		tooltest.Fails(t, want, append([]string{"study"}, args("lda-raw", "one", "--other-scores", write("bad.csv",
			lines...))...)...)
	}
}
