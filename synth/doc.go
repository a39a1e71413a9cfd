// Package synth generates data whose distribution is known.
//
// [Generate] makes the synthetic sets of the papers by name. They are the toy problems of
// the SQFA paper ([ToyOne], [ToyTwo], [ToyDistance]), the SPD matrices of the PLRSQ paper
// ([SynI], [SynII]) and the speed task ([Speed], from photographs). [Sample] draws from
// any class statistics, [RiemannGaussian] from Gaussians on the manifold of SPD matrices,
// [Classes] from many Gaussian classes like those of embeddings.
package synth
