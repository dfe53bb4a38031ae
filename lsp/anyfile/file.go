package anyfile

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/lsp/live"
	"ctxledger.dev/lsp/outline"
	"ctxledger.dev/lsp/text"
	"ctxledger.dev/tokens"
)

// File is a version of a document with the model to count for.
type File struct {
	Text    *text.Text
	Outline *outline.Outline // empty if the text is longer than MaxOutlined
	Meter   Meter
	Path    string    // in the ledger; "" if it is not a file
	Use     live.File // what the live session did with it
	// Everywhere reports what reading costs on files that the session did not touch, too.
	Everywhere bool
	// Unsaved reports whether the file on disk has another text, or is gone; nil: that is not known.
	Unsaved *bool
	// Ignored reports whether git ignores the file; nil: unknown.
	Ignored func() bool
	// Disk returns the file as it is saved; nil: that is not known.
	Disk func() Disk
}

// By returns the file with the figures of a meter.
func (f File) By(m Meter) File {
	if f.Meter = m; f.Text.Encoding() != m.Counter.Encoding() {
		f.Text = f.Text.In(m.Counter.Encoding())
	}
	return f
}

// Disk is what is known of a file on disk, beside its open text.
type Disk struct {
	Text *text.Text // nil: not known
	Gone bool       // there is no such file
	Same bool       // its text is the open one
}

// saved is OnDisk of a file whose text a session has.
func (f File) saved() (d Disk) {
	if !f.Use.Known() {
		return d
	}
	return f.OnDisk()
}

// OnDisk returns the file on disk, if it is not as it is open. Editors take off a mark of the byte order, make line ends
// alike, and decode what is not UTF-8: of such a file nothing is known.
func (f File) OnDisk() (d Disk) {
	if f.Disk == nil {
		return d
	}
	d = f.Disk()
	if d.Text == nil {
		return d
	}
	disk := d.Text.Bytes(0, d.Text.Len())
	d.Same = bytes.Equal(plain(disk), plain(f.Text.Bytes(0, f.Text.Len())))
	if !utf8.Valid(disk) || d.Same {
		d.Text = nil
	}
	return d
}

func plain(text []byte) []byte {
	return bytes.ReplaceAll(bytes.TrimPrefix(text, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))
}

// MaxOutlined is the maximum length in bytes of a text that is outlined. Longer ones have only a total cost.
const MaxOutlined = 8 << 20

// Meter says what texts cost a model.
type Meter ledger.Meter

// Rough reports whether counts are estimates that nothing has been measured for yet.
func (m Meter) Rough() bool { return !m.Counter.Exact() && m.Counter.Measurements() == 0 }

// assumed reports whether nothing is known of the model: all counts are those of o200k_base.
func (m Meter) assumed() bool { return m.Counter == tokens.Counter{} }

// Say returns a count as text, with its share of the window if that is known: "1,234 tokens · 0.6% of
// 200,000".
func (m Meter) Say(c tokens.Count) string {
	if m.Window == 0 {
		return c.Tokens()
	}
	return c.Tokens() + " · " + Share(c.N, m.Window) + " of " + chars.Commas(m.Window)
}

// Share returns a part in percent, finer than chars.Share, by the same rule: files are small parts of a window.
func Share(n, of int) string {
	p := 100 * float64(n) / float64(of)
	switch {
	case p > 0 && p < 0.1:
		return "< 0.1%"
	case 99.5 <= p && n < of:
		return "> 99%"
	case p < 10:
		return fmt.Sprintf("%.1f%%", p)
	}
	return fmt.Sprintf("%.0f%%", p)
}

// count returns the tokens of a part of the file, counted alone.
func (f File) count(from, to int) tokens.Count { return f.Text.Count(f.Meter.Counter, from, to) }

// whole returns the tokens of the file.
func (f File) whole() tokens.Count { return f.count(0, f.Text.Len()) }

// cost returns the tokens of a section with its line end and the blank lines behind it: else sections that are the whole file
// would have less.
func (f File) cost(s outline.Section) tokens.Count {
	to, next := s.To, f.Text.LineAt(s.To)
	for ; next < f.Text.Lines(); next++ {
		_, end := f.Text.Line(next)
		if len(bytes.TrimSpace(f.Text.Bytes(min(to, end), end))) > 0 {
			break
		}
		to = f.Text.Len()
		if next+1 < f.Text.Lines() {
			to = f.Text.Start(next + 1)
		}
	}
	return f.count(s.From, to)
}
