package main

import (
	"context"
	"fmt"
	"time"

	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// measureView measures the view of a conversation of ten thousand messages through the daemon: whole,
// from a ledger just opened; and the newest messages after one more arrived, with and without a decision
// about its edits, compared with the whole view.
func measureView(ctx context.Context, b *bench) error {
	const messages = 10_000
	return b.inSandbox(ctx, func(s *sandbox.Sandbox) error {
		api, err := s.Open(ctx)
		if err != nil {
			return err
		}
		a := appender{api: api, name: "view", now: time.Now().UTC()}
		for a.lines < messages {
			if err := a.pairs(ctx, 250); err != nil {
				return err
			}
		}
		session, err := api.Session(ctx, ledger.SessionRequest{Latest: true})
		if err != nil {
			return err
		}
		return b.views(ctx, api, &a, session.ID)
	})
}

// pairs appends n calls with their results in one request.
func (a *appender) pairs(ctx context.Context, n int) error {
	from := a.offset
	var entries []sessions.NewEntry
	for range n {
		call, result := a.call()
		entries = append(entries, a.entry(call), a.entry(result))
	}
	return a.send(ctx, from, entries)
}

// views times the views of a growing session.
func (b *bench) views(ctx context.Context, api ledger.API, a *appender, session string) error {
	var whole, newest, decided times
	for range b.runs {
		var v ledger.ViewResponse
		err := whole.clock(func() (err error) {
			v, err = ledger.Messages(ctx, api, ledger.ViewRequest{Session: session})
			return err
		})
		if err != nil {
			return err
		}
		for range 20 {
			if err := a.pairs(ctx, 1); err != nil {
				return err
			}
			r := ledger.ViewRequest{Session: session, From: len(v.Messages) - 1}
			if err := newest.clock(func() error { _, err := api.View(ctx, r); return err }); err != nil {
				return err
			}
			e := ledger.EditViewRequest{Session: session, DryRun: true}
			if err := decided.clock(func() error { _, err := api.EditView(ctx, e); return err }); err != nil {
				return err
			}
		}
	}
	b.report.add(fmt.Sprintf("whole view of a session of %d messages", a.lines), millis(whole.median()), "", "", fmt.Sprint(len(whole)))
	b.report.add("the newest of it after one more", millis(newest.median()), "p99 "+millis(newest.at(0.99)), ratio(newest.median(), whole.median()), fmt.Sprint(len(newest)))
	b.report.add("a decision about its edits", millis(decided.median()), "p99 "+millis(decided.at(0.99)), ratio(decided.median(), whole.median()), fmt.Sprint(len(decided)))
	return nil
}
