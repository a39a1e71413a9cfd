package main

import (
	"flag"
	"strings"
	"testing"

	"rao/internal/testkit"
)

// Private statistics are refused with the reason.
func TestPrivateStatisticsAreRefused(t *testing.T) {
	testkit.NoError(t, flag.Set("private", "1,1e-6"))
	defer func() { *private = "" }()
	if err := without("stats"); err == nil || !strings.Contains(err.Error(), "rao stats --private") {
		t.Errorf("the error is %v", err)
	}
}
