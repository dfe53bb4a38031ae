package given

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// done is what one agent changed and ran in one turn.
type done struct {
	agent                              string
	turn                               int
	last                               time.Time
	written, deleted, commands, commit []string
}

// changesRecent returns what the agents of the session changed and ran, the newest n turns; 0: all.
func (rec *reading) changesRecent(ctx context.Context, n int) (string, error) {
	all, err := rec.done(ctx)
	if err != nil {
		return "", err
	}
	if n > 0 {
		all = all[max(0, len(all)-n):]
	}
	var b strings.Builder
	for _, d := range all {
		b.WriteString("[Turn " + strconv.Itoa(max(d.turn, 1)) + "] " + chars.Line(d.agent) + " (" +
			d.last.UTC().Format("2006-01-02 15:04") + " UTC)\n")
		for _, part := range []struct {
			head  string
			lines []string
		}{{"Files written:", d.written}, {"Files deleted:", d.deleted}, {"Commands run:", d.commands},
			{"Git commits:", d.commit}} {
			if len(part.lines) > 0 {
				b.WriteString("  " + part.head + "\n    - " + strings.Join(part.lines, "\n    - ") + "\n")
			}
		}
	}
	return b.String(), nil
}

// done returns what was done by turn, in the order of time.
func (rec *reading) done(ctx context.Context) ([]*done, error) {
	type key struct {
		session, agent string
		turn           int
	}
	var all []*done
	byKey := map[key]*done{}
	of := func(session string, turn int, agent string, at time.Time) *done {
		k := key{session, agent, turn}
		if byKey[k] == nil {
			byKey[k] = &done{agent: agent, turn: turn}
			all = append(all, byKey[k])
		}
		if at.After(byKey[k].last) {
			byKey[k].last = at
		}
		return byKey[k]
	}
	ran, err := rec.intents(ctx)
	if err != nil {
		return nil, err
	}
	for _, in := range ran {
		switch {
		case in.Finished == nil:
		case in.Op == intents.OpShell:
			d := of(in.Session, in.Turn, in.Agent, *in.Finished)
			d.commands = append(d.commands, chars.Line(in.Command)+" "+outcome(in))
		case in.Op == intents.OpCommit && in.Status == intents.Applied:
			d := of(in.Session, in.Turn, in.Agent, *in.Finished)
			d.commit = append(d.commit, chars.Line(in.Command))
		}
	}
	for _, s := range append([]sessions.Session{rec.session}, rec.started...) {
		err := rec.changes(ctx, s.ID, func(c changes.Change) {
			d := of(s.ID, c.Turn, rec.display(cmp.Or(c.Agent, s.Agent), s.Host), c.Time)
			list := &d.written
			if c.Op == changes.Deleted {
				list = &d.deleted
			}
			if name := chars.Line(c.Path); !slices.Contains(*list, name) {
				*list = append(*list, name)
			}
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(all, func(a, b *done) int { return a.last.Compare(b.last) })
	return all, nil
}

// outcome says how a command ended.
func outcome(in intents.Intent) string {
	if in.Status == intents.Applied {
		return "[OK]"
	}
	return "[FAILED]"
}

// changes calls fn with every change of a session, oldest first.
func (rec *reading) changes(ctx context.Context, session string, fn func(changes.Change)) error {
	const page = 10_000
	var all []changes.Change
	for r := (ledger.ChangesRequest{Session: session, Limit: page, Before: math.MaxInt64, NoStale: true}); ; {
		resp, err := rec.api.Changes(ctx, r)
		if err != nil {
			return err
		}
		if len(resp.Changes) == 0 {
			break
		}
		all = append(all, resp.Changes...)
		r.Before = resp.Changes[len(resp.Changes)-1].ID
	}
	for _, c := range slices.Backward(all) {
		fn(c)
	}
	return nil
}
