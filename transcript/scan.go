package transcript

import (
	"fmt"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/internal/limits"
)

const (
	// MaxMessage bounds one message, in bytes. A message merged from several records may be longer
	// than the longest record.
	MaxMessage = 4 * limits.Line
	// maxDepth bounds the nesting of a message; arguments of real tools stay below 20.
	maxDepth = 500
)

func checkSize(raw []byte) error {
	if len(raw) > MaxMessage {
		return fault.New(fault.TooLarge, op, "message of %d bytes exceeds the limit of %d", len(raw), MaxMessage)
	}
	return nil
}

// invalid is the error for input that breaks the format at a byte.
func invalid(pos int, format string, args ...any) error {
	return fault.New(fault.Invalid, op, "byte %d: %s", pos, fmt.Sprintf(format, args...))
}

// syntax gives the error of a walker, if it is one, its code.
func syntax(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Invalid, op, "%v", err)
}

// document returns the span of the single value in src.
func document(src []byte) (Span, error) {
	at, err := jsonspan.Whole(src, maxDepth)
	return at, syntax(err)
}

// walk goes through the value at a span.
func walk(src []byte, at Span) *jsonspan.Walker { return jsonspan.At(src, at, maxDepth) }

// textAt returns the text of the string literal at a span.
func textAt(src []byte, at Span) string { return jsonspan.Unquote(at.In(src)) }
