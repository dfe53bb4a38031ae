//go:build !amd64 || purego

package tokens

func hasVectors() bool { return false }

func useVectors(bool) bool { return false }
