package experiment

// imageProtocol is shared by the experiments on image sets.
const imageProtocol = "Values divided by the standard deviation of all training values and centred. Filters are learned on the training set, from class statistics alone where the method can; a quadratic classifier is fitted to the features' statistics and scored on the test set. A short run keeps a part of the observations."

var sqfaExperiments = []Experiment{
	{ID: "sqfa-fig2", Paper: "SQFA", Item: "figure 2", Title: "Which subspace each method picks in the toy problems",
		Protocol: "Population statistics of toy problems 1 and 2, two filters, feature noise 0.01, no sampling. A filter's share of a pair of dimensions is the squared norm of its part there, averaged over the two filters.",
		run:      toySubspaces},
	{ID: "sqfa-fig4", Paper: "SQFA", Item: "figure 4, MNIST", Title: "All methods on MNIST", Needs: []string{"mnist"},
		Protocol: imageProtocol + " Feature noise 10, and 1 for the Bayes bound.", run: imageMethods("mnist", 20)},
	{ID: "sqfa-fig4-digits", Paper: "SQFA", Item: "figure 4, a second image set", Title: "All methods on the optical digits",
		Protocol: imageProtocol + " The set is the UCI optical digits, 1198 to learn from and 599 to test. Feature noise 0.1.", run: imageMethods("digits", 2)},
	{ID: "sqfa-fig5", Paper: "SQFA", Item: "figure 5", Title: "All methods on the naturalistic speed task",
		Protocol: speedProtocol, run: speedTask, state: speedState},
	{ID: "sqfa-fig6", Paper: "SQFA", Item: "figure 6", Title: "Which subspace each distance picks where covariances are turned",
		Protocol: "Population statistics of the distance toy: four dimensions, zero means, one covariance turned from class to class. Two filters, feature noise 0.01, seven dissimilarities.",
		run:      toyDistances},
	{ID: "sqfa-fig7", Paper: "SQFA", Item: "figure 7", Title: "Dissimilarities on MNIST", Needs: []string{"mnist"},
		Protocol: imageProtocol + " Feature noise 10.", run: distancesOnImages("mnist", "10", 20)},
	{ID: "sqfa-fig7-digits", Paper: "SQFA", Item: "figure 7, a second image set", Title: "Dissimilarities on the optical digits",
		Protocol: imageProtocol + " Feature noise 0.1.", run: distancesOnImages("digits", "0.1", 2)},
	{ID: "sqfa-fig8", Paper: "SQFA", Item: "figure 8", Title: "Robustness to the feature noise on MNIST", Needs: []string{"mnist"},
		Protocol: imageProtocol + " The noise of the other experiments, a quarter and four times of it.", run: noiseRobustness("mnist", "10", 20)},
	{ID: "sqfa-fig8-digits", Paper: "SQFA", Item: "figure 8, a second image set", Title: "Robustness to the feature noise on the optical digits",
		Protocol: imageProtocol, run: noiseRobustness("digits", "0.1", 2)},
	{ID: "sqfa-fig9", Paper: "SQFA", Item: "figures 9 and 13", Title: "Test data drawn from the classes' Gaussians: MNIST", Needs: []string{"mnist"},
		Protocol: imageProtocol + " Beside the real test set, 1000 vectors a class drawn from the Gaussian of each class.", run: gaussianTest("mnist", "10", 20, 1000)},
	{ID: "sqfa-fig9-digits", Paper: "SQFA", Item: "figures 9 and 13, a second image set", Title: "Test data drawn from the classes' Gaussians: optical digits",
		Protocol: imageProtocol + " Beside the real test set, 1000 vectors a class drawn from the Gaussian of each class.", run: gaussianTest("digits", "0.1", 2, 1000)},
	{ID: "sqfa-fig10", Paper: "SQFA", Item: "figure 10", Title: "Distances and the Bayes error in one dimension",
		Protocol: "400 random pairs of Gaussians, equally probable; the error of their Bayes classifier by 20000 draws a pair.", run: bayesError(1)},
	{ID: "sqfa-fig11", Paper: "SQFA", Item: "figure 11", Title: "Distances and the Bayes error in two dimensions",
		Protocol: "400 random pairs of Gaussians, equally probable; the error of their Bayes classifier by 20000 draws a pair.", run: bayesError(2)},
	{ID: "sqfa-fig12", Paper: "SQFA", Item: "figure 12", Title: "Training times",
		Protocol: "Synthetic statistics of ten classes. One fit each; wall time.", run: trainingTimes},
	{ID: "sqfa-filters", Paper: "SQFA", Item: "beside figure 4", Title: "Accuracy over the number of filters, MNIST", Needs: []string{"mnist"},
		Protocol: imageProtocol + " Feature noise 1.", run: sweepFilters("mnist", 20)},
	{ID: "sqfa-filters-digits", Paper: "SQFA", Item: "beside figure 4", Title: "Accuracy over the number of filters, optical digits",
		Protocol: imageProtocol + " Feature noise 1.", run: sweepFilters("digits", 2)},
	{ID: "sqfa-noise", Paper: "SQFA", Item: "beside figure 8", Title: "Accuracy over the feature noise, MNIST", Needs: []string{"mnist"},
		Protocol: imageProtocol + " Nine filters.", run: sweepNoise("mnist", 20)},
	{ID: "sqfa-noise-digits", Paper: "SQFA", Item: "beside figure 8", Title: "Accuracy over the feature noise, optical digits",
		Protocol: imageProtocol + " Nine filters.", run: sweepNoise("digits", 2)},
	{ID: "fisher-rao", Paper: "SQFA", Item: "section 5 of the theory", Title: "The exact Fisher-Rao distance and its bound",
		Protocol: "All pairs of 12 random Gaussians in each dimension: normal means, Wishart covariances.", run: exactScatter},
}

// otherExperiments are those of the papers of the methods compared with.
var otherExperiments = []Experiment{
	{ID: "lmnn-mnist", Paper: "LMNN", Item: "3-NN errors on MNIST", Title: "Large-margin nearest neighbours in the protocol of their paper", Needs: []string{"mnist"},
		Protocol: lmnnProtocol, run: lmnnOnMNIST},
}
