// Package method is the table of the ways to learn, by name: each goes from data to a
// whole model.
//
//	m, err := method.Lookup("sqfa")
//	set := method.Settings{{Name: "filters", Value: "9"}}
//	mod, err := m.Fit(ctx, method.InMemory{Data: train}, set, nil)
//	err = mod.Save("model.rao")
//
// It joins what the learners leave apart: preprocessing from the statistics, the
// learner, the classifier on its features, and the names of the classes. The tool,
// the search over options and the experiments all go through it, so that they mean
// the same by a name.
//
// The options of a method are the fields of one struct, declared next to its fit. The
// flags of the tool, their defaults, ranges and help, completion, and the JSON of rao
// methods are read from it. [Settings] holds the values that were given, as text.
//
// Another module adds a method of its own with [New] and [Register].
package method
