// Package method provides every learning method by name. A method fits a complete model to data:
//
//	m, err := method.Lookup("sqfa")
//	set := method.Settings{{Name: "filters", Value: "9"}}
//	mod, err := m.Fit(ctx, method.InMemory{Data: train}, set, nil)
//	err = mod.Save("model.rao")
//
// The model contains the preprocessing, the learned features, the classifier, and the names of the classes. The tool,
// the search over options and the experiments all find methods in this package, so a name has the same meaning
// everywhere.
//
// A method learns from [TrainingData]: data in memory, class statistics, or rows and covariances that stay in their
// files.
// [ParseSpec] parses a method with its options, as in "sqfa:filters=9". [Method.Tune] searches over options by
// cross-validation.
//
// The options of a method are the fields of one struct, declared next to its fit. The tool's flags, with their
// defaults, ranges, help and completion, and the JSON of rao methods are derived from it. [Settings] contains the given
// values as text.
//
// Other modules add methods with [New] and [Register].
package method
