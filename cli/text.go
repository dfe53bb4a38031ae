package cli

import (
	"io"
	"time"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/cli/pages"
)

// line makes stored text fit into one line of at most n columns. It masks secrets before it cuts: half a secret
// could not be recognised.
func (a *action) line(s string, n int) string { return columns.Cut(a.masks.String(s), n) }

// exactLine is line for text whose white space counts.
func (a *action) exactLine(s string, n int) string { return columns.CutExact(a.masks.String(s), n) }

// stamp prints a time in the reader's zone.
func (a *action) stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(a.Env.Now().Location()).Format("2006-01-02 15:04")
}

// page returns a page on w.
func (a *action) page(w io.Writer) pages.Page {
	width, height := screen(a.Out)
	return pages.Page{W: w, Width: width, Height: height, Home: a.Env.Home,
		Line: a.line, Colours: a.colours(), Own: a.self.in, Stamp: a.stamp}
}

// plainTable starts a table without colours, which is said, not answered.
func (a *action) plainTable(head ...string) *columns.Table {
	return columns.New(a.line, false, head...)
}

// newTable starts a table whose cells are masked. A heading that starts with ">" aligns its column to the right.
func (a *action) newTable(head ...string) *columns.Table {
	return columns.New(a.line, a.colours(), head...)
}
