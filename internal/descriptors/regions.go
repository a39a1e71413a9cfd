package descriptors

import (
	"cmp"
	"fmt"
	"strings"

	"rao"
)

// rect is a rectangle in the planes of features.
type rect struct{ top, left, rows, cols int }

func (r rect) area() int { return r.rows * r.cols }

// maxRects limits the number of matrices per image, and maxPixels the size of an image.
const (
	maxRects  = 1 << 20
	maxPixels = 1 << 28
)

// rects returns the windows or regions with one matrix each. The features must be resolved.
func (o *Options) rects(s Shape) ([]rect, error) {
	rows, cols := o.plane(s)
	var list []rect
	var err error
	switch {
	case o.Regions == "":
		list, err = o.windows(rows, cols)
	case o.WindowRows != 0 || o.WindowCols != 0 || o.StepRows != 0 || o.StepCols != 0:
		return nil, fmt.Errorf("regions (%s) and windows cannot be combined; give only one of these", o.Regions)
	default:
		list, err = regions(o.Regions, rows, cols)
	}
	if err != nil {
		return nil, err
	}
	for _, r := range list {
		if r.area() <= o.features() {
			return nil, fmt.Errorf("a window of %d×%d pixels is too small for the covariance of %d features; use "+
				"larger windows or fewer features",
				r.rows, r.cols, o.features())
		}
	}
	return list, nil
}

// windows returns the positions of the windows. It fills in defaults of their size and step.
func (o *Options) windows(rows, cols int) ([]rect, error) {
	if o.WindowRows == 0 && o.WindowCols == 0 {
		o.WindowRows, o.WindowCols = rows, cols
	}
	if o.WindowRows < 1 || o.WindowCols < 1 || o.WindowRows > rows || o.WindowCols > cols {
		return nil, fmt.Errorf("windows of %d×%d pixels do not fit images of %d×%d; use windows of at least one "+
			"pixel and at most the size of the images",
			o.WindowRows, o.WindowCols, rows, cols)
	}
	o.StepRows = cmp.Or(o.StepRows, o.WindowRows)
	o.StepCols = cmp.Or(o.StepCols, o.WindowCols)
	if o.StepRows < 1 || o.StepCols < 1 {
		return nil, fmt.Errorf("the window steps are %d and %d pixels; both must be positive", o.StepRows, o.StepCols)
	}
	if down, across := (rows-o.WindowRows)/o.StepRows+1, (cols-o.WindowCols)/o.StepCols+1; down > maxRects/across {
		return nil, fmt.Errorf("%d×%d windows per image are too many; use larger steps", down, across)
	}
	var list []rect
	for top := 0; top+o.WindowRows <= rows; top += o.StepRows {
		for left := 0; left+o.WindowCols <= cols; left += o.StepCols {
			list = append(list, rect{top, left, o.WindowRows, o.WindowCols})
		}
	}
	return list, nil
}

// regions returns the rectangles for the names of regions in an image of rows×cols pixels.
func regions(names string, rows, cols int) ([]rect, error) {
	var list []rect
	for _, name := range strings.Split(names, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "whole":
			list = append(list, rect{0, 0, rows, cols})
		case name == "quadrants":
			h, w := (rows+1)/2, (cols+1)/2
			list = append(list, rect{0, 0, h, w}, rect{0, cols - w, h, w}, rect{rows - h, 0, h, w},
				rect{rows - h, cols - w, h, w})
		case name == "center":
			list = append(list, rect{rows / 4, cols / 4, rows - 2*(rows/4), cols - 2*(cols/4)})
		case strings.HasPrefix(name, "grid:"):
			var down, across int
			n, err := fmt.Sscanf(name+"\n", "grid:%dx%d\n", &down, &across)
			if n != 2 || err != nil || down < 1 || across < 1 || down > rows || across > cols ||
				down*across > maxRects {
				return nil,
					fmt.Errorf("the region %s is not a valid grid; use grid:ROWSxCOLS, such as grid:3x3, with at most "+
						"one part per pixel and at most %d parts", name, maxRects)
			}
			for i := range down {
				for j := range across {
					top, left := i*rows/down, j*cols/across
					list = append(list, rect{top, left, (i+1)*rows/down - top, (j+1)*cols/across - left})
				}
			}
		default:
			return nil, &rao.UnknownError{Kind: "region", Name: name,
				Known: []string{"whole", "quadrants", "center", "grid:RxC"}}
		}
	}
	return list, nil
}

// overlap reports whether windows of the same size share pixels. In that case, integral images are worthwhile.
func overlap(list []rect) bool {
	for _, r := range list[1:] {
		if r.rows != list[0].rows || r.cols != list[0].cols {
			return false
		}
	}
	for k := 1; k < len(list); k++ {
		a, b := list[0], list[k]
		if b.top < a.top+a.rows && b.left < a.left+a.cols {
			return true
		}
	}
	return false
}
