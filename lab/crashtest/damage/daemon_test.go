//go:build unix

package damage_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/lab/crashtest/damage"
	"ctxledger.dev/lab/crashtest/script"
)

// share is how many damages there are for one that the real daemon has to bear.
const share = 50

// stale is what an owner that died leaves behind.
const stale = `{
  "protocol": 1,
  "version": "0.1.0",
  "pid": 4194303,
  "address": "unix:/tmp/ctxl-nobody/owner.sock",
  "token": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
  "started": "2026-11-21T08:00:00Z",
  "workspace": "/w"
}
`

// TestDaemonBearsDamage: the real daemon, started with a damaged ledger or a damaged owner.json,
// answers as it must and lives, or refuses to start by name.
func TestDaemonBearsDamage(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("CLAUDE_CONFIG_DIR", filepath.Join(home, ".claude"))
	dir := original(t)
	story, err := script.LoadStory(dir)
	if err != nil {
		t.Fatal(err)
	}
	o, err := damage.Load(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	o.Add("owner.json", []byte(stale))
	kinds := damage.Wrecks()
	outcomes := map[string]int{}
	began := time.Now()
	total := max(*flips/share, 1)
	for n := range total {
		rng := rand.New(rand.NewPCG(*seed, uint64(n)))
		d := o.Flip(rng)
		switch n % 4 {
		case 1:
			d = o.Wreck(kinds[n/4%len(kinds)], rng)
		case 2:
			d = o.FlipIn(rng, "owner.json")
		}
		outcome, err := bear(t, o, story[len(story)-1], d)
		if err != nil {
			t.Errorf("-kept=%s -seed=%d, damage %d: %v", dir, *seed, n, err)
		}
		outcomes[outcome]++
	}
	t.Logf("%d damages, seed %d, %.1f s: %v", total, *seed, time.Since(began).Seconds(), outcomes)
}

// owner returns the process that owns a ledger. That it cannot count what it has is not its death.
func owner(ctx context.Context, state string) (int, error) {
	s, err := daemon.Status(ctx, state)
	if !s.Running || err != nil && !fault.Is(err, fault.Corrupt) {
		return 0, fmt.Errorf("no daemon answers: %w", err)
	}
	return s.PID, nil
}

// bear starts the daemon on a damaged ledger, asks it everything and stops it.
func bear(t *testing.T, o *damage.Original, want script.State, d damage.Damage) (string, error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	top, err := os.MkdirTemp("", "ctxl")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(top)
	state := filepath.Join(top, "state")
	if err := o.Save(state, d); err != nil {
		return "", err
	}
	api, err := daemon.Open(ctx, daemon.Options{
		State: state, Workspace: script.Workspace, Env: env.System(), Binary: []string{ctxledger},
	})
	if err != nil {
		return damage.Refusal(d, err)
	}
	defer api.Close()
	pid, err := owner(ctx, state)
	if err != nil {
		return "", fmt.Errorf("%s: %w", d.What, err)
	}
	outcome, err := damage.Compare(ctx, api, want, d)
	if err != nil {
		return "", err
	}
	if now, err := owner(ctx, state); err != nil || now != pid {
		return "", fmt.Errorf("%s: the daemon %d has not lived: %d, %w", d.What, pid, now, err)
	}
	return outcome, link.Stop(ctx, state)
}
