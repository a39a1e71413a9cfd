// Package stream classifies a live signal. It selects the channels of the model, converts their units, filters
// causally, cuts windows, and classifies their covariances:
//
//	d, err := stream.NewDecoder(m, stream.DecoderOptions{Channels: names, Rate: 250})
//	err = d.Push(ctx, samples, func(decision model.Decision) error { ... })
//
// The model's recipe describes how samples become matrices; for a model without a recipe, give a [recipe.Signal].
// Package eeg cuts trials from recordings with the same recipe; with causal filters it computes the same matrices.
//
// [EventDecoder] makes one decision per event, for models of evoked potentials. [Covariances] computes the matrices
// without a model. After a gap in the signal, call [Decoder.Restart]. Samples that are not finite give a
// [SampleError], after which the stream can continue.
package stream
