// Package eeg turns EEG recordings into covariance matrices of trials.
//
// [OpenRecording] opens EDF, BDF, GDF, BrainVision, EEGLAB, FIF, XDF, MAT and numpy files, in volts; [CutTrials]
// filters the signal, cuts trials at events and returns the covariance of each:
//
//	rec, err := eeg.OpenRecording("A01T.gdf", eeg.RecordingOptions{Drop: []string{"EOG-left"}})
//	classes, err := eeg.ParseClasses("left=769,right=770")
//	trials, err := eeg.CutTrials(ctx, []*eeg.Recording{rec}, eeg.TrialOptions{
//		Classes: classes, Start: 0.5, Stop: 3.5,
//		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 30}}},
//	})
//
// Several bands make a filter bank: separate stacks, blocks of one matrix, or one matrix of the band-passed copies
// side by side. The last (recipe.Stacked) is the form for steady-state visual evoked potentials. Package stream has
// covariances of a sliding window over live samples, and a decoder.
//
// # Caveats
//
// Zero-phase filters look ahead: train live decoders on trials cut with Causal set. Trials shorter than about ten
// times the number of channels need shrinkage (spd.OAS or spd.LedoitWolf). A re-referenced recording (common average)
// has singular covariances.
package eeg
