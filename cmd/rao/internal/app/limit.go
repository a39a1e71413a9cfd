package app

// LimitError reports that a check was completed and found more than its limit allows.
type LimitError struct{ Found string }

func (e *LimitError) Error() string { return "beyond the limit: " + e.Found }

// ExitStatus returns 3, the exit status for data beyond a limit.
func (e *LimitError) ExitStatus() int { return 3 }
