//go:build amd64 && !purego

package tokens

import "golang.org/x/sys/cpu"

// hasAVX2 is whether the processor can run classifyAVX2.
var hasAVX2 = cpu.X86.HasAVX2

// classify sets the masks of a window.
func (m *masks) classify(window *[windowSize]byte) {
	if hasAVX2 {
		classifyAVX2(window, m)
	} else {
		m.classifyBytes(window)
	}
}

// classifyAVX2 sets the masks of a window with vectors of 32 bytes.
//
//go:noescape
func classifyAVX2(window *[windowSize]byte, m *masks)
