// Package descriptor turns images and EEG into symmetric positive definite (SPD)
// matrices, which the learners on matrices then classify.
//
// # Images
//
// [Images] gives the covariance of pixel features of each image, or of each
// window of each image:
//
//	stack, err := descriptor.Images(ctx, x, descriptor.Shape{Rows: 128, Cols: 128, Channels: 1}, descriptor.ImageOptions{})
//
// # EEG
//
// [OpenRecording] opens EDF, BDF, GDF, BrainVision and numpy files; [CutTrials]
// filters, cuts trials at events and gives the covariance of each:
//
//	rec, err := descriptor.OpenRecording("A01T.gdf", descriptor.RecordingOptions{Drop: []string{"EOG-left"}})
//	classes, err := descriptor.ParseClasses("left=769,right=770")
//	trials, err := descriptor.CutTrials(ctx, []*descriptor.Recording{rec}, descriptor.TrialOptions{
//		Classes: classes, Start: 0.5, Stop: 3.5, Bands: []descriptor.Band{{Low: 8, High: 30}},
//	})
//
// Several bands make a filter bank: separate stacks, blocks of one matrix, or one
// matrix of the band-passed copies side by side ([Stacked]), which is the form for
// steady-state visual evoked potentials. [FitCSP] finds spatial filters from covariances;
// [Stream] gives the covariances of a sliding window over samples as they arrive.
//
// # Caveats
//
// Zero-phase filters look ahead: a decoder that is to run live must be trained on
// trials cut with Causal set. Trials shorter than about ten times the number of channels
// need shrinkage (OAS or Ledoit-Wolf). Recordings keep the physical unit of the file,
// and a re-referenced recording (common average) has singular covariances.
//
// A descriptor of a flat patch is singular; the default ridge repairs it without
// changing any other result that matters. Red, green and blue of a grey image
// stored in colour are equal, and so is then their covariance: take the grey
// features for such images.
package descriptor
