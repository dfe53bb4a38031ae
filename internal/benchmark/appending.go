package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/sandbox"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// measureAppend measures appending one message of 1 KB, which is on disk when the call returns,
// beside appending the same bytes to a file and syncing it.
func measureAppend(ctx context.Context, b *bench) error {
	calls := 100 * b.runs
	return b.inSandbox(ctx, func(s *sandbox.Sandbox) (err error) {
		api, err := s.Open(ctx)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, api.Close()) }()
		f, err := os.Create(filepath.Join(s.Top, "plain.jsonl"))
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		var ours, plain times
		a := appender{api: api, now: time.Now().UTC()}
		for range calls {
			line := a.line()
			if err := plain.clock(func() error { _, err := f.Write(line); return errors.Join(err, f.Sync()) }); err != nil {
				return err
			}
			if err := ours.clock(func() error { return a.append(ctx, line) }); err != nil {
				return err
			}
		}
		x, y := ours.median(), plain.median()
		b.report.add("durable append of a message of 1 KB through the daemon, p50", millis(x), "write and fsync of a file: "+millis(y), ratio(x, y), fmt.Sprint(calls))
		return nil
	})
}

// appender imports a session record by record.
type appender struct {
	api    engine.API
	now    time.Time
	offset int64
	lines  int64
}

// line returns the next record, a message of 1 KB.
func (a *appender) line() []byte {
	return fmt.Appendf(nil, `{"role":"user","content":"%06d %s"}`, a.lines, strings.Repeat("the quick brown fox ", 48))
}

// append appends one record and returns when it is on disk.
func (a *appender) append(ctx context.Context, line []byte) error {
	next := a.offset + int64(len(line)) + 1
	a.lines++
	_, err := a.api.AppendEntries(ctx, engine.AppendEntriesRequest{
		Import:  "benchmark",
		Session: sessions.Session{Host: "benchmark", HostID: "benchmark", Created: a.now},
		Offset:  a.offset, Next: next, Line: a.lines, Done: true,
		Entries: []sessions.NewEntry{{
			Kind: sessions.KindMessage, Time: a.now, HostID: fmt.Sprint(a.lines), Original: line,
			Message: transcript.Span{To: len(line)}, Format: transcript.Anthropic,
		}},
	})
	a.offset = next
	return err
}
