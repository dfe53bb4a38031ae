package cli

import (
	"io"
	"time"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/cli/pages"
)

// line makes stored text fit into one line of at most n columns. It masks secrets before it cuts: half a secret
// could not be recognised.
func (a *app) line(s string, n int) string { return columns.Cut(a.masks.String(s), n) }

// exactLine is line for text whose white space counts.
func (a *app) exactLine(s string, n int) string { return columns.CutExact(a.masks.String(s), n) }

// stamp prints a time in the reader's zone.
func (a *app) stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(a.Env.Now().Location()).Format("2006-01-02 15:04")
}

// page returns a page on w.
func (a *app) page(w io.Writer) pages.Page {
	width, _ := screen(a.Out)
	return pages.Page{W: w, Width: width, Line: a.line, Colours: a.colours(), Own: a.self.In, Stamp: a.stamp}
}

// newTable starts a table whose cells are masked. A heading that starts with ">" aligns its column to the right.
func (a *app) newTable(head ...string) *columns.Table {
	return columns.New(a.line, a.colours(), head...)
}
