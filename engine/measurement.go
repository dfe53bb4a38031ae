package engine

import "ctxledger.dev/tokens"

// Measurement is what one request of a session shows of its model's tokenizer: by how much the
// input grew, and with what.
type Measurement struct {
	Request  int64           `json:"request"` // which one of the session, from 1
	Model    string          `json:"model"`
	Features tokens.Features `json:"features"` // of what was added to the conversation before it
	Before   int64           `json:"before"`   // tokens of the request before and its answer, as measured
	After    int64           `json:"after"`    // tokens of the request, as measured
}
