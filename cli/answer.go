package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"

	"ctxledger.dev/cli/columns"
	"ctxledger.dev/cli/pages"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// maxJSON bounds the stored bytes that one JSON answer holds: it is made in memory.
const maxJSON = 64 << 20

// answer prints v as JSON if that was asked for, else what text writes, with secrets masked.
func (a *action) answer(v any, text func(w io.Writer)) error {
	if a.json {
		return a.answerJSON(v)
	}
	var b bytes.Buffer
	text(&b)
	_, err := a.Out.Write(a.masks.Bytes(b.Bytes()))
	return fault.Wrap(fault.Unavailable, "cli.answer", err)
}

// answerJSON prints v as JSON, with secrets masked.
func (a *action) answerJSON(v any) error {
	b, err := indented(v)
	if err != nil {
		return err
	}
	return a.writeMasked(b)
}

// answerExact prints v as JSON without masking, for what a person asks for by its handle.
func (a *action) answerExact(v any) error {
	b, err := indented(v)
	if err != nil {
		return err
	}
	return a.write(b)
}

func indented(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(v)
	return b.Bytes(), fault.Wrap(fault.Internal, "cli.answer", err)
}

// answerLine prints v as one line of JSON, with secrets masked.
func (a *action) answerLine(v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fault.Wrap(fault.Internal, "cli.answer", err)
	}
	return a.writeMasked(append(b, '\n'))
}

// writeMasked is write with secrets masked.
func (a *action) writeMasked(text []byte) error { return a.write(a.masks.Bytes(text)) }

// write prints stored text: exact into a file or pipe, made safe on a terminal.
func (a *action) write(text []byte) error {
	w := a.raw()
	_, err := w.Write(text)
	if err == nil {
		err = w.Close()
	}
	return fault.Wrap(fault.Unavailable, "cli.answer", err)
}

// raw returns a writer for stored bytes: exact into a file or pipe, made safe on a terminal. The caller closes it
// after the last byte; standard output stays open.
func (a *action) raw() io.WriteCloser {
	if terminal(a.Out) {
		return chars.NewWriter(a.Out)
	}
	return exactWriter{a.Out}
}

// exactWriter passes bytes on unchanged.
type exactWriter struct{ io.Writer }

func (exactWriter) Close() error { return nil }

// terminal reports whether w is a terminal.
func terminal(w any) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0 && term.IsTerminal(f.Fd()) // /dev/null is a device too
}

// screen returns the columns and rows of a terminal, 0 if w is none or its size is not known.
func screen(w any) (columns, rows int) {
	if terminal(w) {
		columns, rows, _ = term.GetSize(w.(*os.File).Fd()) // both 0 after an error
	}
	return columns, rows
}

// colours reports whether the answer may be coloured.
func (a *action) colours() bool {
	return terminal(a.Out) && a.Env.Lookup("NO_COLOR") == "" && a.Env.Lookup("TERM") != "dumb"
}

// stored is stored bytes in a JSON answer: as text where they are UTF-8, else in base64.
type stored struct {
	Text   string `json:"text,omitempty"`
	Base64 []byte `json:"base64,omitempty"`
}

func storedOf(b []byte) stored {
	if utf8.Valid(b) {
		return stored{Text: string(b)}
	}
	return stored{Base64: b}
}

// tooLongForJSON is the error for an answer of more than maxJSON.
func tooLongForJSON(what string) error {
	return fault.New(fault.TooLarge, "cli.answer", "%s is longer than %s: too long for one JSON answer",
		what, chars.Size(maxJSON)).
		WithHint("leave out --json and redirect the output to a file")
}

// line makes stored text fit into one line of at most n columns. It masks secrets before it cuts: half a secret
// could not be recognised.
func (a *action) line(s string, n int) string { return columns.Cut(a.masks.String(s), n) }

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
