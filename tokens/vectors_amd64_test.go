//go:build amd64 && !purego

package tokens

func hasVectors() bool { return hasAVX2 }

// useVectors says whether windows are classified with vectors, and returns what it was before.
func useVectors(use bool) (before bool) {
	before, hasAVX2 = hasAVX2, use
	return before
}
