package scrub

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/internal/fault"
)

// Bounds of a text, in bytes.
const (
	Least = 8        // a shorter text would be found by accident
	Most  = 64 << 10 // a longer one is a file: forget the message that holds it
)

// depth is how many strings deep a text is looked for: in JSON, in a string of it that holds JSON, and
// once more.
const depth = 3

// mark ends a string that was cut.
const mark = "…"

// Text is a text to be found or taken out. The zero value finds nothing.
type Text struct {
	whole []byte
	parts [][]byte // the whole, then its lines where it has several
	stone string
}

// New returns a Text in whose place stone is put. Errors: invalid for one that is shorter than Least,
// longer than Most or not UTF-8.
func New(text, stone string) (Text, error) {
	const op = "scrub.new"
	switch {
	case len(text) < Least:
		return Text{}, fault.New(fault.Invalid, op, "a text of %d bytes is too short to be forgotten: it needs at least %d",
			len(text), Least)
	case len(text) > Most:
		return Text{}, fault.New(fault.TooLarge, op, "a text of %d bytes is too long to search for: at most %d",
			len(text), Most).
			WithHint("forget the message or artifact that holds it by its handle")
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return Text{}, fault.New(fault.Invalid, op, "the text is not plain UTF-8")
	}
	t := Text{whole: []byte(text), parts: [][]byte{[]byte(text)}, stone: stone}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); len(line) >= Least && line != text {
			t.parts = append(t.parts, []byte(line))
		}
	}
	return t, nil
}

// In reports whether b holds the whole text.
func (t Text) In(b []byte) bool {
	return len(t.whole) > 0 && anyDepth(b, func(b []byte) bool { return bytes.Contains(b, t.whole) })
}

// Near reports whether b may hold the text or a part of it that Out would take out.
func (t Text) Near(b []byte) bool {
	return anyDepth(b, func(b []byte) bool {
		for _, p := range t.parts {
			if bytes.Contains(b, p[:Least]) {
				return true
			}
		}
		return false
	})
}

// anyDepth reports whether b holds something, as it is or with its escape sequences replaced.
func anyDepth(b []byte, holds func([]byte) bool) bool {
	for level := 0; ; level++ {
		if holds(b) {
			return true
		}
		plain, found := unescaped(b)
		if !found || level == depth {
			return false
		}
		b = plain
	}
}

// Out returns s with the stone in the place of the text and of its parts.
func (t Text) Out(s string) string {
	if !t.Near([]byte(s)) {
		return s
	}
	for level := range depth + 1 {
		s = t.outAt(s, level)
	}
	return s
}

// Unmarked returns s without the stones that Out has put there.
func (t Text) Unmarked(s string) string { return strings.ReplaceAll(s, t.stone, "") }

// outAt is Out for what is written with a number of escapes around it.
func (t Text) outAt(s string, level int) string {
	plain := trace(s)
	for range level {
		plain = plain.unescaped()
	}
	var out strings.Builder
	done := 0 // bytes of s that are in out
	for i := 0; i < len(plain.text); {
		n := t.at(plain.text[i:])
		if n == 0 {
			i++
			continue
		}
		out.WriteString(s[done:plain.at[i]])
		out.WriteString(t.stone)
		i += n
		done = plain.at[i]
	}
	return out.String() + s[done:]
}

// at returns how many bytes of the text, or of a part that has to go as well, b starts with.
func (t Text) at(b []byte) int {
	most := 0
	for _, p := range t.parts {
		n := 0
		for n < len(p) && n < len(b) && p[n] == b[n] {
			n++
		}
		cut := n >= Least && (n == len(b) || bytes.HasPrefix(b[n:], []byte(mark)))
		if n == len(p) || cut {
			most = max(most, n)
		}
	}
	return most
}

// chunk is how much of a stream is looked at together, in bytes.
const chunk = 1 << 20

// Find reports whether a stream holds the whole text. Errors: those of r, and unavailable when ctx
// ends.
func (t Text) Find(ctx context.Context, r io.Reader) (bool, error) {
	const widest = 16 // bytes that a byte takes at most when it is escaped several times
	keep := widest * len(t.whole)
	buf := make([]byte, 0, 2*keep+chunk)
	for {
		if err := ctx.Err(); err != nil {
			return false, fault.Wrap(fault.Unavailable, "scrub.find", err)
		}
		n, err := io.ReadFull(r, buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if t.In(buf) {
			return true, nil
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		// The end is looked at again with what follows it.
		rest := buf[max(0, len(buf)-2*keep):]
		buf = buf[:copy(buf, rest)]
	}
}
