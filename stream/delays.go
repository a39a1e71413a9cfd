package stream

import "gonum.org/v1/gonum/mat"

// embed writes the samples of x from the largest delay on to dst, which it resizes when
// empty, with what lies the delays before each: of every block of channels first the present
// ones, then those of each delay. Nothing is taken from beyond the trial, so that the largest
// delay shortens it.
func embed(dst, x *mat.Dense, channels int, delays []int) {
	samples, wide := x.Dims()
	largest := delays[len(delays)-1]
	each := channels * (1 + len(delays))
	if dst.IsEmpty() {
		dst.ReuseAs(samples-largest, wide/channels*each)
	}
	for s := largest; s < samples; s++ {
		row := dst.RawRowView(s - largest)
		for block := range wide / channels {
			to := row[block*each:]
			copy(to[:channels], x.RawRowView(s)[block*channels:])
			for i, d := range delays {
				copy(to[(1+i)*channels:(2+i)*channels], x.RawRowView(s - d)[block*channels:])
			}
		}
	}
}
