// Package method is the table of learning methods by name. A method goes from data to a complete model.
//
//	m, err := method.Lookup("sqfa")
//	set := method.Settings{{Name: "filters", Value: "9"}}
//	mod, err := m.Fit(ctx, method.InMemory{Data: train}, set, nil)
//	err = mod.Save("model.rao")
//
// It combines preprocessing from the statistics, the learner, the classifier on its features, and the names of the
// classes. The tool, the search over options and the experiments all use it, so a name has the same meaning
// everywhere.
//
// The options of a method are the fields of one struct, declared next to its fit. The flags of the tool, their
// defaults, ranges and help, completion, and the JSON of rao methods are derived from it. [Settings] holds the given
// values as text.
//
// Other modules add methods with [New] and [Register].
package method
