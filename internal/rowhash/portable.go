package rowhash

// portable is Rows without kernels.
func portable[T Value](dst []uint64, x []T, stride, dim int) {
	if bytes, ok := any(x).([]byte); ok {
		portableBytes(dst, bytes, stride, dim)
		return
	}
	first := firstHash(dim)
	row := func(i int) []T { return x[i*stride : i*stride+dim : i*stride+dim] }
	i := 0
	for ; i+4 <= len(dst); i += 4 {
		r0, r1, r2, r3 := row(i), row(i+1), row(i+2), row(i+3)
		r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		h0, h1, h2, h3 := first, first, first, first
		for j, v := range r0 {
			h0 = Mix(h0^word(float64(v)), mix1)
			h1 = Mix(h1^word(float64(r1[j])), mix1)
			h2 = Mix(h2^word(float64(r2[j])), mix1)
			h3 = Mix(h3^word(float64(r3[j])), mix1)
		}
		dst[i], dst[i+1], dst[i+2], dst[i+3] = h0, h1, h2, h3
	}
	for ; i < len(dst); i++ {
		h := first
		for _, v := range row(i) {
			h = Mix(h^word(float64(v)), mix1)
		}
		dst[i] = h
	}
}

// portableBytes is portable for bytes, whose words are looked up.
func portableBytes(dst []uint64, x []byte, stride, dim int) {
	first := firstHash(dim)
	row := func(i int) []byte { return x[i*stride : i*stride+dim : i*stride+dim] }
	i := 0
	for ; i+4 <= len(dst); i += 4 {
		r0, r1, r2, r3 := row(i), row(i+1), row(i+2), row(i+3)
		r1, r2, r3 = r1[:len(r0)], r2[:len(r0)], r3[:len(r0)]
		h0, h1, h2, h3 := first, first, first, first
		for j, v := range r0 {
			h0 = Mix(h0^byteWords[v], mix1)
			h1 = Mix(h1^byteWords[r1[j]], mix1)
			h2 = Mix(h2^byteWords[r2[j]], mix1)
			h3 = Mix(h3^byteWords[r3[j]], mix1)
		}
		dst[i], dst[i+1], dst[i+2], dst[i+3] = h0, h1, h2, h3
	}
	for ; i < len(dst); i++ {
		h := first
		for _, v := range row(i) {
			h = Mix(h^byteWords[v], mix1)
		}
		dst[i] = h
	}
}

// byteWords are the words of bytes.
var byteWords = func() (words [256]uint64) {
	for v := range words {
		words[v] = word(float64(v))
	}
	return words
}()
