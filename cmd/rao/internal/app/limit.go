package app

// LimitError ends a check that found more than its limit allows: the check itself succeeded.
type LimitError struct{ Found string }

func (e *LimitError) Error() string { return "beyond the limit: " + e.Found }

// ExitStatus is that of data beyond a limit.
func (e *LimitError) ExitStatus() int { return 3 }
