// Package synth draws data from known distributions: the toy problems of the SQFA paper ([ToyOne], [ToyTwo],
// [ToyDistance]), the SPD matrices of the PLRSQ paper ([SynI], [SynII]), and the speed task ([Speed], from
// photographs). [Sample] draws from any class statistics, [RiemannGaussian] from Gaussians on the manifold of SPD
// matrices, and [Classes] from many Gaussian classes that resemble embeddings. Package rao/synth generates most of
// these data sets by name.
package synth
