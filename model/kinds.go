package model

import (
	"reflect"

	"rao/classify"
	"rao/feature"
	"rao/lvq"
	"rao/sqfa"
)

// kinds lists every type that a model file can hold, by the name in the file. A
// name is never given another meaning.
var kinds = []kind{
	{"sqfa", reflect.TypeFor[sqfa.Model]()},
	{"feature", reflect.TypeFor[feature.Model]()},
	{"plrsq", reflect.TypeFor[lvq.PLRSQ]()},
	{"mdm", reflect.TypeFor[classify.MDM]()},
	{"fgmdm", reflect.TypeFor[classify.FgMDM]()},
	{"tslda", reflect.TypeFor[classify.TangentLDA]()},
	{"tslr", reflect.TypeFor[classify.TangentLogistic]()},
	{"tssm", reflect.TypeFor[classify.TSSM]()},
	{"knn-spd", reflect.TypeFor[classify.MatrixKNN]()},
	{"svm-spd", reflect.TypeFor[classify.MatrixSVM]()},
	{"gmlvq", reflect.TypeFor[lvq.MatrixGMLVQ]()},
	{"qda", reflect.TypeFor[classify.QDA]()},
	{"lda", reflect.TypeFor[classify.LDA]()},
	{"knn", reflect.TypeFor[classify.KNN]()},
}
