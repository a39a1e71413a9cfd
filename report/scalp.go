package report

import (
	"cmp"
	"fmt"
	"image"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"rao/internal/electrodes"
	"rao/internal/linalg/vec"
	"rao/internal/rows"
)

// scalpPosition returns the position of an electrode of the 10-10 system as seen from above: x to the right, y to the
// nose. The ears and the nasion are at distance 1 from the vertex. ok is false if the name is not in the system.
func scalpPosition(name string) (x, y float64, ok bool) {
	p, ok := electrodes.Position(name)
	tilt := math.Acos(max(-1, min(1, p[2]))) / (math.Pi / 2)
	plane := math.Hypot(p[0], p[1])
	if !ok || plane < 1e-12 {
		return 0, 0, ok
	}
	return tilt * p[0] / plane, tilt * p[1] / plane, true
}

// ScalpOptions are the options of [ScalpMap].
type ScalpOptions struct {
	Separate bool // separate color scale for each map
	Columns  int  // maps side by side; 0: up to four
}

// ScalpMap draws values at electrodes as maps of the head from above, nose up, interpolated by thin-plate splines. Each
// map has one value per channel, and names are the titles of the maps. Areas farther than 0.15 head radii from the
// electrodes are left empty. Channels that are not in the 10-10 system are left out. It returns an error if fewer than
// four channels are left, all of them are on one line, or a value is not finite. It panics with mat.ErrShape if lengths
// differ.
func ScalpMap(title string, channels []string, maps [][]float64, names []string, opt ScalpOptions) (*Figure, error) {
	if len(names) != len(maps) {
		panic(mat.ErrShape)
	}
	var pos []point
	var kept []int
	for i, c := range channels {
		if x, y, ok := scalpPosition(c); ok {
			pos, kept = append(pos, point{x, y}), append(kept, i)
		}
	}
	if len(kept) < 4 {
		return nil, fmt.Errorf("a scalp map needs at least four channels with 10-10 names, but only %d of %s have "+
			"one; rename the channels", len(kept), strings.Join(channels, ", "))
	}
	limit := 0.0
	for k, m := range maps {
		if len(m) != len(channels) {
			panic(mat.ErrShape)
		}
		for _, i := range kept {
			if !vec.Finite(m[i]) {
				return nil, fmt.Errorf("map %s has the value %g at %s; all values must be finite", names[k], m[i],
					channels[i])
			}
			limit = math.Max(limit, math.Abs(m[i]))
		}
	}
	images := make([]image.Image, len(maps))
	for k, m := range maps {
		values := make([]float64, len(kept))
		own := 0.0
		for j, i := range kept {
			values[j] = m[i]
			own = math.Max(own, math.Abs(m[i]))
		}
		if !opt.Separate {
			own = limit
		}
		img, err := scalpImage(pos, values, own)
		if err != nil {
			return nil, fmt.Errorf("map %s: %w", names[k], err)
		}
		images[k] = img
	}
	f := scalpTiles(title, images, names, pos, opt.Columns)
	low, high := minus(number(-limit)), number(limit)
	if opt.Separate {
		low, high = "−", "+"
	}
	f.colorBar(diverging, low, "0", high)
	f.Alt = fmt.Sprintf("%d maps of the scalp over %d electrodes, seen from above with the nose up; blue is "+
		"negative, red is positive.", len(maps), len(kept))
	return f, nil
}

// headReach is half the side of a picture of the head, in units of the head's radius.
const headReach = 1.18

// scalpImage interpolates within the head by thin-plate splines.
func scalpImage(pos []point, values []float64, limit float64) (image.Image, error) {
	n := len(pos)
	a := mat.NewDense(n+3, n+3, nil)
	b := mat.NewVecDense(n+3, nil)
	for i, p := range pos {
		for j, q := range pos {
			a.Set(i, j, thinPlate(p, q))
		}
		a.Set(i, i, 1e-6) // averages electrodes at the same position
		for j, v := range []float64{1, p.x, p.y} {
			a.Set(i, n+j, v)
			a.Set(n+j, i, v)
		}
		b.SetVec(i, values[i])
	}
	var w mat.VecDense
	if err := rows.Singular(w.SolveVec(a, b)); err != nil {
		return nil, fmt.Errorf("the electrodes are on one line: %w", err)
	}
	const size = 180
	edge := hull(pos)
	img := image.NewNRGBA(image.Rect(0, 0, size, size))
	for v := range size {
		for u := range size {
			p := point{(2*(float64(u)+0.5)/size - 1) * headReach, (1 - 2*(float64(v)+0.5)/size) * headReach}
			if math.Hypot(p.x, p.y) > 1 || beyond(edge, p) > scalpMargin {
				continue
			}
			s := w.AtVec(n) + w.AtVec(n+1)*p.x + w.AtVec(n+2)*p.y
			for i, q := range pos {
				s += w.AtVec(i) * thinPlate(p, q)
			}
			// Steps of equal color look like contours.
			level := math.Round(s/limit*8) / 8
			if limit == 0 {
				level = 0
			}
			img.SetNRGBA(u, v, diverging.at(0.5+level/2))
		}
	}
	return img, nil
}

