// Package spatial holds what is learned across the channels of EEG beyond common spatial
// patterns: filters of evoked potentials (Xdawn), covariances of trials with mean responses
// next to them, and the patterns of filter banks. It reads no file formats.
//
// Start with [FitXdawnCovariances], which makes matrices of trials for any classifier of SPD matrices:
//
//	trials := spatial.Trials{X: signals, Samples: 125} // a row per trial: channel after channel
//	filters, err := spatial.FitXdawnCovariances(trials, labels, classes, spatial.XdawnCovariancesOptions{})
//	x, err := filters.Matrices(signals)
//	mdm, err := classify.FitMDM(ctx, x, labels, classes, classify.MDMOptions{})
//
// [FitEvoked] leaves out the Xdawn filters, [FitFilterBank] learns common spatial patterns of several bands, and
// [FitTRCA] learns filters of steady-state responses. Importing the package registers its methods (xdawn, erp,
// fbcsp, trca) with package method and its stages with package model.
package spatial
