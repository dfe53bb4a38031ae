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

// Budget is what a request may have, as the settings of the same names say. 0 means that nothing is set.
type Budget struct {
	ContextTokens int `json:"max_context_tokens,omitempty"`
	PayloadBytes  int `json:"max_payload_bytes,omitempty"`
}

// Size is what a request has.
type Size struct {
	Tokens int // of messages and schemas, by our own count
	Bytes  int // of messages, as they are sent
}

// SizeOf returns the size of a request with these messages, of so many tokens in all.
func SizeOf(messages [][]byte, tokens int) Size {
	s := Size{Tokens: tokens}
	for _, m := range messages {
		s.Bytes += len(m) + 1
	}
	return s
}

// frame is what the body of a request has besides its messages, in bytes: without the tools, which only its host knows.
const frame = 2048

// Payload returns the estimated bytes of the request's body.
func (s Size) Payload() int { return s.Bytes + frame }

// Check returns nil for a request within its budget. Else the error is too_large, in words that
// Classify knows.
func (b Budget) Check(s Size) error {
	const op = "overflow.check"
	switch payload := s.Payload(); {
	case b.ContextTokens > 0 && s.Tokens > b.ContextTokens:
		return fault.New(fault.TooLarge, op, contextExceeded+": %s tokens exceed the %s that "+
			"max_context_tokens allows",
			chars.Commas(s.Tokens), chars.Commas(b.ContextTokens)).
			WithHint("compact the conversation, keep fewer turns, offer fewer tools, or raise max_context_tokens")
	case b.PayloadBytes > 0 && payload > b.PayloadBytes:
		return fault.New(fault.TooLarge, op, payloadExceeded+" of %s bytes exceeds the %s that "+
			"max_payload_bytes allows",
			chars.Commas(payload), chars.Commas(b.PayloadBytes)).
			WithHint("compact the conversation, keep fewer turns, leave out images, or raise max_payload_bytes")
	}
	return nil
}
