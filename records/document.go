package records

import (
	"context"
	"strings"

	"ctxledger.dev/internal/limits"
)

// margin is the number of bytes left out at the end of a text that was cut: the masker cannot recognise a secret that
// is cut. Secrets are shorter.
const margin = 64 << 10

// document returns a text or its beginning, masked and safe to show. all says that text is complete. It reports whether
// the result is complete.
func (r Reader) document(ctx context.Context, text string, all bool) (string, bool, error) {
	text = string([]rune(text)) // invalid UTF-8 becomes U+FFFD
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

// finish returns a generated document. If it is cut, it ends with a notice and the command that prints all of it.
func (r Reader) finish(ctx context.Context, text, command string) (string, error) {
	text, whole, err := r.document(ctx, text, true)
	if err != nil || whole {
		return text, err
	}
	notice, _, err := r.document(ctx, "\n*Cut here: "+command+" prints all of it.*\n", true)
	return strings.TrimSuffix(text, "\n") + "\n" + closed(text) + notice, err
}

// slack is the part of a frame reserved for what surrounds a text.
const slack = 4 << 10

// sendable returns as much of a text as one masking request can carry: its JSON has to fit a frame.
func sendable(text string) string {
	for text = wholeLines(text, limits.MaskText); encoded(text) > limits.Frame-slack; {
		text = wholeLines(text, len(text)/2)
	}
	return text
}

// encoded returns an upper bound of the size of a text as JSON.
func encoded(s string) int {
	n := len(s)
	for i := range len(s) {
		switch c := s[i]; {
		case c == '\n' || c == '\t' || c == '"' || c == '\\':
			n++
		case c < ' ' || c == '<' || c == '>' || c == '&' || c == 0xe2: // 0xe2 begins U+2028
			n += len(`\u0000`) - 1
		}
	}
	return n
}

// wholeLines returns at most n bytes of the beginning of a text, up to a line end if there is one in the second half.
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
