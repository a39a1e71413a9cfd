package experiment

// OurPaper replaces the name of a paper if the targets are our own.
const OurPaper = "beyond both papers"

// beyondExperiments extend both papers on the data of the papers. Their claims are our targets, which were set before
// the run.
var beyondExperiments = []Experiment{
	{ID: "beyond-subclasses", Paper: OurPaper, Item: "next to SQFA's figure 4",
		Title: "Classes as mixtures: statistics of sub-classes, and rows", Needs: []string{"mnist"},
		Protocol: beyondSubclassesProtocol, run: beyondSubclasses, read: readSubclasses},
	{ID: "beyond-classes", Paper: OurPaper, Item: "next to SQFA's discussion",
		Title: "Many classes: near pairs, and how the cost grows", Protocol: beyondClassesProtocol,
		Notes: []string{"The default does not follow the rule from 10 to 30 classes. There, all pairs need no more " +
			"than two seconds, so near pairs are the default only above 30 classes."},
		run: beyondClasses, read: readClasses},
	{ID: "beyond-federated", Paper: OurPaper, Item: "next to SQFA's figure 4",
		Title: "Ten sites that send statistics once", Needs: []string{"mnist"},
		Protocol: beyondFederatedProtocol, run: beyondFederated, read: readFederated},
	{ID: "privacy", Earlier: "SQFA with 16 filters at ε 1 alone, and no pooled statistics",
		Paper: OurPaper, Version: 2, Item: onPrivate,
		Title: "Private statistics: accuracy, time and attacks", Needs: []string{"mnist"}, standIn: true,
		Protocol: privateProtocol, run: privateStudy, read: readPrivate},
	{ID: "beyond-private", Paper: OurPaper, Item: onPrivate,
		Title: "Private statistics and other private classifiers", Needs: []string{"mnist", "private"},
		Protocol: privatePeersProtocol, run: privatePeers, read: readPrivatePeers},
	{ID: "private-kinds", Paper: OurPaper, Item: onPrivate,
		Title: "Private statistics of few rows: which kind is better, and can it be chosen privately?",
		Needs: []string{"mnist", "optdigits"}, standIn: true,
		Protocol: privateKindsProtocol, run: privateKinds, read: readPrivateKinds},
	{ID: "beyond-eeg", Paper: OurPaper, Version: 1, Item: "next to PLRSQ's table 6",
		Title: "ENuc, and six ways to adapt to a new session", Needs: []string{"bci-iv-2a"},
		Protocol: beyondEEGProtocol, run: beyondEEG, read: sayKappas("kappa-T", "kappa-E", "thinned")},
	{ID: "beyond-reduction", Earlier: "subjects A01 to A05",
		Paper: OurPaper, Version: 1, Item: "next to PLRSQ's table 6",
		Title: "Spatial filters before ENuc and prototypes", Needs: []string{"bci-iv-2a"},
		Protocol: beyondReduceProtocol, run: beyondReduce, read: sayKappas("reduction")},
	{ID: "beyond-csp", Earlier: "subjects A01 to A05",
		Paper: OurPaper, Version: 1, Item: "next to PLRSQ's table 6",
		Title: "Common spatial patterns compared with the winners of the competition", Needs: []string{"bci-iv-2a"},
		Protocol: beyondCSPProtocol,
		Notes: []string{"The PLRSQ paper says that the first three methods of the competition build on CSP or on its " +
			"filter-bank form (section 6.3). The nine bands of the winner's bank are from Ang et al. (2012)."},
		run: beyondCSP, read: sayKappas("csp")},
	{ID: "beyond-prototypes", Earlier: "subjects A01 to A05",
		Paper: OurPaper, Version: 1, Item: "next to PLRSQ's table 6",
		Title: "Prototypes with all adaptations, and after eight filters", Needs: []string{"bci-iv-2a"},
		Protocol: beyondPrototypesProtocol, run: beyondPrototypes, read: sayKappas("prototypes")},
	{ID: "beyond-subjects", Earlier: "subjects A01 to A05",
		Paper: "PLRSQ", Version: 1, Item: "next to table 6",
		Title: "Learning from other people", Needs: []string{"bci-iv-2a"},
		Protocol: beyondSubjectsProtocol, run: beyondSubjectsTable, read: sayKappas("subjects")},
	{ID: "beyond-embeddings", Paper: OurPaper, Item: "on embeddings of texts",
		Title: "Many classes of real embeddings, from their statistics", Needs: []string{"embeddings"},
		Protocol: beyondEmbeddingsProtocol,
		Notes: []string{"The page docs/measurements/embeddings.md extends this table with logistic regression on the " +
			"rows (33.1 %) and with signed square roots of the columns (no difference beyond chance). We knew the " +
			"longer table before we set the target."},
		run: beyondEmbeddings, read: readEmbeddings},
	{ID: "beyond-eth80", Paper: OurPaper, Item: "next to PLRSQ's table 5",
		Title: "Descriptors with means, local whitening and unseen objects", Needs: []string{"eth80"},
		Protocol: beyondETHProtocol, run: beyondETH, read: readBeyondETH},
	{ID: "beyond-cifar10", Paper: OurPaper, Item: "next to PLRSQ's figure 6",
		Title: "Learned filters and regions", Needs: []string{"cifar10"},
		Protocol: beyondCIFARProtocol, run: beyondCIFAR, read: readBeyondCIFAR},
}
