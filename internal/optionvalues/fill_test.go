package optionvalues

import (
	"testing"

	"rao/internal/testkit"
)

// Only fields that are zero and have a default change.
func TestFill(t *testing.T) {
	type options struct {
		Tol, Kept float64   `default:"1e-3"`
		Limit     int       `default:"7"`
		Kind      string    `default:"exp"`
		On        bool      `default:"true"`
		Auto      AutoCount `default:"auto"`
		None      SomeCount `default:"none"`
		Other     uint64
	}
	o := options{Kept: 2}
	Fill(&o)
	testkit.Equal(t, o, options{Tol: 1e-3, Kept: 2, Limit: 7, Kind: "exp", On: true, None: -1})
}
