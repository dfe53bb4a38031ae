package lsp

// initializedMethod begins what needs the client to listen.
func initializedMethod() method {
	return notification("initialized", func(*Server, *nothing) error { return nil })
}
