package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"sync"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/internal/termtext"
)

// wire writes to the client. It tracks unanswered requests, because the MCP library cancels requests in flight when
// its input ends.
type wire struct {
	mu   sync.Mutex
	out  io.Writer       // guarded by mu
	open map[string]bool // guarded by mu; canonical id → whether the end of input waits for the answer

	answered chan struct{} // holds a token after an answer is written

	answers *answerCache
	masks   *redact.Redactor // of errors
}

func newWire(out io.Writer, s *answerCache, masks *redact.Redactor) *wire {
	return &wire{out: out, open: map[string]bool{}, answered: make(chan struct{}, 1), answers: s, masks: masks}
}

// begin registers a request. It reports false if a request with the same id is unanswered.
func (w *wire) begin(m message) bool {
	id := canonical(m.id)
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, used := w.open[id]; used {
		return false
	}
	w.open[id] = m.method != methodListen
	return true
}

// methodListen is the request that stays unanswered until the client leaves.
const methodListen = "subscriptions/listen"

// Write sends one line: the MCP library writes each message with one call.
func (w *wire) Write(line []byte) (int, error) {
	id := answerID(line)
	full := w.answers.fill(harmlessError(w.masked(line)))
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err := w.out.Write(full)
	if id != nil {
		delete(w.open, canonical(id))
		select {
		case w.answered <- struct{}{}:
		default:
		}
	}
	return len(line), err
}

// masked returns a line with the secrets in its error masked: the MCP library quotes unknown names. The id is returned
// unchanged.
func (w *wire) masked(line []byte) []byte {
	for name, value := range jsonspan.New(line, jsonspan.MaxDepth).Members {
		switch string(name.In(line)) {
		case `"result"`, `"method"`:
			return line // results can be long: not searched
		case `"error"`:
			return slices.Concat(line[:value.From], w.masks.Bytes(value.In(line)), line[value.To:])
		}
	}
	return line
}

// answerID returns the id of an answer, nil for anything else. The MCP library writes the id before the result.
func answerID(line []byte) json.RawMessage {
	for name, value := range jsonspan.New(line, jsonspan.MaxDepth).Members {
		switch string(name.In(line)) {
		case `"id"`:
			return value.In(line)
		case `"method"`:
			return nil
		}
	}
	return nil
}

// refuse answers a rejected line. An open request with that id stays open.
func (w *wire) refuse(r refusal) error {
	id := string(r.id)
	if id == "" {
		id = "null"
	}
	text, err := json.Marshal(termtext.Clip(chars.ShortQuotes(w.masks.String(r.text)), termtext.ResultMax))
	if err != nil {
		return err
	}
	line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%s}}`+"\n", id, r.code, text)
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = io.WriteString(w.out, line)
	return err
}

// drain waits until every request is answered, or ctx ends.
func (w *wire) drain(ctx context.Context) {
	for w.waiting() {
		select {
		case <-w.answered:
		case <-ctx.Done():
			return
		}
	}
}

func (w *wire) waiting() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, waits := range w.open {
		if waits {
			return true
		}
	}
	return false
}
