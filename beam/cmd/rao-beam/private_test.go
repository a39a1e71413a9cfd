package main

import (
	"flag"
	"strings"
	"testing"
)

// Private statistics are rejected, and the error explains why.
func TestPrivateStatisticsAreRefused(t *testing.T) {
	if err := flag.Set("private", "1,1e-6"); err != nil {
		t.Fatal(err)
	}
	defer func() { *private = "" }()
	if err := without("stats"); err == nil || !strings.Contains(err.Error(), "rao stats --private") {
		t.Errorf("the error is %v", err)
	}
}
