// Package pages draws what commands show of a window and of what requests carry. Start at Page.
//
// It deliberately asks no ledger: it is given plain values.
package pages

import (
	"io"
	"time"

	"ctxledger.dev/cli/columns"
)

// Page is where something is drawn.
type Page struct {
	W io.Writer
	// Line returns stored text in one line of at most so many columns, masked.
	Line func(text string, columns int) string
	// Own returns a text with the commands in it as they work when they are pasted.
	Own func(text string) string
	// Stamp prints a time in the reader's zone.
	Stamp   func(t time.Time) string
	Colours bool
}

// table returns a table with these headings; see columns.New.
func (p Page) table(head ...string) *columns.Table { return columns.New(p.Line, p.Colours, head...) }
