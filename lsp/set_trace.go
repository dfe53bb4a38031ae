package lsp

// setTraceMethod takes in how much the client wants to be told of the server's work. There is one log.
func setTraceMethod() method {
	return notification("$/setTrace", func(*Server, *nothing) error { return nil })
}
