package covstream

import "gonum.org/v1/gonum/mat"

// embed appends delayed copies of the channels to x and writes the result to dst, which is resized if it is empty.
// Each block of channels is followed by its copies, one for each delay. dst starts at the largest delay, because
// earlier samples have no complete copies, so it is shorter than x by the largest delay.
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
