package parquet

// columns are columns that are interleaved together.
type columns []*cursor

// abreast is the number of columns of single values that are interleaved at a time. With this many, the values written
// to a row are adjacent in memory.
const abreast = 8

// together returns the columns at the start of all that are written to the rows together: up to abreast columns of
// single values, or one column of vectors.
func together(all columns) columns {
	for k, c := range all[:min(abreast, len(all))] {
		if c.l.width != 1 {
			return all[:max(k, 1)]
		}
	}
	return all[:min(abreast, len(all))]
}

// numbers writes the values of n rows to x32 or x64, which have the given stride, starting at column off.
func (cs columns) numbers(n int, x32 []float32, x64 []float64, stride, off int) error {
	if cs[0].single {
		return place(cs, n, x32, stride, off, func(c *cursor) []float32 { return c.f32 })
	}
	return place(cs, n, x64, stride, off, func(c *cursor) []float64 { return c.f64 })
}

func place[T float32 | float64](cs columns, n int, x []T, stride, off int, page func(*cursor) []T) error {
	width := cs[0].l.width
	if width > 1 {
		return placeVectors(cs[0], n, x[off:], stride, page)
	}
	var src [abreast][]T
	for done := 0; done < n; {
		m := n - done
		for k, c := range cs {
			if err := c.more(); err != nil {
				return c.early(err)
			}
			src[k] = page(c)[c.at:]
			m = min(m, len(src[k]))
		}
		if len(cs) == abreast {
			placeAbreast(x[done*stride+off:], stride, &src, m)
		} else {
			for k := range cs {
				for i, v := range src[k][:m] {
					x[(done+i)*stride+off+k] = v
				}
			}
		}
		for _, c := range cs {
			c.at += m
		}
		done += m
	}
	return nil
}

// placeVectors writes the vectors of n rows to rows with the given stride.
func placeVectors[T float32 | float64](c *cursor, n int, x []T, stride int, page func(*cursor) []T) error {
	width := c.l.width
	for done := 0; done < n*width; {
		if err := c.more(); err != nil {
			return c.early(err)
		}
		row, col := done/width, done%width
		m := min(width-col, c.slots()-c.at)
		copy(x[row*stride+col:][:m], page(c)[c.at:])
		c.at += m
		done += m
	}
	return nil
}

// placeAbreast copies m values of each column to m rows.
func placeAbreast[T float32 | float64](x []T, stride int, src *[abreast][]T, m int) {
	a, b, c, d := src[0][:m], src[1][:m], src[2][:m], src[3][:m]
	e, f, g, h := src[4][:m], src[5][:m], src[6][:m], src[7][:m]
	for i := range m {
		row := x[i*stride : i*stride+abreast : i*stride+abreast]
		row[0], row[1], row[2], row[3] = a[i], b[i], c[i], d[i]
		row[4], row[5], row[6], row[7] = e[i], f[i], g[i], h[i]
	}
}
