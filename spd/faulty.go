package spd

import "slices"

// LeaveOut returns the ascending indices of the matrices that should be left out instead of repaired. A channel that is
// not finite or flat in some matrices can be dropped from all matrices, or these matrices can be left out. LeaveOut
// chooses the smaller loss, as a fraction of all channels of all matrices. It returns nil if it is best to leave out no
// matrix. After you have left matrices out, choose a repair for the others.
func (d *Diagnosis) LeaveOut() []int {
	bad := make([][]int, d.Dim) // matrices in which a channel is faulty
	for k := range d.Matrices {
		for _, c := range d.Matrices[k].NaNChannels {
			bad[c] = append(bad[c], k)
		}
		for _, c := range d.Matrices[k].FlatChannels {
			bad[c] = append(bad[c], k)
		}
	}
	var channels []int // faulty channels, the worst first
	for c, list := range bad {
		if len(list) > 0 {
			channels = append(channels, c)
		}
	}
	slices.SortStableFunc(channels, func(a, b int) int { return len(bad[b]) - len(bad[a]) })
	kept := func(channels, matrices int) int { return (d.Dim - channels) * (d.Count - matrices) }
	out, gone := make([]bool, d.Count), 0
	most, best := kept(len(channels), 0), len(channels)
	for k := len(channels) - 1; k >= 0; k-- { // drop k channels and leave out the matrices in which others are faulty
		for _, m := range bad[channels[k]] {
			if !out[m] {
				out[m] = true
				gone++
			}
		}
		if n := kept(k, gone); n > most {
			most, best = n, k
		}
	}
	var list []int
	for _, c := range channels[best:] {
		list = append(list, bad[c]...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}
