package spd_test

import (
	"math"
	"slices"
	"testing"

	"rao/internal/testkit"
	"rao/spd"
)

// A channel that fails in few matrices excludes these matrices, and a channel that fails in many is dropped. Both can
// happen in one set.
func TestLeaveOut(t *testing.T) {
	for _, c := range []struct {
		name  string
		bad   map[int][]int // by channel
		want  []int
		fixed string
	}{
		{"none", nil, nil, ""},
		{"two matrices", map[int][]int{2: {3, 17}}, []int{3, 17}, ""},
		{"most matrices", map[int][]int{1: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, nil, "drop:1"},
		{"both", map[int][]int{1: {0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, 2: {17}, 3: {3}}, []int{3, 17}, "drop:1"},
		{"one matrix all over", map[int][]int{0: {5}, 1: {5}, 2: {5}, 3: {5}}, []int{5}, ""},
	} {
		x := spd.NewStack(20, 4)
		for k := range x.Count {
			for i := range 4 {
				x.At(k)[5*i] = 1 + float64((i+k)%3)
			}
		}
		for channel, list := range c.bad {
			for _, k := range list {
				x.At(k)[5*channel] = math.NaN()
				for j := range 4 {
					x.At(k)[4*channel+j], x.At(k)[4*j+channel] = math.NaN(), math.NaN()
				}
			}
		}
		got := spd.Check(x, spd.CheckOptions{}).LeaveOut()
		testkit.EqualSlices(t, got, c.want, c.name, "is left out")
		rest := spd.NewStack(20-len(got), 4)
		i := 0
		for k := range x.Count {
			if !slices.Contains(got, k) {
				copy(rest.At(i), x.At(k))
				i++
			}
		}
		fix, err := spd.ParseRepair("auto", spd.Check(rest, spd.CheckOptions{}))
		if err != nil || fix == nil && c.fixed != "" || fix != nil && fix.String() != c.fixed {
			t.Errorf("%s: then %v, %v", c.name, fix, err)
		}
	}
}
