// Package pages draws what commands show: a window, what requests carry, an audit, a count as a tree. Start at Page.
//
// It deliberately asks no ledger: it is given plain values.
package pages

import (
	"fmt"
	"io"
	"strings"
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
	Width   int // columns of the terminal; 0: any number
	Height  int // its lines; 0: any number
	Home    string
}

// table returns a table with these headings; see columns.New.
func (p Page) table(head ...string) *columns.Table { return columns.New(p.Line, p.Colours, head...) }

// say writes a line where there is something to say.
func (p Page) say(is bool, format string, args ...any) {
	if is {
		fmt.Fprintf(p.W, format+"\n", args...)
	}
}

// Prose writes a paragraph; in a terminal, one that is too long for it goes on below itself.
func (p Page) Prose(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if p.Width > 0 {
		text = columns.Fold(text, p.Width, 0)
	}
	fmt.Fprintln(p.W, text)
}

// labelled is how many columns the label of a row takes.
const labelled = 11

// rows writes rows of a label and a text; in a terminal, texts that are too long for it go on below themselves.
func (p Page) rows(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if p.Width > 2*labelled && !strings.HasPrefix(line, " ") {
			line = columns.Fold(line, p.Width, labelled)
		}
		fmt.Fprintln(p.W, line)
	}
}
