package descriptors

import "rao/recipe"

// recipe returns the recipe with which Describe computes matrices from images of the given shape, or nil if the options
// do not fit the shape.
func (o Options) recipe(s Shape) *recipe.Recipe {
	o, err := o.resolve(s)
	if err != nil {
		return nil
	}
	m := &recipe.Image{Rows: s.Rows, Cols: s.Cols, Channels: s.Channels, Planar: o.Planar, Ridge: o.Ridge,
		Smooth: o.Smooth, Gaussian: o.Gaussian,
		Regions: o.Regions, Patches: (*recipe.Patches)(o.Patches), Window: [2]int{o.WindowRows, o.WindowCols},
		Step: [2]int{o.StepRows, o.StepCols}}
	for _, f := range o.Features {
		m.Features = append(m.Features, f.String())
	}
	return &recipe.Recipe{Image: m}
}
