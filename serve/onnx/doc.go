// Package onnx writes trained models as ONNX graphs, which predict without rao.
//
//	err := onnx.Export(ctx, file, m, onnx.ExportOptions{})
//
// A graph takes "X", observations × columns or observations × order × order, and gives
// "label" (text), "probabilities" (observations × classes) and, where they are asked for,
// "features". It uses operators of opset 13 that every runtime has.
//
// A model of a table with texts has an input for each column instead, of one value per observation, and the metadata
// "table" describes them. Texts become numbers in the graph, by the operator LabelEncoder of ai.onnx.ml. They are
// compared as they are: a text with spaces around it, or 1.0 in place of 1, is not known. Unknown and missing (empty)
// texts count as the model counts them. A graph fills in missing numbers (NaN) where the model does. Columns of dates
// are refused.
//
// ONNX has no eigendecomposition, no factorization and no inverse. The logarithm of an SPD
// matrix is made of products alone. A few square roots by coupled Newton-Schulz iterations
// (Higham 2008, Functions of Matrices, section 6.3) bring it near the identity. A series
// does the rest. The number of steps follows from the largest condition number that is to be
// right, which the metadata name; the output "valid" is false beyond it.
//
// Nearest neighbors are found by one product, and the nearest of these again by differences.
// Rows that are equally near but for the last digits may change places.
//
// An observation with a value that is not finite has probabilities that are no numbers, and
// an empty label. A graph neither rejects nor tells outliers; the metadata name the threshold
// of a model that rejects, reject_below. What else a graph cannot say is refused: adaptation
// to a recording, and repair. Before a file is whole, an interpreter in this package runs the
// graph on observations where the model's classes are, and compares.
package onnx
