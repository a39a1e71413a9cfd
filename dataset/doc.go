// Package dataset reads labeled data from files, folders and registered sets, either into memory or block by block.
//
// # Opening
//
// [Open] detects the format of a source from its first bytes and its name:
//
//	d, err := dataset.Open(ctx, "trials.mat", dataset.OpenOptions{X: "P", Y: "Label", Where: []string{"testIdx=0"}})
//
//	.npz           the arrays X and y, or the arrays that the options X and Y name
//	.npy           the observations; the option Labels names a file of labels
//	.csv .tsv      separated by commas, tabs, semicolons or blanks; the header is detected;
//	               labels: the column that Y names, or a column named "label", "labels", "class", "target" or "y",
//	               or the only column of text, or the last column
//	.mat           MATLAB version 4 to 7.3, with arrays named as in npz
//	.parquet       if rao/dataset/parquet is imported
//	IDX            MNIST's format; train-labels-idx1-ubyte next to train-images-idx3-ubyte
//	               is found automatically
//	CIFAR-10 .bin  color images with labels
//	folder         one sub-folder per class, PNG or JPEG images of one size
//	NAME:PART      a part of a registered set; see Sets
//
// csv, tsv, IDX and CIFAR files may be gzip-compressed. Import rao/sets to open public sets by name, such as digits or
// mnist:train, and rao/synth for generated sets.
//
// A [Data] has either vectors (X, a [Table] of N×n) or symmetric matrices (Stack). Rows are observations. An array with
// three axes is a stack of matrices if the matrices are square and symmetric. Otherwise it is a set of images. The axis
// of the observations is the axis whose length equals the number of labels. If this does not determine one axis, it is
// the axis that is not part of a square. Otherwise it is the last axis in column-major files, so MATLAB's d×d×N works,
// and the first axis in others. Images from MATLAB are stored row by row, like all images.
//
// Class names are text, in numeric order if all are numbers and otherwise in lexical order. The option Where selects
// rows by a variable of the file, or by a column of a table, which is then not a feature.
//
// [WriteFile] writes any data set as npz.
//
// # Storage
//
// [Open] stores values with a type that fits in float32 (bytes, 16-bit integers, half and single precision) as float32,
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
// Values are not scaled or centered, because scaling is part of a model. NaN and infinite values are accepted;
// [Data.Check] finds the first. Files are untrusted: the amount of memory allocated never depends on a header alone,
// and damage gives an error with the file, the place and the remedy.
package dataset
