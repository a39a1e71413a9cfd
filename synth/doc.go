// Package synth generates data from known distributions.
//
// [Generate] generates the synthetic sets of the papers by name: the toy problems of the SQFA paper (toy1,
// toy1-shifted, toy2, toy-distance), the SPD matrices of the PLRSQ paper (syn1, syn2), and the speed task (speed, from
// photographs). In a program that imports the package, [rao/dataset.Sets] lists these names. [RiemannGaussian] draws
// SPD matrices around centers.
//
//	d, err := synth.Generate("toy1", synth.GenerateOptions{PerClass: 100, Seed: 1})
//	stats, err := gaussian.Estimate(d.X, d.Labels, d.Classes)
package synth
