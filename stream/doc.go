// Package stream decides on a live signal: it picks the channels of the training, changes their units,
// filters causally and cuts windows, whose covariances a model classifies.
//
//	d, err := stream.NewDecoder(m, stream.DecoderOptions{Channels: names, Rate: 250})
//	err = d.Push(ctx, samples, func(decision model.Decision) error { ... })
//
// [Stream] gives the covariances alone. [recipe.SignalOptions] say how samples become matrices; trials of
// recordings (package eeg) are made with the same options, and causal ones give the same matrices.
package stream
