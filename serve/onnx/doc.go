// Package onnx writes trained models as ONNX graphs, which predict without rao.
//
//	err := onnx.Export(ctx, file, m, onnx.ExportOptions{})
//
// A graph has the input "X", observations × columns or observations × order × order, and the outputs "label" (text),
// "probabilities" (observations × classes) and, if requested, "features". It uses operators of opset 13 that every
// runtime supports.
//
// If some columns of the training table contain text, the graph has one input per column instead, with one value per
// observation. The metadata "table" describes these inputs. The graph converts texts to numbers with the operator
// LabelEncoder of ai.onnx.ml. Texts are compared exactly: a text with spaces around it, or 1.0 instead of 1, is
// unknown. Unknown and missing (empty) texts are treated as in the model. A graph fills in missing numbers (NaN) if the
// model does. Date columns are not supported.
//
// ONNX has no eigendecomposition, no factorization and no inverse, so the logarithm of an SPD matrix is computed with
// matrix products only. A few square roots by coupled Newton-Schulz iterations (Higham 2008, Functions of Matrices,
// section 6.3) bring the matrix near the identity, and a series gives the logarithm of the result. The number of steps
// follows from the largest supported condition number, which is in the metadata. The output "valid" is false for
// matrices with a larger condition number.
//
// Nearest neighbors are found with one matrix product. Then the distances of the nearest candidates are recomputed from
// differences. Neighbors whose distances differ only in the last digits may be swapped.
//
// An observation with a value that is not finite has NaN probabilities and an empty label. A graph does not reject
// observations or detect outliers, but the metadata reject_below contains the rejection threshold of the model.
// Adaptation to a recording, repair and local whitening cannot be exported. Before a file is written, an interpreter in
// this package runs the graph on 40 random observations with the center and spread of the training data, and compares
// the results with the results of the model.
package onnx
