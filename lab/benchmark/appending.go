package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// measureAppend measures appending one message of 1 KB, which is on disk when the call returns,
// compared with appending the same bytes to a file and syncing it.
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
		a := appender{api: api, name: "append", now: time.Now().UTC()}
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
	api    ledger.API
	name   string // of the import and the session
	now    time.Time
	offset int64
	lines  int64
	calls  int
}

// line returns the next record, a message of 1 KB.
func (a *appender) line() []byte {
	return fmt.Appendf(nil, `{"role":"user","content":"%06d %s"}`, a.lines, strings.Repeat("the quick brown fox ", 48))
}

// append appends one record and returns when it is on disk.
func (a *appender) append(ctx context.Context, line []byte) error {
	from := a.offset
	return a.send(ctx, from, []sessions.NewEntry{a.entry(line)})
}
