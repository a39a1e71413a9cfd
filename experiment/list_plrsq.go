package experiment

// plrsqExperiments are the tables and figures of the PLRSQ paper, in its order.
var plrsqExperiments = []Experiment{
	{ID: "plrsq-table2", Paper: "PLRSQ", Item: "table 2", Title: "Motor imagery: five subjects of BCI competition IV 2a", Needs: []string{"bci-iv-2a"},
		Protocol: bciProtocol, run: bciTable},
	{ID: "plrsq-table3", Paper: "PLRSQ", Item: "table 3", Title: "Methods on the synthetic set SynI", Protocol: synProtocol, run: synTable(0)},
	{ID: "plrsq-table4", Paper: "PLRSQ", Item: "table 4", Title: "Methods on the synthetic set SynII", Protocol: synProtocol, run: synTable(1)},
	{ID: "plrsq-table5", Paper: "PLRSQ", Item: "table 5", Title: "Object categories of ETH-80", Needs: []string{"eth80"},
		Protocol: ethProtocol, run: ethTable},
	{ID: "plrsq-table6", Paper: "PLRSQ", Item: "table 6", Title: "Prototypes in three geometries on CIFAR-10", Needs: []string{"cifar10"},
		Protocol: "CIFAR-10, one 9×9 covariance descriptor an image; whatever part of the set is in the cache folder. Prototypes start at k-means; σ² is a half, one or twice its automatic value, as a held-out fifth of the training part decides; 20 epochs, five seeds.", run: geometryTable},
	{ID: "plrsq-fig2", Paper: "PLRSQ", Item: "figure 2", Title: "PLRSQ over the number of epochs",
		Protocol: curveProtocol + " σ² is half its automatic value.", run: epochCurves()},
	{ID: "plrsq-fig3", Paper: "PLRSQ", Item: "figure 3", Title: "PLRSQ over σ²",
		Protocol: curveProtocol + " 30 epochs.", run: sigmaCurves()},
	{ID: "plrsq-fig4", Paper: "PLRSQ", Item: "figure 4", Title: "PLRSQ over the number of prototypes",
		Protocol: curveProtocol + " 30 epochs, σ² is half its automatic value.", run: prototypeCurves()},
	{ID: "plrsq-fig5", Paper: "PLRSQ", Item: "figure 5", Title: "Annealed and constant σ²",
		Protocol: curveProtocol + " 30 epochs.", run: annealingCurves()},
	{ID: "plrsq-fig6", Paper: "PLRSQ", Item: "figure 6", Title: "Accuracy over the number of images, CIFAR-10", Needs: []string{"cifar10"},
		Protocol: cifarProtocol + " Three draws of each size, stratified by class. A short run has 150 images.", run: cifarSizes},
	{ID: "plrsq-fig7", Paper: "PLRSQ", Item: "figure 7", Title: "Training time of PLRSQ",
		Protocol: "Wishart matrices in four classes, one prototype a class, no pruning, so that every distance is computed. The time of the fastest of three runs of five epochs, start and means included, divided by the epochs.", run: plrsqTimes},
}
