// Package dataset opens labeled data in all formats that the tool reads.
//
// # Opening
//
// [Open] detects the format of a source from its first bytes and its name:
//
//	d, err := dataset.Open(ctx, "trials.mat", dataset.OpenOptions{X: "P", Y: "Label", Where: []string{"testIdx=0"}})
//
//	.npz           arrays X and y, or those that X and Y name
//	.npy           the observations; the labels in a file of their own (Labels)
//	.csv .tsv      comma, tab, semicolon or blanks; header detected; label column by
//	               name or number, "label", "class", "target", "y", or the last
//	.mat           MATLAB version 4 to 7, as npz
//	.parquet       where rao/dataset/parquet is imported
//	IDX            MNIST's format; train-labels-idx1-ubyte next to train-images-idx3-ubyte
//	               is found automatically
//	CIFAR-10 .bin  color images, labels inside
//	folder         one sub-folder per class, PNG or JPEG images of one size
//	NAME:PART      of a set that is registered; see [Sets]
//
// csv, tsv, IDX and CIFAR files may be gzip-compressed. Import rao/sets to open public sets by name, such as digits or
// mnist:train, and rao/synth for generated sets.
//
// A [Data] has either vectors (X, a [Table] of N×n) or symmetric matrices (Stack). Rows are observations. An array of
// three axes is a stack of matrices if these are square and symmetric, and a set of images otherwise. The axis that
// counts the observations is the axis with as many indices as there are labels; otherwise the axis that is not part of
// the square; otherwise the last axis in column-major files, so MATLAB's d×d×N works, and the first axis in others.
// Images from MATLAB are stored row by row like all others.
//
// Class names are text, in numeric order if all are numbers and otherwise in lexical order. Where selects rows by a
// variable of the file, or by a column of a table, which is then not a feature.
//
// [Deskew] centers gray images and makes them upright. [WriteFile] writes any data set as npz.
//
// # Storage
//
// Values with a type that fits in float32 (bytes, 16-bit integers, half and single precision) are stored as float32,
// which halves the memory. Pass [Table.Matrix] to other packages: it is a *mat.Dense if the storage allows it, and
// otherwise a type with fast float32 access.
//
// # Larger than memory
//
// [Stream] reads blocks of rows. It never loads all values or labels of a table, a Parquet, IDX or CIFAR file, a
// folder, or a C-order npy or npz array, compressed or not.
//
// # Caveats
//
// Values are not scaled or centered; that is part of a model. NaN and infinite values are accepted; [Data.Check] finds
// the first. Files are untrusted: the amount of memory allocated never depends on a header alone, and damage gives an
// error with the file, the place and the remedy. MATLAB version 7.3 files (HDF5) are supported.
package dataset
