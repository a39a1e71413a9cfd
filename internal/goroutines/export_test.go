package goroutines

var Active = &active
