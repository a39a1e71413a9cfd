package eeg

import (
	"testing"

	"rao/cmd/rao/internal/tooltest"
)

// Numbers in the JSON of the commands for recordings are numbers.
func TestJSONHasTypes(t *testing.T) {
	tooltest.JSON(t, t.TempDir(), []string{
		"data recording --trials 16 --blinks 3 --out @a.xdf", "data recording --trials 16 --seed 2 --out @b.xdf",
		"data recording --trials 4 --bids @study --subject-count 2",
		"eeg cov --list @a.xdf",
		"eeg cov @a.xdf --classes left,right --start 0.5 --stop 2.5 --bands 8-30 --causal --estimator oas --out @P.npz",
		"fit mdm --data @P.npz --out @m.rao",
		"eeg convert @a.xdf --out @arrays.npz",
		"eeg clean @a.xdf --low 1 --high 40 --suppress auto --out @clean.xdf",
		"eeg calibrate @a.xdf --classes left,right --start 0.5 --stop 2.5 --bands 8-30 --out @c.rao",
		"eeg stream @b.xdf --model @m.rao",
		"eeg stream @b.xdf --model @m.rao --at left,right --start 0.5",
		"eeg score @b.xdf --model @m.rao --classes left,right --start 0.5 --stop 3.5",
		"eeg stopping @b.xdf --model @m.rao --classes left,right --start 0.5 --stop 4 --out @stop.json",
		"eeg report @a.xdf @b.xdf --classes left,right --stop 2.5 --bands 8-30 --out @r.html",
	})
}
