package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ctxledger.dev/internal/limits"

	"ctxledger.dev/internal/pattern"
)

// Bounds of the header of a message: bytes of a line, and lines.
const (
	maxHeaderLine  = 4 << 10
	maxHeaderLines = 16
)

// header is the header of a message.
type header struct {
	length  int    // of the body in bytes; 0: not read yet
	charset string // "" for UTF-8
}

// errLost reports a line that is not part of a header.
type errLost struct {
	why  string
	line []byte // or the end of it
}

func (e errLost) Error() string { return e.why }

// readHeader reads the rest of a header into h. Errors: errLost for a line that is not part of a header; those of
// reading.
func readHeader(in *bufio.Reader, h header) (header, error) {
	for range maxHeaderLines {
		line, err := headerLine(in)
		switch {
		case err != nil:
			return h, err
		case line == "" && h.length == 0:
			return h, errLost{why: "a message without Content-Length"}
		case line == "":
			return h, nil
		}
		if why := h.field(line); why != "" {
			return h, errLost{why, []byte(line + "\n")}
		}
	}
	return h, errLost{why: fmt.Sprintf("more than %d lines before a message", maxHeaderLines)}
}

// headerLine reads a line and removes its end.
func headerLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", errLost{fmt.Sprintf("a line of more than %d bytes before a message", maxHeaderLine),
			bytes.Clone(line)}
	}
	if err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))), nil
}

// field parses one line, or returns why it is invalid.
func (h *header) field(line string) (why string) {
	name, value, _ := strings.Cut(line, ":")
	if !fieldName().MatchString(name) || len(name) == len(line) {
		return fmt.Sprintf("%.1000q between messages", line)
	}
	value = strings.TrimSpace(value)
	switch name = strings.ToLower(name); {
	case name != lengthField && lengthLine().MatchString(line+"\n"):
		return fmt.Sprintf("%.1000q between messages", line) // the header of the next message follows it
	case name == lengthField:
		n, why := lengthOf(value)
		if why == "" && h.length > 0 && h.length != n {
			why = "two lengths for one message"
		}
		h.length = n
		return why
	case name == "content-type":
		if _, charset, ok := strings.Cut(strings.ToLower(value), "charset="); ok {
			if charset = strings.Trim(charset, `"`); charset != "utf-8" && charset != "utf8" {
				h.charset = charset
			}
		}
	}
	return ""
}

// lengthField is the field that every message has.
const lengthField = "content-length"

// fieldName matches the name before the colon.
var fieldName = pattern.Lazy(`^[A-Za-z][A-Za-z0-9-]*$`)

// lengthOf parses a length in bytes, or returns why it is invalid.
func lengthOf(value string) (length int, why string) {
	n, err := strconv.Atoi(value)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), strings.HasPrefix(value, "+"), n <= 0:
		return 0, fmt.Sprintf("Content-Length %.1000q is not a number of bytes", value)
	case err != nil, n > limits.LSPMessage:
		return 0, fmt.Sprintf("Content-Length %.1000s: at most %d bytes are read", value, limits.LSPMessage)
	}
	return n, ""
}

// lengthLine matches the end of a line that can only be a header: JSON strings contain no line ends.
var lengthLine = pattern.Lazy(`(?i)Content-Length:[ \t]{0,8}([0-9]{1,10})\r?\n$`)

// longestLine is longer than any match of lengthLine.
const longestLine = 64

// findHeader skips to the next header and reads it. It starts with a line that has been read already. Errors: those of
// reading.
func findHeader(in *bufio.Reader, line []byte) (header, error) {
	for {
		if found := lengthLine().FindSubmatch(line); found != nil {
			if n, why := lengthOf(string(found[1])); why == "" {
				return readHeader(in, header{length: n})
			}
		}
		if bytes.HasSuffix(line, []byte("\n")) {
			line = nil
		}
		more, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return header{}, err
		}
		line = append(bytes.Clone(line[max(0, len(line)-longestLine):]), more...)
	}
}
