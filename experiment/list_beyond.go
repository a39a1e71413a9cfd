package experiment

// ourPaper stands for the paper where the marks are our own.
const ourPaper = "beyond both papers"

// beyondExperiments go beyond both papers on their own data. Their claims are marks of
// ours, set before the run.
var beyondExperiments = []Experiment{
	{ID: "beyond-eeg", Paper: ourPaper, Item: "beside PLRSQ's table 2", Title: "ENuc, and six ways to meet a new session", Needs: []string{"bci-iv-2a"},
		Protocol: beyondEEGProtocol, run: beyondEEG},
}
