package chars

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// Writer passes text on to a terminal as Plain shows it. Close it after the last byte.
type Writer struct {
	w    io.Writer
	rest []byte // the beginning of a character whose end is still to come
}

// NewWriter returns a Writer to w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write implements io.Writer.
func (t *Writer) Write(p []byte) (int, error) {
	text := append(t.rest, p...)
	cut := len(text)
	for i := 1; i <= min(utf8.UTFMax-1, len(text)); i++ {
		if end := text[len(text)-i:]; utf8.RuneStart(end[0]) {
			if !utf8.FullRune(end) {
				cut -= i
			}
			break
		}
	}
	t.rest = bytes.Clone(text[cut:])
	if _, err := io.WriteString(t.w, Plain(string(text[:cut]))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Close writes a character that never ended. What it writes to stays open.
func (t *Writer) Close() error {
	_, err := io.WriteString(t.w, Plain(string(t.rest)))
	t.rest = nil
	return err
}
