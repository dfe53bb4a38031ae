package records

import (
	"context"
	"strings"

	"ctxledger.dev/internal/limits"
)

// margin is what is left out at the end of a text that goes on, in bytes: of a secret that begins there nobody
// could tell that it is one. Secrets are shorter.
const margin = 64 << 10

// document returns a text, or its beginning, with secrets masked and safe to show. all says that the text
// does not go on. It reports whether nothing is left out.
func (r Reader) document(ctx context.Context, text string, all bool) (string, bool, error) {
	text = string([]rune(text)) // each byte that is not UTF-8 becomes U+FFFD
	head := sendable(text)
	whole := all && len(head) == len(text)
	head, err := r.mask(ctx, head)
	if err != nil {
		return "", false, err
	}
	if !whole {
		head = wholeLines(head, len(head)-margin)
	}
	safe := shown(head)
	if len(safe) > limits.MaskText {
		return wholeLines(safe, limits.MaskText), false, nil
	}
	return safe, whole, nil
}

// told returns a document that we tell. One that is cut says so where it ends, and what prints all of it: a command.
func (r Reader) told(ctx context.Context, text, command string) (string, error) {
	text, whole, err := r.document(ctx, text, true)
	if err != nil || whole {
		return text, err
	}
	notice, _, err := r.document(ctx, "\n*Cut here: "+command+" prints all of it.*\n", true)
	return strings.TrimSuffix(text, "\n") + "\n" + unfenced(text) + notice, err
}

// slack is what is left free of a frame, for what stands around a text.
const slack = 4 << 10

// sendable returns as much of a text as one request takes to mask it: as JSON it has to fit a frame.
func sendable(text string) string {
	for text = wholeLines(text, limits.MaskText); encoded(text) > limits.Frame-slack; {
		text = wholeLines(text, len(text)/2)
	}
	return text
}

// encoded returns about how many bytes a text takes as JSON, at least as many as it does.
func encoded(s string) int {
	n := len(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n' || c == '\t' || c == '"' || c == '\\':
			n++
		case c < ' ' || c == '<' || c == '>' || c == '&' || c == 0xe2: // the last begins U+2028
			n += len(`\u0000`) - 1
		}
	}
	return n
}

// wholeLines returns at most n bytes of the beginning of a text: up to the end of a line, where one ends in the
// second half.
func wholeLines(s string, n int) string {
	if len(s) <= n {
		return s
	}
	s = strings.ToValidUTF8(s[:max(n, 0)], "")
	if at := strings.LastIndexByte(s, '\n'); at >= len(s)/2 {
		return s[:at+1]
	}
	return s
}
