// Package logcap bounds the logging of repeated events that others control, for example malformed input.
//
// Of each message the first ten records are written, then the 20th, the 40th and so on, with their number:
// a million records become 26 lines. Records with the same message count as the same, whatever their
// attributes.
//
// Each record is one line that is safe to show and of bounded length: see Records.
package logcap

import (
	"context"
	"log/slog"
	"sync"
)

const (
	// free is how many records of one message are written before any is dropped.
	free = 10
	// most is how many messages are counted separately. Further ones are counted together.
	most = 200
)

// Handler writes to another handler. It is safe for concurrent use.
type Handler struct {
	next   slog.Handler
	counts *counts // shared by the handlers that are made from this one
}

// counts holds the number of records.
type counts struct {
	mu sync.Mutex
	of map[string]int64 // guarded by mu; by message
}

// New returns a handler that drops repeated records and passes the others to next.
func New(next slog.Handler) *Handler { return &Handler{next, &counts{of: map[string]int64{}}} }

// Enabled implements slog.Handler.
func (h *Handler) Enabled(ctx context.Context, l slog.Level) bool { return h.next.Enabled(ctx, l) }

// Handle implements slog.Handler.
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	n := h.counts.add(r.Message)
	if !due(n) {
		return nil
	}
	if n > free {
		r = r.Clone()
		r.AddAttrs(slog.Int64("times", n))
	}
	return h.next.Handle(ctx, r)
}

// add counts a record and returns the number of records with its message.
func (c *counts) add(message string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.of[message]; !known && len(c.of) >= most {
		message = ""
	}
	c.of[message]++
	return c.of[message]
}

// due reports whether the n-th record is written.
func due(n int64) bool {
	if n <= free {
		return true
	}
	for n > free && n%2 == 0 {
		n /= 2
	}
	return n == free
}

// WithAttrs implements slog.Handler.
func (h *Handler) WithAttrs(a []slog.Attr) slog.Handler {
	return &Handler{h.next.WithAttrs(a), h.counts}
}

// WithGroup implements slog.Handler.
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{h.next.WithGroup(name), h.counts}
}
