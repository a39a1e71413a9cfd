// Package model implements the trained pipeline: the description of an observation, every step from an observation to
// a decision, and the file format.
//
// [New] assembles a model from fitted parts, for example from the filters f of sqfa.Fit and a classifier of their
// features:
//
//	input := model.Schema{Kind: model.KindVectors, Dim: n} // or model.SchemaOf(data)
//	m, err := model.New(input, classes, qda, model.Wrap(f))
//	err = m.Save("model.rao")
//
// Package method fits complete models. A [Model] has a [Schema] of its input, stages of type [Stage] and a
// [Classifier], so new data need no preparation:
//
//	m, err := model.Load("model.rao")
//	p, err := m.Predict(ctx, model.Vectors(x)) // N×n matrix as it was read
//	fmt.Println(m.Classes[p.Label[0]])
//
// In a service, [Model.PosteriorInto] predicts single observations; most pipelines allocate nothing after the first
// calls. [Model.Transform] returns the features. [NewDecoder] returns a decoder for a sequence of observations, with
// adaptation and online updates. [Model.Update] and [Model.AddClasses] return models that have learned from new
// observations. [Model.WatchDrift] compares new observations with the training data.
//
// # File
//
// A model file is a zip file that numpy can open as npz. Every array of the model is an npy entry. The entry rao.json
// contains everything else, and the SHA-256 of each array. Saving writes a temporary file, syncs it and renames it, so
// a crash preserves the old file. Loading checks the digests, the format version, and every shape.
//
// # Adding a kind of model
//
// A fitted model is a struct with exported fields that determine it: numbers, booleans, strings, slices, dense and
// symmetric matrices, stacks, and structs of these. Every field needs a json tag, which is its name in the file. Give
// the struct a Validate method and the methods of [Stage], [VectorClassifier] or [MatrixClassifier], and call
// [Register] for it. Saving and loading need nothing else. If a classifier derives other data from these fields, its
// Validate derives them in the first call.
package model
