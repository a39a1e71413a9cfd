// Package model is the saved model: one file format for everything that can be
// fitted, and one way to predict with it.
//
// A [Model] joins the preprocessing, the fitted parts and the names of the
// classes, so that new data go in as they come:
//
//	m, err := model.Load("model.rao")
//	p, err := m.Predict(x) // N×n matrix as it was read
//	fmt.Println(m.Classes[p.Label[0]])
//
// # File
//
// A model file is a zip file that numpy opens as an npz: every array of the model
// is an npy entry, and rao.json holds the rest with the SHA-256 of each entry.
// Saving writes a temporary file, syncs and renames it, so that a crash leaves the
// old file. Loading checks the digests, the format version, and every shape.
//
// # Adding a kind of model
//
// A fitted model is a struct whose exported fields determine it: numbers, strings,
// slices, dense matrices, stacks, and structs of these. Give it a Validate method
// and the methods of [Feature], [VectorClassifier] or [MatrixClassifier], and add
// a line to the table in kinds.go. Nothing else is needed to save and load it. A field
// that gets another name keeps the old one for the files that have it, in a tag:
//
//	Center []float64 `was:"Centre"`
package model
