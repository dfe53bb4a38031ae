package lsp

// setTraceMethod ignores the trace level: the server has one log.
func setTraceMethod() method {
	return notification("$/setTrace", func(*Server, *nothing) error { return nil })
}
