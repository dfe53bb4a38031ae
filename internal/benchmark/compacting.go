package main

import (
	"context"
	"fmt"
	"os"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/sandbox"
)

// measureCompaction measures planning and accepting a compaction through the daemon, of the recorded
// session and of the long one. Each is taken back before the next.
func measureCompaction(ctx context.Context, b *bench) error {
	for _, of := range []struct {
		path string
		runs int
	}{{b.path, 4 * b.runs}, {b.big.path, b.runs}} {
		err := b.inSandbox(ctx, func(s *sandbox.Sandbox) error { return b.compact(ctx, s, of.path, of.runs) })
		if err != nil {
			return err
		}
	}
	return nil
}

// compact imports a session and compacts it several times.
func (b *bench) compact(ctx context.Context, s *sandbox.Sandbox, path string, runs int) error {
	if _, err := s.Run(ctx, "import", path); err != nil {
		return err
	}
	api, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer api.Close()
	session, err := api.Session(ctx, engine.SessionRequest{Latest: true})
	if err != nil {
		return err
	}
	r := engine.PlanCompactionRequest{Session: session.ID, Options: compaction.Options{Mode: compaction.Intent, Budget: 2000}}
	var took, read times
	var done engine.CompactionPlan
	for range runs {
		err := read.clock(func() error {
			_, err := engine.Messages(ctx, api, engine.ViewRequest{Session: session.ID})
			return err
		})
		if err != nil {
			return err
		}
		if err := took.clock(func() (err error) { done, err = engine.Compact(ctx, api, r, "", false); return err }); err != nil {
			return err
		}
		if done.Outcome != compaction.Compacted {
			return fmt.Errorf("the session was not compacted: %s", done.Why)
		}
		if _, err := api.Restore(ctx, engine.RestoreRequest{ID: done.Summary.ID}); err != nil {
			return err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("compaction of a session of %.1f MB, %s → %s tokens", float64(info.Size())/1e6, done.Summary.TokensBefore, done.Summary.TokensAfter)
	b.report.add(what, millis(took.median()), "reading its whole view: "+millis(read.median()), ratio(took.median(), read.median()), fmt.Sprint(runs))
	return nil
}
