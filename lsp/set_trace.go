package lsp

// setTrace ignores the trace level: the server has one log.
func (*Server) setTrace(*nothing) error { return nil }
