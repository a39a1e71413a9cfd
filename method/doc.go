// Package method is the table of the ways to learn, by name: each goes from data to a
// whole model.
//
//	m, err := method.Lookup("sqfa")
//	mod, err := m.Fit(ctx, method.Source{Data: train}, method.DefaultSettings(), nil)
//	err = mod.Save("model.rao")
//
// It joins what the learners leave apart: preprocessing from the statistics, the
// learner, the classifier on its features, and the names of the classes. The tool,
// the search over options and the experiments all go through it, so that they mean
// the same by a name.
//
// [Settings] holds the options of all methods as they are named on the command
// line; a [Method] lists those that it reads.
package method
