// Package filetext compares what tools print of files: lines that are in another text need not be shown again.
//
// Start at Plain, Within and Hash. Texts are compared exactly, but for the numbers in front of lines, which the tool adds, and
// for blank lines around the whole, which hosts cut off.
package filetext

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Markdown reports whether a file is written in Markdown, by its name.
func Markdown(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".mdx", ".markdown":
		return true
	}
	return false
}

// Plain returns a printed text without the numbers in front of its lines, as `cat -n`, `nl` and the reading tools of agents
// print them. A text without a number in front of each line stays as it is, and so does one that is not numbered.
func Plain(text string, numbered bool) string {
	if !numbered {
		return text
	}
	var b strings.Builder
	last := -1
	for rest := text; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		n, bare, ok := numberOf(line)
		switch {
		case ok && (last < 0 || n == last+1):
			last = n
		case last >= 0 && strings.TrimSpace(line) == "": // nl leaves the number out
			bare = ""
		case last >= 0 && strings.HasPrefix(line, reminder):
			return b.String()
		default:
			return text
		}
		b.WriteString(bare + "\n")
		rest = after
	}
	return b.String()
}

// First returns the number in front of the first line of what a tool printed; 0: there is none.
func First(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	n, _, _ := numberOf(line)
	return n
}

// reminder begins what Claude Code adds behind some files.
const reminder = "<system-reminder>"

// numberOf takes the number from a line.
func numberOf(line string) (n int, bare string, ok bool) {
	line = strings.TrimLeft(line, " ")
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits == 0 || digits > 9 {
		return 0, "", false
	}
	for _, c := range line[:digits] {
		n = 10*n + int(c-'0')
	}
	for _, separator := range []string{"\t", "→"} {
		if bare, ok = strings.CutPrefix(line[digits:], separator); ok {
			return n, bare, true
		}
	}
	return 0, "", false
}

// Bare returns a text without blank lines around it, as hosts pass on what commands print.
func Bare(text string) string {
	for {
		line, rest, more := strings.Cut(text, "\n")
		if !more || strings.TrimSpace(line) != "" {
			return strings.TrimRight(text, " \t\r\n")
		}
		text = rest
	}
}

// Lines says which lines of a text another one is, counted from 1. The zero value: all of it.
type Lines struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// The marks of the byte order with which a file can begin.
const (
	markUTF8  = "\ufeff"
	markUTF16 = "\xff\xfe" // the lower byte goes first
	markBig   = "\xfe\xff" // the higher one
)

// Wide reports whether a file that begins so is text in UTF-16.
func Wide(start []byte) bool { return bytes.HasPrefix(start, []byte(markUTF16)) || big(start) }

func big(start []byte) bool { return bytes.HasPrefix(start, []byte(markBig)) }

// Text returns what is read as text: in UTF-8, without a mark of the byte order.
func Text(b *bufio.Reader) *bufio.Reader {
	if mark, _ := b.Peek(len(markUTF16)); Wide(mark) { // what cannot be read shows later
		b = bufio.NewReader(&wide{from: b, big: big(mark)})
	}
	if mark, _ := b.Peek(len(markUTF8)); string(mark) == markUTF8 {
		_, _ = b.Discard(len(markUTF8)) // it was peeked
	}
	return b
}

// Hash returns the SHA-256 of what is read as text, in hex, with line feeds alone. Errors: those of the reader.
func Hash(r io.Reader) (string, error) {
	b, h := Text(bufio.NewReader(r)), sha256.New()
	returns := false // a carriage return is held back
	for {
		line, err := b.ReadSlice('\n')
		if returns && string(line) != "\n" {
			h.Write([]byte("\r"))
		}
		line, ended := bytes.CutSuffix(line, []byte("\n"))
		line, returns = bytes.CutSuffix(line, []byte("\r"))
		h.Write(line)
		switch {
		case ended:
			h.Write([]byte("\n"))
			returns = false
		case errors.Is(err, io.EOF):
			if returns {
				h.Write([]byte("\r"))
			}
			return hex.EncodeToString(h.Sum(nil)), nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return "", err
		}
	}
}

// wide reads UTF-16 as UTF-8.
type wide struct {
	from  *bufio.Reader
	big   bool // the higher byte of a unit goes first
	ready []byte
}

// Read implements io.Reader.
func (w *wide) Read(p []byte) (int, error) {
	if len(w.ready) == 0 {
		r, err := w.unit()
		if err == nil && utf16.IsSurrogate(r) {
			var low rune
			low, err = w.unit()
			r = utf16.DecodeRune(r, low)
		}
		if err != nil {
			return 0, err
		}
		w.ready = utf8.AppendRune(nil, r)
	}
	n := copy(p, w.ready)
	w.ready = w.ready[n:]
	return n, nil
}

// unit reads a unit of UTF-16. Half of one is none.
func (w *wide) unit() (rune, error) {
	var pair [2]byte
	if _, err := io.ReadFull(w.from, pair[:]); errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, io.EOF
	} else if err != nil {
		return 0, err
	}
	if w.big {
		pair[0], pair[1] = pair[1], pair[0]
	}
	return rune(pair[0]) | rune(pair[1])<<8, nil
}

// Within reports whether the lines of one text are among those of another, one behind the other. An empty text is no part.
func Within(part, whole string) bool {
	part = Bare(part)
	return part != "" && strings.Contains("\n"+strings.TrimRight(whole, " \t\r\n")+"\n", "\n"+part+"\n")
}
