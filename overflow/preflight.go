package overflow

import (
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
)

// The beginnings of our own refusals. Other programs know them: they are exact.
const (
	contextExceeded = "Context budget exceeded"
	payloadExceeded = "Estimated request payload"
)

// Budget is what a request may have. 0 means that nothing is set.
type Budget struct {
	ContextTokens int // MaxContextTokens
	PayloadBytes  int // MaxPayloadBytes
}

// Size is what a request has.
type Size struct {
	Tokens       int // of messages and schemas, by our own count
	ContentChars int // of messages
	SchemaChars  int // of tools: of their names, descriptions and schemas
}

// Payload returns the estimated bytes of the request's body.
func (s Size) Payload() int {
	const frame = 2048
	return (12*s.ContentChars+11*s.SchemaChars)/10 + frame
}

// Check returns nil for a request within its budget. Else the error is too_large, in words that
// Classify knows.
func (b Budget) Check(s Size) error {
	const op = "overflow.check"
	switch payload := s.Payload(); {
	case b.ContextTokens > 0 && s.Tokens > b.ContextTokens:
		return fault.New(fault.TooLarge, op, contextExceeded+": %s tokens are more than %s", chars.Commas(s.Tokens),
			chars.Commas(b.ContextTokens))
	case b.PayloadBytes > 0 && payload > b.PayloadBytes:
		return fault.New(fault.TooLarge, op, payloadExceeded+" of %s bytes is more than %s", chars.Commas(payload),
			chars.Commas(b.PayloadBytes))
	}
	return nil
}
