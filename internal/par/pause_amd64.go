package par

// pause tells the processor that this is a loop of waiting.
func pause()
