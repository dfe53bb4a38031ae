package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/intents"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// sampled is how many appends are timed at either end of a session.
const sampled = 1000

// measureGrowth measures whether an append costs more the longer a session is: the first thousand
// appends of a ledger compared with those after a hundred thousand, on three ledgers.
func measureGrowth(ctx context.Context, b *bench) error {
	const ledgers = 3
	long := 20_000 * b.runs
	var first, last times
	for range ledgers {
		if err := b.withLedger(ctx, func(api ledger.API) error { return grow(ctx, api, long, &first, &last) }); err != nil {
			return err
		}
	}
	x, y := last.median(), first.median()
	b.report.add(fmt.Sprintf("appends %d to %d of one session, median", long+1, long+sampled), millis(x),
		fmt.Sprintf("appends 1 to %d: %s", sampled, millis(y)), ratio(x, y), fmt.Sprintf("%d × %d", ledgers, sampled))
	return nil
}

// grow appends to one session and times the first appends, and those after many.
func grow(ctx context.Context, api ledger.API, long int, first, last *times) error {
	a := appender{api: api, name: "growth", now: time.Now().UTC()}
	for range sampled {
		if err := first.clock(func() error { return a.append(ctx, a.line()) }); err != nil {
			return err
		}
	}
	for a.lines < int64(long) {
		if err := a.batch(ctx, min(1000, long-int(a.lines))); err != nil {
			return err
		}
	}
	for range sampled {
		if err := last.clock(func() error { return a.append(ctx, a.line()) }); err != nil {
			return err
		}
	}
	return nil
}

// batch appends n records in one request.
func (a *appender) batch(ctx context.Context, n int) error {
	from := a.offset
	var entries []sessions.NewEntry
	for range n {
		entries = append(entries, a.entry(a.line()))
	}
	return a.send(ctx, from, entries)
}

// measureIntents measures the begin and the finish of a tool call in the ledger, with ten thousand
// stored intents, compared with writing all of them as one compact JSON file and syncing it once. A ledger
// that kept intents in a file would do that twice for every call.
func measureIntents(ctx context.Context, b *bench) error {
	const pairs = 200
	stored := 2000 * b.runs
	return b.withLedger(ctx, func(api ledger.API) error {
		a := appender{api: api, name: "intents", now: time.Now().UTC()}
		var all []intents.Intent
		for len(all) < stored {
			from := a.offset
			var entries []sessions.NewEntry
			for range min(500, stored-len(all)) {
				call, result := a.call()
				entries = append(entries, a.entry(call), a.entry(result))
				all = append(all, a.intent())
			}
			if err := a.send(ctx, from, entries); err != nil {
				return err
			}
		}
		var ours, file times
		path := filepath.Join(b.temp, "intents.json")
		for i := range pairs {
			call, result := a.call()
			err := ours.clock(func() error { return errors.Join(a.append(ctx, call), a.append(ctx, result)) })
			if err == nil && i%10 == 0 {
				err = file.clock(func() error { return rewrite(path, all) })
			}
			if err != nil {
				return err
			}
		}
		x, y := file.median(), ours.median()
		b.report.add(fmt.Sprintf("begin and finish of an intent with %d there, both durable", stored), millis(y),
			"writing them all as one JSON file, one sync: "+millis(x), fmt.Sprintf("%.1f × cheaper", float64(x)/float64(y)), fmt.Sprintf("%d and %d", pairs, pairs/10))
		return nil
	})
}

// call returns a message with a call that writes a file, and the message with its result.
func (a *appender) call() (call, result []byte) {
	a.calls++
	call = fmt.Appendf(nil, `{"role":"assistant","content":[{"type":"tool_use","id":"toolu_%08d","name":"Edit","input":`+
		`{"file_path":"internal/pkg%d/file%d.go","old_string":%q,"new_string":%q}}]}`, a.calls, a.calls%50, a.calls%700,
		strings.Repeat("old line of code\n", 8), strings.Repeat("new line of code\n", 8))
	result = fmt.Appendf(nil, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_%08d","content":"The file has been updated."}]}`, a.calls)
	return call, result
}

// intent is the stored form of the newest call.
func (a *appender) intent() intents.Intent {
	path := fmt.Sprintf("internal/pkg%d/file%d.go", a.calls%50, a.calls%700)
	done := a.now
	return intents.Intent{
		ID: fmt.Sprintf("%016x", a.calls), Session: "0123456789abcdef", Seq: a.lines, Turn: 1, CallID: fmt.Sprintf("toolu_%08d", a.calls),
		Name: "Edit", Op: intents.OpPatch, Target: path, Begun: a.now, Finished: &done, Status: intents.Applied, Source: "transcript",
		Args: map[string]string{"file_path": path, "old_string": strings.Repeat("old line of code\n", 8), "new_string": strings.Repeat("new line of code\n", 8)},
	}
}

// rewrite writes intents as one JSON file, in one step, synced.
func rewrite(path string, all []intents.Intent) error {
	raw, err := json.Marshal(all)
	if err != nil {
		return err
	}
	f, err := os.Create(path + ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(raw)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// withLedger calls a function with the ledger of a new sandbox, through its daemon.
func (b *bench) withLedger(ctx context.Context, do func(ledger.API) error) error {
	return b.inSandbox(ctx, func(s *sandbox.Sandbox) error {
		api, err := s.Open(ctx)
		if err != nil {
			return err
		}
		return errors.Join(do(api), api.Close())
	})
}

// entry returns a message as it is appended.
func (a *appender) entry(message []byte) sessions.NewEntry {
	a.lines++
	a.offset += int64(len(message)) + 1
	return sessions.NewEntry{
		Kind: sessions.KindMessage, Time: a.now, HostID: fmt.Sprint(a.lines), Original: message,
		Message: transcript.Span{To: len(message)}, Format: transcript.Anthropic,
	}
}

// send appends entries that start at an offset and returns when they are on disk.
func (a *appender) send(ctx context.Context, from int64, entries []sessions.NewEntry) error {
	_, err := a.api.AppendEntries(ctx, ledger.AppendEntriesRequest{
		Import: a.name, Session: sessions.Session{Host: "benchmark", HostID: a.name, Created: a.now},
		Offset: from, Next: a.offset, Line: a.lines, Done: true, Entries: entries,
	})
	return err
}
