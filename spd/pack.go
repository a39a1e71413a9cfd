package spd

func packLower(dst, l []float64, n int) {
	p := 0
	for i := range n {
		p += copy(dst[p:], l[i*n:i*n+i+1])
	}
}

func unpackLower(l, v []float64, n int) {
	clear(l[:n*n])
	for i := range n {
		v = v[copy(l[i*n:i*n+i+1], v):]
	}
}
