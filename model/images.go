package model

import (
	"context"
	"fmt"

	"rao/internal/descriptors"
)

// describeImages computes descriptors of images, the rows of b, if the model was fitted to descriptors of images of
// this size and b has no recipe of its own. Otherwise it returns b unchanged. Everything that this requires is in the
// model's recipe.
func (m *Model) describeImages(ctx context.Context, b Batch) (Batch, error) {
	r := m.Input.Recipe
	if r == nil || r.Image == nil || b.X == nil || b.Recipe != nil {
		return b, nil
	}
	if _, n := b.X.Dims(); n != r.Image.Rows*r.Image.Cols*r.Image.Channels || m.Input.Kind == KindVectors &&
		n == m.Input.Dim {
		return b, nil
	}
	d, err := descriptors.DescriberOf(r)
	if err != nil {
		return b, fmt.Errorf("the model's recipe of images: %w", err)
	}
	out := Batch{Recipe: r}
	if d.References != nil {
		out.X, err = d.Vectors(ctx, b.X)
		return out, err
	}
	switch per, err := d.Options.Windows(d.Shape); {
	case err != nil:
		return b, err
	case per != 1:
		return b, fmt.Errorf("the model was fitted to %d matrices per image; describe the images in the same way", per)
	}
	out.Stack, err = d.Matrices(ctx, b.X)
	return out, err
}
