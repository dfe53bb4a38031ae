package lsp

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"ctxledger.dev/internal/limits"
)

// The size in bytes of what stands in front of a message.
const (
	maxHeaderLine  = 4 << 10
	maxHeaderLines = 16
)

// header is what stands in front of a message.
type header struct {
	length  int    // bytes; 0: not said yet
	charset string // "" for UTF-8
}

// errLost says that what comes next is no header.
type errLost struct{ why string }

func (e errLost) Error() string { return e.why }

// readHeader reads the lines before a message, after those that h has already. Errors: errLost for what
// is none; those of reading.
func readHeader(in *bufio.Reader, h header) (header, error) {
	for range maxHeaderLines {
		line, err := headerLine(in)
		switch {
		case err != nil:
			return h, err
		case line == "" && h.length == 0:
			return h, errLost{"a message without Content-Length"}
		case line == "":
			return h, nil
		}
		if err := h.field(line); err != nil {
			return h, err
		}
	}
	return h, errLost{fmt.Sprintf("more than %d lines before a message", maxHeaderLines)}
}

// headerLine reads a line without its end.
func headerLine(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", errLost{fmt.Sprintf("a line of more than %d bytes before a message", maxHeaderLine)}
	}
	if err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))), nil
}

// field takes in one line.
func (h *header) field(line string) error {
	name, value, ok := strings.Cut(line, ":")
	if !ok {
		return errLost{fmt.Sprintf("%.40q between messages", line)}
	}
	value = strings.TrimSpace(value)
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "content-length":
		n, err := lengthOf(value)
		if err == nil && h.length > 0 && h.length != n {
			err = errLost{"two lengths for one message"}
		}
		h.length = n
		return err
	case "content-type":
		if _, charset, ok := strings.Cut(strings.ToLower(value), "charset="); ok {
			if charset = strings.Trim(charset, `"`); charset != "utf-8" && charset != "utf8" {
				h.charset = charset
			}
		}
	}
	return nil
}

// lengthOf reads a length in bytes. Errors: errLost.
func lengthOf(value string) (int, error) {
	n, err := strconv.Atoi(value)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange), strings.HasPrefix(value, "+"), n <= 0:
		return 0, errLost{fmt.Sprintf("Content-Length %.40q is not a number of bytes", value)}
	case err != nil, n > limits.LSPMessage:
		return 0, errLost{fmt.Sprintf("Content-Length %.40s: at most %d bytes are read", value, limits.LSPMessage)}
	}
	return n, nil
}

// lengthLine is the end of a line that can only be a header: no JSON holds a line end in a string.
var lengthLine = regexp.MustCompile(`(?i)Content-Length:[ \t]{0,8}([0-9]{1,10})\r?\n$`)

// longestLine is more than lengthLine matches.
const longestLine = 64

// findHeader skips what is no header, and reads the next one. Errors: those of reading.
func findHeader(in *bufio.Reader) (header, error) {
	var before []byte // the end of what was skipped of the line
	for {
		line, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return header{}, err
		}
		before = append(before, line[max(0, len(line)-longestLine):]...)
		if found := lengthLine.FindSubmatch(before); err == nil && found != nil {
			if n, bad := lengthOf(string(found[1])); bad == nil {
				return readHeader(in, header{length: n})
			}
		}
		if err == nil {
			before = before[:0]
		} else {
			before = append(before[:0], before[max(0, len(before)-longestLine):]...)
		}
	}
}
