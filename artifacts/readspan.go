package artifacts

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf8"
)

// span is a stretch of content to be shown page by page.
type span struct {
	from, to int64 // bytes [from, to)
	open     bool  // it was asked for up to the end of the content
}

// text returns the longest beginning of the span that has at most limit characters, cut at a line
// border if there is one, and where it ends.
func (s span) text(c Content, limit int) (raw []byte, end int64, err error) {
	// Characters have at most 4 bytes; one more shows what follows the cut.
	n := min(s.to-s.from, int64(limit+1)*utf8.UTFMax)
	if raw, err = readAt(c, s.from, s.from+n); err != nil {
		return nil, 0, err
	}
	cut := offset(string(raw), limit)
	if cut < len(raw) || n < s.to-s.from {
		if line := bytes.LastIndexByte(raw[:cut], '\n'); line >= 0 {
			cut = line + 1
		} else {
			cut = len(prefix(string(raw), limit))
		}
	}
	return raw[:cut], s.from + int64(cut), nil
}

// rest names the bytes of the span from offset at on.
func (s span) rest(at int64) string {
	if s.open {
		return strconv.FormatInt(at, 10) + "-"
	}
	return fmt.Sprintf("%d-%d", at, s.to-1)
}

// visible returns raw as text: every byte that is not UTF-8 becomes U+FFFD.
func visible(raw []byte) string {
	if utf8.Valid(raw) {
		return string(raw)
	}
	return string([]rune(string(raw)))
}
