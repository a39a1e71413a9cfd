package dataset

import (
	"math"
	"testing"
)

func TestDays(t *testing.T) {
	for text, want := range map[string]float64{
		"1970-01-01": 0, "1970-01-02": 1, "1969-12-31": -1, "2024-02-29": 19782, " 2024-02-29 ": 19782,
		"2024-02-29T12:00": 19782.5, "2024-02-29 06:00:00": 19782.25, "2024-02-29T00:00:00.5Z": 19782 + 0.5/86400,
		"2024-02-29T01:00:00+01:00": 19782, "2024-02-29T01:00+0100": math.Inf(1), "2024-02-29T01:00:00+0100": 19782,
		"": math.NaN(), "NA": math.NaN(), "2023-02-29": math.Inf(1), "2024-2-9": math.Inf(1), "20240229": math.Inf(1),
		"29.02.2024": math.Inf(1), "2024-02-29T25:00": math.Inf(1), "2024-02-29x": math.Inf(1), "12": math.Inf(1),
	} {
		got, ok := daysOf(text)
		switch {
		case math.IsInf(want, 1):
			if ok {
				t.Errorf("%q is %v days", text, got)
			}
		case !ok || got != want && !(math.IsNaN(got) && math.IsNaN(want)):
			t.Errorf("%q is %v days (%v), want %v", text, got, ok, want)
		}
	}
}
