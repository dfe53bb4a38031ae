package live

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/ledger"
	"ctxledger.dev/transcript"
)

// counted is a ledger that counts what it is asked, and takes its time to answer.
type counted struct {
	ledger.API
	slow          time.Duration
	looks, stales *atomic.Int64
}

func (c counted) Status(ctx context.Context, r ledger.StatusRequest) (ledger.Status, error) {
	c.looks.Add(1)
	env.Sleep(ctx, c.slow)
	return c.API.Status(ctx, r)
}

func (c counted) Changes(ctx context.Context, r ledger.ChangesRequest) (ledger.ChangesResponse, error) {
	c.stales.Add(1)
	return c.API.Changes(ctx, r)
}

func (counted) Close() error { return nil }

// TestAnAgentThatNeverRestsIsFollowedAtEase has an agent say something ten times a second, for a minute, while a look
// takes a second; and reads a file once: what has changed is asked for then, and not after each word.
func TestAnAgentThatNeverRestsIsFollowedAtEase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		local, err := engine.Open(t.Context(), engine.Options{State: t.TempDir(), Workspace: "/ws", Env: env.System()})
		if err != nil {
			t.Fatal(err)
		}
		defer local.Close() // nothing is lost with a test's
		c := counted{API: local, slow: time.Second, looks: new(atomic.Int64), stales: new(atomic.Int64)}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			Follow(ctx, Options{Env: env.System(), Tell: func(State) {},
				Open: func(context.Context) (Ledger, error) { return c, nil }})
			close(done)
		}()
		session := ""
		for i := range 600 {
			messages := [][]byte{[]byte(`{"role":"user","content":"more"}`)}
			if i == 300 {
				messages = read("t1", false)
			}
			r, err := local.AppendMessages(ctx, ledger.AppendMessagesRequest{Session: session, Since: i > 0,
				Host: "test", Format: transcript.Anthropic, Messages: messages})
			if err != nil {
				t.Fatal(err)
			}
			session = r.Session
			env.Sleep(ctx, 100*time.Millisecond)
		}
		stop()
		<-done
		if n := c.looks.Load(); n < 9 || n > 12 {
			t.Errorf("in a minute it looked %d times", n)
		}
		if n := c.stales.Load(); n != 2 {
			t.Errorf("what is stale was asked for %d times", n)
		}
	})
}
