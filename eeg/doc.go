// Package eeg turns EEG recordings into covariance matrices of trials.
//
// [OpenRecording] opens EDF, BDF, GDF, BrainVision, EEGLAB, FIF, XDF, MAT and numpy files, and converts known voltage
// units to volts. [CutTrials] filters the signal, cuts trials at events and returns the covariance matrix of each
// trial:
//
//	rec, err := eeg.OpenRecording("A01T.gdf", eeg.RecordingOptions{Drop: []string{"EOG-left"}})
//	classes, err := eeg.ParseClasses("left=769,right=770")
//	trials, err := eeg.CutTrials(ctx, []*eeg.Recording{rec}, eeg.TrialOptions{
//		Classes: classes, Start: 0.5, Stop: 3.5,
//		SignalOptions: recipe.SignalOptions{Bands: []recipe.Band{{Low: 8, High: 30}}},
//	})
//
// With several bands, the result is one stack of matrices per band, or one matrix per trial. This matrix has a block
// for each band, or its rows are the stacked band-passed copies of the channels, which are useful for steady-state
// visual evoked potentials. Package stream computes covariances of a sliding window over live samples, and has a
// decoder.
//
// [OpenBIDS] opens the recordings of a BIDS folder. [FindSources] separates a recording into sources, and
// [AJDC.Without] removes blinks and muscle activity from it. Other options of [CutTrials] select what to do with bad
// channels, the reference, notch filters and the sampling rate.
//
// # Caveats
//
// Zero-phase filters use future samples: to train a live decoder, cut trials with Causal set. If trials have fewer
// samples than about ten times the number of channels, use shrinkage: set Estimator to "oas" or "ledoit_wolf". A
// recording with the common average reference has singular covariances.
package eeg
