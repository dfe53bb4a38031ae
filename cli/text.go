package cli

import (
	"strings"
	"time"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/internal/chars"
)

// oneLine is chars.Plain for text that must stay on one line, such as a path: line breaks and tabs become escapes.
func oneLine(s string) string {
	s = chars.Plain(s)
	if !strings.ContainsAny(s, "\n\t") {
		return s
	}
	return strings.NewReplacer("\n", `\u000a`, "\t", `\u0009`).Replace(s)
}

// line makes stored text fit into one line of at most n columns. It masks secrets before it cuts: half a secret
// could not be recognised.
func (a *app) line(s string, n int) string { return columns.Cut(a.masks.String(s), n) }

// stamp prints a time in the reader's zone.
func (a *app) stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(a.Env.Now().Location()).Format("2006-01-02 15:04")
}

// newTable starts a table whose cells are masked. A heading that starts with ">" aligns its column to the right.
func (a *app) newTable(head ...string) *columns.Table {
	return columns.New(a.line, a.colours(), head...)
}
