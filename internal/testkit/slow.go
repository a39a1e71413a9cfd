package testkit

import (
	"os"
	"testing"
)

// SkipShort skips a test that takes long, for the given reason, if the tests run with -short.
func SkipShort(t testing.TB, why string) {
	t.Helper()
	if testing.Short() {
		t.Skip(why)
	}
}

// Slow skips a test unless the environment has RAO_SLOW. time is how long it takes, such as "a minute".
func Slow(t testing.TB, time string) {
	t.Helper()
	if os.Getenv("RAO_SLOW") == "" {
		t.Skip("set RAO_SLOW=1 to run it: " + time)
	}
}

// Study skips a study unless the environment variable RAO_STUDY has its name, or is "all". what describes the study.
func Study(t testing.TB, name, what string) {
	t.Helper()
	if v := os.Getenv("RAO_STUDY"); v != name && v != "all" {
		t.Skipf("set RAO_STUDY=%s to run it: %s", name, what)
	}
}
