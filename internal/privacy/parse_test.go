package privacy

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"rao/internal/testkit"
)

func TestParse(t *testing.T) {
	testkit.Equal(t, testkit.Must(ParseGuarantee("private", "1, 1e-6"))(t), Guarantee{Epsilon: 1, Delta: 1e-6})
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		testkit.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	for s, want := range map[string][]string{"yes, no": {"yes", "no"}, "8-11,x-y": {"8", "9", "10", "11", "x-y"},
		"@" + file("classes", "a b\r\n\nc\n"): {"a b", "c"}} {
		testkit.EqualSlices(t, testkit.Must(ReadClasses(s))(t), want, s)
	}
	testkit.Equal(t, testkit.Must(ParseClip("2.5"))(t).Clip, 2.5)
	d, err := ReadRanges(file("ranges", "0,1\n -2 , 5\n"))
	if err != nil || !slices.Equal(d.Low, []float64{0, -2}) || !slices.Equal(d.High, []float64{1, 5}) {
		t.Errorf("%v (%v)", d, err)
	}
	if d, err := ReadRanges("0,255"); err != nil || d.Low[0] != 0 || d.High[0] != 255 {
		t.Errorf("%v (%v)", d, err)
	}
	bad := func(_ any, err error) error { return err }
	for want, err := range map[string]error{
		"not two numbers separated": bad(ParseGuarantee("private", "1")),
		"private":                   bad(ParseGuarantee("private", "-1,1e-6")),
		"must run upward":           bad(ReadClasses("9-0")),
		"no such file":              bad(ReadClasses("@" + filepath.Join(dir, "absent"))),
		"not a positive number":     bad(ParseClip("0")),
		"read as a file":            bad(ReadRanges("1")),
		"line 2":                    bad(ReadRanges(file("bad", "0,1\nx,1\n"))),
	} {
		testkit.ErrorContains(t, err, want)
	}
}
