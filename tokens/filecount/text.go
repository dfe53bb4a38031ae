package filecount

import (
	"errors"

	"ctxledger.dev/internal/safefs"
	"ctxledger.dev/tokens"
)

// ErrBinary marks a file that is not text: one with a NUL byte in its first 8 KB, as for git, unless a mark says that it is in
// UTF-16.
var ErrBinary = errors.New("binary")

// Text is one file, or another text, and what was found out about it.
type Text struct {
	Name  string // as it is shown
	Place string // where it is, absolute for a file
	Count tokens.Count
	Size  int64 // in bytes, as far as it is known in advance
	Read  tokens.Reading
	Err   error // why it was not counted: ErrBinary, or what the system said

	tree *safefs.Tree // of the directory that was walked through; nil: the text was added alone
	at   string       // its path there
}
