package agents

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/changes/watch"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/limittest"
)

// TestSessionsAreFollowedWithoutEvents: what is recorded does not depend on them.
func TestSessionsAreFollowedWithoutEvents(t *testing.T) {
	for _, limit := range []string{limittest.Instances, limittest.Watches} {
		limittest.Again(t, limit, "^(TestFollow.*|TestSessionsOf.*|TestATorn.*|TestAWorktree.*|TestAWritten.*|TestOldFiles.*)$")
	}
}

// TestSessionsAreWatchedAgainWhenThereAreWatches: also the directory of a session that could not be watched. It says for how
// long it rests from one look to the next.
func TestSessionsAreWatchedAgainWhenThereAreWatches(t *testing.T) {
	s := newScene(t)
	if !limittest.IsChild() {
		s.needsEvents()
	}
	if !limittest.Child(t) {
		return
	}
	limittest.Set(t, limittest.Watches, "1")
	now := time.Now()
	s.opts.Env.Now = func() time.Time { now = now.Add(time.Second); return now } // each look takes seconds
	s.opts.Watch = watch.NewShared(watch.Options{Now: func() time.Time { return now }})
	s.mkdir(filepath.Join(s.dir, "s1", "subagents"))
	s.append("s1.jsonl", s.rec("a"))
	f := s.follower()
	defer f.close()
	f.start()
	f.list()
	f.tick()
	if p, polled := s.opts.Watch.Polled(); f.healthy() || !polled || p.Every < pollRest*time.Second {
		t.Fatalf("healthy %v, %+v", f.healthy(), p)
	}
	limittest.Set(t, limittest.Watches, "100")
	old := now.Add(-2 * recent)
	if err := os.Chtimes(filepath.Join(s.dir, "s1.jsonl"), old, old); err != nil {
		t.Fatal(err) // no look watches the directories of old sessions
	}
	now = now.Add(limits.WatchRetry + time.Hour)
	f.tick()
	if p, polled := s.opts.Watch.Polled(); !f.healthy() || polled {
		t.Fatalf("healthy %v, %+v", f.healthy(), p)
	}
	f.readNext(context.Background())
	path := s.append("s1/subagents/agent-7.jsonl", s.rec("b"))
	for deadline := time.After(patience); ; {
		select {
		case e := <-f.events():
			if e.Path == path {
				return
			}
		case <-deadline:
			t.Fatal("no event")
		}
	}
}
