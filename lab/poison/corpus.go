package poison

import (
	_ "embed" // for the corpus
	"fmt"
	"strconv"
	"strings"
)

//go:embed corpus.txt
var corpus string

// maxRepeat bounds how often a line of the corpus repeats its text.
const maxRepeat = 10_000

// Text is one hostile text.
type Text struct {
	Line  int    // of corpus.txt
	Class string // what it tries: "terminal", "markdown", …
	Value string
}

// Name names the text in messages of tests: "corpus.txt:12 fence".
func (t Text) Name() string { return fmt.Sprintf("corpus.txt:%d %s", t.Line, t.Class) }

// Corpus returns all texts, in the order of the file. Errors: a line that is not of its form.
func Corpus() ([]Text, error) { return parse(corpus) }

func parse(file string) ([]Text, error) {
	var out []Text
	number := 0
	for line := range strings.SplitSeq(strings.TrimSuffix(file, "\n"), "\n") {
		number++
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		class, escaped, ok := strings.Cut(line, " ")
		class, repeated, many := strings.Cut(class, "*")
		times := 1
		if many {
			n, err := strconv.Atoi(repeated)
			if ok = ok && err == nil && n > 0 && n <= maxRepeat; ok {
				times = n
			}
		}
		if !ok || class == "" || escaped == "" {
			return nil, fmt.Errorf("corpus.txt:%d: not of the form \"class text\" or \"class*N text\"", number)
		}
		value, err := unescape(escaped)
		if err != nil {
			return nil, fmt.Errorf("corpus.txt:%d: %w", number, err)
		}
		out = append(out, Text{number, class, strings.Repeat(value, times)})
	}
	return out, nil
}

// unescape reads the escapes of a text, which are those of Go.
func unescape(s string) (string, error) {
	var b strings.Builder
	for s != "" {
		r, wide, rest, err := strconv.UnquoteChar(s, 0)
		if err != nil {
			return "", fmt.Errorf("%.20q begins with no escape of Go", s)
		}
		if wide || r < 0x80 {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(r)) // \xNN
		}
		s = rest
	}
	return b.String(), nil
}
