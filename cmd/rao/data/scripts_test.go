package data_test

import (
	"testing"

	"rao/cmd/rao/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }

func TestScripts(t *testing.T) { tooltest.Scripts(t, "testdata/script", []string{"subclasses"}, nil) }
