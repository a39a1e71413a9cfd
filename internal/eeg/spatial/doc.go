// Package spatial contains spatial filters for EEG beyond common spatial patterns: Xdawn filters for evoked potentials,
// covariances of trials extended by mean responses, filter bank common spatial patterns, and task-related component
// analysis. It reads no file formats.
//
// Start with [FitXdawnCovariances], which converts trials to matrices for any classifier of SPD matrices:
//
//	trials := spatial.Trials{X: signals, Samples: 125} // a row per trial: channel after channel
//	filters, err := spatial.FitXdawnCovariances(trials, labels, classes, nil, 0, false, spd.CovarianceOptions{})
//	x, err := filters.Matrices(signals)
//	mdm, err := classify.FitMDM(ctx, x, labels, classes, classify.MDMOptions{})
//
// [FitEvoked] extends trials without Xdawn filters, [FitFilterBank] learns common spatial patterns of several bands,
// and [FitTRCA] learns filters for steady-state responses. Importing the package registers its methods (xdawn, erp,
// fbcsp, trca) with package method and its stages with package model.
package spatial
