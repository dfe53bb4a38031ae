package lsp

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ctxledger.dev/internal/env"
)

// TestAnEditorThatIsLeftAloneIsNoticedOnce lets time go by, which costs none here.
func TestAnEditorThatIsLeftAloneIsNoticedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var rests atomic.Int32
		ctx, end := context.WithCancel(t.Context())
		s := New(Options{Env: env.System(), Idle: func() { rests.Add(1) }})
		s.life = ctx
		s.tasks.begin(s.watchIdle)
		for _, c := range []struct {
			name     string
			messages int           // so many messages,
			every    time.Duration // so long apart,
			then     time.Duration // and then nothing for so long
			rests    int32
		}{
			{"nothing came yet", 0, 0, time.Hour, 0},
			{"a message", 1, 0, 3 * idleAfter, 1},
			{"nothing more", 0, 0, time.Hour, 1},
			{"much without a pause", 100, idleAfter / 2, idleAfter / 2, 1},
			{"and then a pause", 0, 0, 3 * idleAfter, 2},
		} {
			for range c.messages {
				s.touch()
				env.Sleep(ctx, c.every)
			}
			env.Sleep(ctx, c.then)
			synctest.Wait()
			if n := rests.Load(); n != c.rests {
				t.Errorf("%s: %d rests, not %d", c.name, n, c.rests)
			}
		}
		end()
		s.tasks.wait()
	})
}

// TestAReportIsFollowedByARest is issue 45: garbage is collected then, not during the next keystroke.
func TestAReportIsFollowedByARest(t *testing.T) {
	rested := make(chan struct{}, 1)
	f := newFixture(t, func(s *Server) {
		s.o.Rest = func() {
			select {
			case rested <- struct{}{}:
			default: // it was noticed
			}
		}
	})
	f.initialize(t)
	if err := f.Open("file:///doc.md", "markdown", "@llm\nprompt: x\n"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-rested:
	case <-f.ctx.Done():
		t.Error("there is no rest")
	}
}
