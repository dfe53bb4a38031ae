//go:build !amd64 || purego

package tokens

// classify sets the masks of a window.
func (m *masks) classify(window *[windowSize]byte) { m.classifyBytes(window) }
