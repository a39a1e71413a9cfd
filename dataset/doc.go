// Package dataset opens labeled data of every kind that the tool reads.
//
// # Opening
//
// [Open] finds the kind of a source by its first bytes and its name:
//
//	d, err := dataset.Open(ctx, "trials.mat", dataset.OpenOptions{X: "P", Y: "Label", Where: []string{"testIdx=0"}})
//
//	.npz           arrays X and y, or those that X and Y name
//	.npy           the observations; the labels in a file of their own (Labels)
//	.csv .tsv      comma, tab, semicolon or blanks; header found out; label column by
//	               name or number, "label", "class", "target", "y", or the last
//	.mat           MATLAB version 4 to 7, as npz
//	.parquet       where rao/dataset/parquet is imported
//	IDX            MNIST's format; train-labels-idx1-ubyte next to train-images-idx3-ubyte
//	               is found by itself
//	CIFAR-10 .bin  color images, labels inside
//	folder         one sub-folder a class, PNG or JPEG images of one size
//	NAME:PART      of a set that is registered; see [Sets]
//
// csv, tsv, IDX and CIFAR files may be gzip-compressed. Names of sets, such as digits or
// mnist:train, are known to programs that import rao/sets; generated ones are made by
// rao/synth.
//
// A [Data] holds either vectors (X, a [Table] of N×n) or symmetric matrices (Stack).
// Rows are observations. An array of three axes is a stack of matrices when they are
// square and symmetric, and images otherwise. The axis that counts the observations is
// the one as long as the labels, else the one outside the square. Failing both, it is
// the last in column-major files, so that MATLAB's d×d×N works, and the first in
// others. Images of MATLAB come out row by row as all others do.
//
// Class names are text; their order is numeric when all are numbers and lexical
// otherwise. Where keeps rows by a variable of the file, or a column of a table,
// which then is no feature.
//
// [Deskew] brings gray images to the middle of the frame and makes them upright;
// [WriteFile] writes any of this as npz.
//
// # Storage
//
// Values that are exactly float32 in the source (bytes, 16-bit integers, half and
// single precision) stay float32, which halves memory. Pass [Table.Matrix] to other
// packages: it is a *mat.Dense when the storage allows and a type with fast float32
// access otherwise.
//
// # Larger than memory
//
// [Stream] hands out blocks of rows. Tables, Parquet, IDX, CIFAR, folders and C-order npy and
// npz arrays are never in memory whole, also when compressed, and neither are their labels.
//
// # Caveats
//
// Nothing is scaled or centered: that is part of a model. NaN and infinite values are
// let through; [Data.Check] finds the first. No file is trusted: memory is never
// allocated on a header's word alone, and damage is an error that names file, place and
// remedy. MATLAB version 7.3 files, which are HDF5, are read too.
package dataset
