package transcript

import (
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
)

// split is the same for every format: they differ inside a message only.
func split(src []byte) ([][]byte, error) {
	if len(src) > limits.Blob {
		return nil, fault.New(fault.TooLarge, op, "conversation of %d bytes exceeds the limit of %d", len(src),
			limits.Blob)
	}
	at, err := document(src)
	if err != nil {
		return nil, err
	}
	if src[at.From] == '{' {
		n, err := readNode(src, at, "conversation")
		if err != nil {
			return nil, err
		}
		for _, name := range []string{"messages", "input", "contents"} { // as the providers call it
			if at = n.get(name); !at.Empty() {
				break
			}
		}
	}
	if at.Empty() || src[at.From] != '[' {
		return nil, invalid(at.From, `not an array of messages`)
	}
	spans, err := elements(src, at)
	if err != nil {
		return nil, err
	}
	out := make([][]byte, len(spans))
	for i, e := range spans {
		if src[e.From] != '{' {
			return nil, invalid(e.From, "message %d is not an object", i)
		}
		out[i] = e.In(src)
	}
	return out, nil
}
