package engine_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"ctxledger.dev/agents"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// benchLedger opens a ledger as the product does: every transaction runs once.
func benchLedger(b *testing.B) *engine.Local {
	b.Helper()
	e, _ := testEnv()
	l, err := openOptions(b.Context(), engine.Options{State: b.TempDir(), Workspace: "/home/dev/shop", Env: e})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = l.Close() })
	return l
}

// shopBatches returns the recorded session as an import sends it: batches of 1 MiB.
func shopBatches(tb testing.TB) [][]sessions.NewEntry {
	tb.Helper()
	var (
		batches [][]sessions.NewEntry
		batch   []sessions.NewEntry
		size    int
	)
	for _, e := range readWhole(tb, shopFile).Entries {
		if size += len(e.Original); size > limits.AppendBatch {
			batches, batch, size = append(batches, batch), nil, len(e.Original)
		}
		batch = append(batch, e)
	}
	return append(batches, batch)
}

// BenchmarkAppendEntries imports the first MiB of the recorded session, each time as a new session.
func BenchmarkAppendEntries(b *testing.B) {
	batch := shopBatches(b)[0]
	size := int64(0)
	for _, e := range batch {
		size += int64(len(e.Original))
	}
	l := benchLedger(b)
	b.SetBytes(size)
	for n := 0; b.Loop(); n++ {
		_, err := l.AppendEntries(b.Context(), ledger.AppendEntriesRequest{
			Import:  fmt.Sprint("import-", n),
			Session: sessions.Session{Host: "claude-code", HostID: fmt.Sprint(n), Dir: "/home/dev/shop"},
			Next:    1, Entries: batch, Done: true,
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkIndexWords indexes the recorded session, and reports the part of its originals that the index takes.
func BenchmarkIndexWords(b *testing.B) {
	for b.Loop() {
		b.StopTimer()
		dir := b.TempDir()
		l, err := openOptions(b.Context(), stored(dir))
		if err != nil {
			b.Fatal(err)
		}
		r, err := agents.Import(b.Context(), l, agents.Source{Path: shopFile}, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.SetBytes(r.Bytes)
		b.StartTimer()
		for more := true; more; {
			if more, err = l.IndexWords(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		b.StopTimer()
		if err := l.Close(); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(indexSize(b, dir))/float64(r.Bytes), "index/original")
		b.StartTimer()
	}
}

// indexSize returns the bytes of the keys and values of the indexes of words.
func indexSize(b *testing.B, dir string) (size int64) {
	s, err := storeIn(dir)
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	if err := s.View(b.Context(), func(tx kv.Tx) error {
		for _, bucket := range []kv.Bucket{"log.words", "artifacts.words"} {
			for r, err := range tx.Scan(bucket, kv.Range{}) {
				if err != nil {
					return err
				}
				size += int64(len(r.Key) + len(r.Value))
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	return size
}

// benchSessions are the recorded session and one of 10,000 entries.
func benchSessions(b *testing.B, run func(b *testing.B, l *engine.Local, session string)) {
	b.Run("shop", func(b *testing.B) {
		l := benchLedger(b)
		r, err := agents.Import(b.Context(), l, agents.Source{Path: shopFile}, nil)
		if err != nil {
			b.Fatal(err)
		}
		run(b, l, r.Session)
	})
	b.Run("10000", func(b *testing.B) {
		l := benchLedger(b)
		resp, err := l.AppendMessages(b.Context(),
			ledger.AppendMessagesRequest{Format: transcript.Anthropic, Messages: working(10_000)})
		if err != nil {
			b.Fatal(err)
		}
		run(b, l, resp.Session)
	})
}

// BenchmarkView reads a whole view, page by page.
func BenchmarkView(b *testing.B) {
	benchSessions(b, func(b *testing.B, l *engine.Local, session string) {
		for b.Loop() {
			if _, err := ledger.Messages(b.Context(), l, ledger.ViewRequest{Session: session}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkPlanCompaction plans the first compaction of a session.
func BenchmarkPlanCompaction(b *testing.B) {
	benchSessions(b, func(b *testing.B, l *engine.Local, session string) {
		for b.Loop() {
			p, err := l.PlanCompaction(b.Context(), ledger.PlanCompactionRequest{Session: session})
			if err != nil || p.Outcome != compaction.Compacted {
				b.Fatal(p.Outcome, p.Why, err)
			}
		}
	})
}

// BenchmarkHandedIn does what `compact_conversation` does with a conversation of 1 MB that a host sends whole: finds
// the messages that are known, which are all of them, and plans the compaction.
func BenchmarkHandedIn(b *testing.B) {
	for name, messages := range map[string][][]byte{"6000 messages": working(6_000), "200 messages": long(100)} {
		b.Run(name, func(b *testing.B) {
			l := benchLedger(b)
			r := ledger.AppendMessagesRequest{Format: transcript.Anthropic, Messages: messages}
			made, err := l.AppendMessages(b.Context(), r)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(bytes.Join(messages, nil))))
			known, whole := time.Hour, time.Hour
			for b.Loop() {
				start := time.Now()
				if again, err := l.AppendMessages(b.Context(), r); err != nil || again.Added > 0 {
					b.Fatal(again.Added, err)
				}
				known = min(known, time.Since(start))
				plan := ledger.PlanCompactionRequest{Session: made.Session}
				if _, err := l.PlanCompaction(b.Context(), plan); err != nil {
					b.Fatal(err)
				}
				whole = min(whole, time.Since(start))
			}
			b.ReportMetric(float64(known.Microseconds()), "µs/known")
			b.ReportMetric(float64(whole.Microseconds()), "µs/best")
		})
	}
}

// BenchmarkViewAfterOneMore appends a message and reads what a host then sends in addition to what it sent: the
// newest messages of the view.
func BenchmarkViewAfterOneMore(b *testing.B) {
	l := benchLedger(b)
	resp, err := l.AppendMessages(b.Context(),
		ledger.AppendMessagesRequest{Format: transcript.Anthropic, Messages: working(10_000)})
	if err != nil {
		b.Fatal(err)
	}
	var spent time.Duration
	for n := 0; b.Loop(); n++ {
		more := transcript.NewMessage(transcript.Anthropic, transcript.RoleUser, fmt.Sprint("message ", n))
		if _, err := l.AppendMessages(b.Context(), ledger.AppendMessagesRequest{
			Format: transcript.Anthropic, Messages: [][]byte{more}, Session: resp.Session, Since: true,
		}); err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		v, err := l.View(b.Context(), ledger.ViewRequest{Session: resp.Session, From: 9_990})
		if err != nil || len(v.Messages) == 0 {
			b.Fatal(len(v.Messages), err)
		}
		spent += time.Since(start)
	}
	b.ReportMetric(float64(spent.Microseconds())/float64(b.N), "µs/view")
}

// BenchmarkEditView decides about the edits of a view.
func BenchmarkEditView(b *testing.B) {
	benchSessions(b, func(b *testing.B, l *engine.Local, session string) {
		for b.Loop() {
			if _, err := l.EditView(b.Context(), ledger.EditViewRequest{Session: session, DryRun: true}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkGrowthAfterOneMore appends a message to a session of 10,000 and asks what its turns did, as a panel
// does that is open; and asks it of a ledger that has not read the session yet.
func BenchmarkGrowthAfterOneMore(b *testing.B) {
	l := benchLedger(b)
	resp, err := l.AppendMessages(b.Context(),
		ledger.AppendMessagesRequest{Format: transcript.Anthropic, Messages: working(10_000)})
	if err != nil {
		b.Fatal(err)
	}
	start := time.Now()
	ask := func() {
		start = time.Now()
		if g, err := l.TurnStats(b.Context(), ledger.TurnStatsRequest{Session: resp.Session}); err != nil ||
			len(g.Turns) != 500 {
			b.Fatal(len(g.Turns), err)
		}
	}
	ask()
	first := time.Since(start)
	best := time.Hour
	for n := 0; b.Loop(); n++ {
		more := transcript.NewMessage(transcript.Anthropic, transcript.RoleUser, fmt.Sprint("message ", n))
		if _, err := l.AppendMessages(b.Context(), ledger.AppendMessagesRequest{
			Format: transcript.Anthropic, Messages: [][]byte{more}, Session: resp.Session, Since: true,
		}); err != nil {
			b.Fatal(err)
		}
		ask()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(best.Microseconds()), "µs/best")
	b.ReportMetric(float64(first.Microseconds()), "µs/first")
}

// BenchmarkFollowAfterOneMore appends a message to a session of 20,000 and asks what an editor that follows it asks:
// how full its window is, and which of the files that it read have changed since.
func BenchmarkFollowAfterOneMore(b *testing.B) {
	l := benchLedger(b)
	resp, err := l.AppendMessages(b.Context(),
		ledger.AppendMessagesRequest{Format: transcript.Anthropic, Messages: working(20_000)})
	if err != nil {
		b.Fatal(err)
	}
	var full, brief, stale time.Duration
	for n := 0; b.Loop(); n++ {
		more := transcript.NewMessage(transcript.Anthropic, transcript.RoleUser, fmt.Sprint("message ", n))
		if _, err := l.AppendMessages(b.Context(), ledger.AppendMessagesRequest{
			Format: transcript.Anthropic, Messages: [][]byte{more}, Session: resp.Session, Since: true,
		}); err != nil {
			b.Fatal(err)
		}
		start := time.Now()
		if _, err := l.Status(b.Context(), ledger.StatusRequest{Session: resp.Session}); err != nil {
			b.Fatal(err)
		}
		full += time.Since(start)
		start = time.Now()
		if _, err := l.Status(b.Context(), ledger.StatusRequest{Session: resp.Session, Brief: true}); err != nil {
			b.Fatal(err)
		}
		brief += time.Since(start)
		start = time.Now()
		if _, err := l.Changes(b.Context(), ledger.ChangesRequest{Session: resp.Session, Limit: 1}); err != nil {
			b.Fatal(err)
		}
		stale += time.Since(start)
	}
	b.ReportMetric(float64(full.Microseconds())/float64(b.N), "µs/full")
	b.ReportMetric(float64(brief.Microseconds())/float64(b.N), "µs/brief")
	b.ReportMetric(float64(stale.Microseconds())/float64(b.N), "µs/stale")
}