// scalpMargin is the distance to which a map extends beyond the electrodes, in units of the head's radius.
const scalpMargin = 0.15

// hull returns the convex hull of points, counterclockwise.
func hull(pts []point) []point {
	sorted := slices.SortedFunc(slices.Values(pts), func(a, b point) int {
		return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y))
	})
	turn := func(a, b, c point) float64 { return (b.x-a.x)*(c.y-a.y) - (b.y-a.y)*(c.x-a.x) }
	var edge []point
	for range 2 { // from left to right along the lower side, and back along the upper side
		first := len(edge)
		for _, p := range sorted {
			for len(edge) >= first+2 && turn(edge[len(edge)-2], edge[len(edge)-1], p) <= 0 {
				edge = edge[:len(edge)-1]
			}
			edge = append(edge, p)
		}
		edge = edge[:len(edge)-1] // the other side begins with it
		slices.Reverse(sorted)
	}
	return edge
}

// beyond returns the distance of a point outside a convex hull; it is negative inside.
func beyond(edge []point, p point) float64 {
	most := math.Inf(-1)
	for i, a := range edge {
		b := edge[(i+1)%len(edge)]
		if length := math.Hypot(b.x-a.x, b.y-a.y); length > 0 {
			most = math.Max(most, ((b.y-a.y)*(p.x-a.x)-(b.x-a.x)*(p.y-a.y))/length)
		}
	}
	return most
}

func thinPlate(p, q point) float64 {
	r2 := (p.x-q.x)*(p.x-q.x) + (p.y-q.y)*(p.y-q.y)
	if r2 < 1e-12 {
		return 0
	}
	return r2 * math.Log(r2) / 2
}

// scalpTiles arranges the maps and draws head, nose, ears and electrodes.
func scalpTiles(title string, images []image.Image, names []string, pos []point, columns int) *Figure {
	f := tiles(title, nil, nil, 1, 150, pageWidth)
	const size, gap = 156.0, 14.0
	if columns < 1 {
		columns = min(max(len(images), 1), 4)
	}
	f.w = math.Max(2*margin+float64(columns)*(size+gap)-gap,
		math.Max(300, 1.15*textWidth(title, titleSize, true)+2*margin))
	f.ops[0].w = f.w
	y0 := top(title)
	left := (f.w - float64(columns)*(size+gap) + gap) / 2
	for k, img := range images {
		x, y := left+float64(k%columns)*(size+gap), y0+float64(k/columns)*(size+gap+12)
		cx, cy, r := x+size/2, y+size/2, size/2/headReach
		at := func(u, v float64) point { return point{cx + u*r, cy - v*r} }
		f.path([]point{at(-0.13, 0.99), at(0, 1.14), at(0.13, 0.99)}, false, paint{}, soft, 1.6)
		for _, s := range []float64{-1, 1} {
			f.path([]point{at(s*0.985, 0.17), at(s*1.06, 0.19), at(s*1.1, 0.08), at(s*1.08, -0.1), at(s*1.05, -0.19),
				at(s*0.985, -0.17)}, false, paint{}, soft, 1.6)
		}
		f.picture(x, y, size, size, img, names[k])
		f.circle(cx, cy, r, paint{}, soft, 1.6, "")
		for _, p := range pos {
			q := at(p.x, p.y)
			f.circle(q.x, q.y, 1.5, paint{c: ink.c}, paint{}, 0, "")
		}
		f.text(cx, y+size+8, fit(names[k], size, smallSize, false), soft, smallSize, 0.5)
	}
	rows := (len(images) + columns - 1) / columns
	f.grow(y0 + float64(rows)*(size+gap+12) + 30)
	return f
}
