package powercut

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxTraceLine bounds one line of a trace: a write of a few megabytes takes four characters a byte.
const maxTraceLine = 64 << 20

// call is one system call of a trace.
type call struct {
	name       string
	args       []string // as strace prints them
	ret        int64
	failed     bool
	begin, end int // numbers of the lines on which it began and ended
}

// parseTrace reads what strace -f -xx wrote, strictly: a line that it does not know is an error.
// The calls come in the order in which they ended.
func parseTrace(r io.Reader) ([]call, error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxTraceLine)
	open := map[string]call{} // by thread: begun and not ended
	text := map[string]string{}
	var calls []call
	n := 0
	for lines.Scan() {
		n++
		thread, rest, err := cutThread(lines.Text())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		begin := n
		if resumed, ok := strings.CutPrefix(rest, "<... "); ok {
			name, tail, ok := strings.Cut(resumed, " resumed>")
			before, begun := open[thread]
			if !ok || !begun || before.name != name {
				return nil, fmt.Errorf("line %d resumes what was not begun: %.100q", n, rest)
			}
			rest, begin = text[thread]+tail, before.begin
			delete(open, thread)
		}
		if head, ok := strings.CutSuffix(rest, " <unfinished ...>"); ok {
			name, _, ok := strings.Cut(head, "(")
			if _, busy := open[thread]; !ok || busy {
				return nil, fmt.Errorf("line %d is not a call: %.100q", n, rest)
			}
			open[thread], text[thread] = call{name: name, begin: begin}, head
			continue
		}
		c, err := parseCall(rest)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		c.begin, c.end = begin, n
		calls = append(calls, c)
	}
	return calls, lines.Err() // what never ended was cut off by the end of the process
}

// cutThread takes the number of the thread off a line.
func cutThread(line string) (thread, rest string, err error) {
	thread, rest, ok := strings.Cut(line, " ")
	if _, no := strconv.Atoi(thread); !ok || no != nil {
		return "", "", fmt.Errorf("no thread: %.100q", line)
	}
	return thread, strings.TrimLeft(rest, " "), nil
}

// parseCall reads "name(arg, arg) = result".
func parseCall(s string) (call, error) {
	name, rest, ok := strings.Cut(s, "(")
	if !ok || !isName(name) {
		return call{}, fmt.Errorf("not a call: %.100q", s)
	}
	c := call{name: name}
	args, rest, err := parseArgs(rest)
	if err != nil {
		return call{}, fmt.Errorf("%s: %w", name, err)
	}
	c.args = args
	result, ok := strings.CutPrefix(strings.TrimLeft(rest, " "), "= ")
	if !ok {
		return call{}, fmt.Errorf("%s: no result: %.100q", name, rest)
	}
	number, _, _ := strings.Cut(result, " ")
	if c.ret, err = strconv.ParseInt(number, 0, 64); err != nil && number != "?" {
		return call{}, fmt.Errorf("%s: result %.100q", name, result)
	}
	c.failed = c.ret < 0 || number == "?"
	return c, nil
}

func isName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_") == ""
}

// parseArgs splits arguments at their commas, up to the closing parenthesis.
func parseArgs(s string) (args []string, rest string, err error) {
	depth, start := 0, 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			n := strings.IndexByte(s[i+1:], '"') // -xx leaves no quotes inside
			if n < 0 {
				return nil, "", fmt.Errorf("text without an end: %.100q", s[i:])
			}
			i += n + 1
		case '{', '[', '(':
			depth++
		case '}', ']':
			depth--
		case ')':
			if depth == 0 {
				if last := strings.TrimSpace(s[start:i]); last != "" || len(args) > 0 {
					args = append(args, last)
				}
				return args, s[i+1:], nil
			}
			depth--
		case ',':
			if depth == 0 {
				args, start = append(args, strings.TrimSpace(s[start:i])), i+1
			}
		}
	}
	return nil, "", fmt.Errorf("arguments without an end: %.100q", s)
}

// arg returns argument i.
func (c call) arg(i int) (string, error) {
	if i >= len(c.args) {
		return "", fmt.Errorf("%s has %d arguments", c.name, len(c.args))
	}
	return c.args[i], nil
}

// number returns argument i as a number.
func (c call) number(i int) (int64, error) {
	s, err := c.arg(i)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(s, 0, 64)
}

// bytes returns argument i as the bytes that were passed. One that strace cut off is an error.
func (c call) bytes(i int) ([]byte, error) {
	s, err := c.arg(i)
	if err != nil {
		return nil, err
	}
	return unquote(s)
}

// unquote reads a text of the form "\x61\x62".
func unquote(s string) ([]byte, error) {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return nil, fmt.Errorf("not a whole text: %.100q", s)
	}
	digits := strings.ReplaceAll(s[1:len(s)-1], `\x`, "")
	if 2*len(digits) != len(s)-2 {
		return nil, fmt.Errorf("text is not all hexadecimal: %.100q", s)
	}
	return hex.DecodeString(digits)
}

// path returns argument i as a path, which must not be relative to a working directory when the
// argument before it is none.
func (c call) path(i int) (string, error) {
	b, err := c.bytes(i)
	return string(b), err
}
