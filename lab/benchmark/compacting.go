package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ctxledger.dev/agents"
	"ctxledger.dev/compaction"
	"ctxledger.dev/engine"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
)

// measureCompaction measures planning and accepting a compaction through the daemon, of the recorded
// session and of the long one. Each is restored before the next.
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
	return b.compactInProcess(ctx)
}

// compacted is the size of the session that is compacted without a daemon, in bytes.
const compacted = 20 << 20

// compactInProcess measures planning and accepting a compaction by a process that owns the ledger: just
// after opening it, when nothing of the log is in memory, and again.
func (b *bench) compactInProcess(ctx context.Context) error {
	g, err := b.longer("compacted", compacted)
	if err != nil {
		return err
	}
	o := engine.Options{State: filepath.Join(b.temp, "ledger"), Workspace: b.temp, Env: env.System()}
	var known agents.Report
	err = opened(ctx, o, func(l *engine.Local) (err error) {
		known, err = agents.Import(ctx, l, agents.Source{Path: g.path}, nil)
		return err
	})
	var cold, warm times
	for range 2 * b.runs {
		if err == nil {
			err = opened(ctx, o, func(l *engine.Local) error {
				return errors.Join(compactOnce(ctx, l, known.Session, &cold), compactOnce(ctx, l, known.Session, &warm))
			})
		}
	}
	if err != nil {
		return err
	}
	what := fmt.Sprintf("compaction of a session of %.1f MB, %d records, in one process", float64(g.bytes)/1e6, g.lines)
	b.report.add(what, millis(warm.median()), "fastest "+millis(warm.at(0)), "", fmt.Sprint(len(warm)))
	b.report.add("″: the first one after the ledger is opened", millis(cold.median()), "fastest "+millis(cold.at(0)), ratio(cold.median(), warm.median()), fmt.Sprint(len(cold)))
	return nil
}

// opened opens a ledger and calls a function with it.
func opened(ctx context.Context, o engine.Options, do func(*engine.Local) error) error {
	l, err := engine.Open(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(do(l), l.Close())
}

// compactOnce times one compaction and restores the view.
func compactOnce(ctx context.Context, l *engine.Local, session string, took *times) error {
	r := ledger.PlanCompactionRequest{Session: session, Options: compaction.Options{Mode: compaction.Intent}}
	var done ledger.Summary
	err := took.clock(func() error {
		p, err := l.PlanCompaction(ctx, r)
		if err != nil {
			return err
		}
		done, err = l.AcceptCompaction(ctx, ledger.AcceptCompactionRequest{PlanCompactionRequest: r, Position: p.Position})
		return err
	})
	if err != nil {
		return err
	}
	_, err = l.Restore(ctx, ledger.RestoreRequest{ID: done.ID})
	return err
}

// budget bounds the summaries that are measured, in tokens.
const budget = 2000

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
	session, err := api.Session(ctx, ledger.SessionRequest{Latest: true})
	if err != nil {
		return err
	}
	r := ledger.PlanCompactionRequest{Session: session.ID, Options: compaction.Options{Mode: compaction.Intent, Budget: budget}}
	var took, read times
	var done ledger.CompactionPlan
	became := "" // of the first one: the same session has the same figures in every fresh ledger
	for range runs {
		err := read.clock(func() error {
			_, err := ledger.Messages(ctx, api, ledger.ViewRequest{Session: session.ID})
			return err
		})
		if err != nil {
			return err
		}
		if err := took.clock(func() (err error) { done, err = ledger.Compact(ctx, api, r, "", false); return err }); err != nil {
			return err
		}
		if done.Outcome != compaction.Compacted {
			return fmt.Errorf("the session was not compacted: %s", done.Why)
		}
		if became == "" {
			became = done.Summary.Became()
		}
		if _, err := api.Restore(ctx, ledger.RestoreRequest{ID: done.Summary.ID}); err != nil {
			return err
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	what := fmt.Sprintf("compaction of a session of %.1f MB, budget %s, %s", float64(info.Size())/1e6, chars.Commas(budget),
		became)
	b.report.add(what, millis(took.median()), "reading its whole view: "+millis(read.median()), ratio(took.median(), read.median()), fmt.Sprint(runs))
	return nil
}
