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
	"ctxledger.dev/transcript"
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
		list(&b, "  Files written:", "    - ", d.written)
		list(&b, "  Files deleted:", "    - ", d.deleted)
		list(&b, "  Commands run:", "    - ", d.commands)
		list(&b, "  Git commits:", "    - ", d.commit)
	}
	return b.String(), nil
}

// done returns what was done by turns of agents, in the order of time.
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
	seqs := map[string]int64{} // of intents
	for _, in := range ran {
		if seqs[in.ID] = in.Seq; in.Finished == nil || in.Op != intents.OpShell && in.Op != intents.OpCommit {
			continue
		}
		turn, err := rec.turnOf(ctx, in.Session, in.Seq, in.Turn)
		if err != nil {
			return nil, err
		}
		d := of(in.Session, turn, in.Agent, *in.Finished)
		switch {
		case in.Op == intents.OpShell:
			d.commands = append(d.commands, chars.Line(in.Command)+" "+outcome(in))
		case in.Status == intents.Applied:
			d.commit = append(d.commit, chars.Line(in.Command))
		}
	}
	for _, s := range append([]sessions.Session{rec.session}, rec.started...) {
		changed, err := rec.changes(ctx, s.ID)
		if err != nil {
			return nil, err
		}
		for _, c := range changed {
			turn, err := rec.turnOf(ctx, s.ID, cmp.Or(seqs[c.Intent], c.Seq), c.Turn)
			if err != nil {
				return nil, err
			}
			d := of(s.ID, turn, rec.display(cmp.Or(c.Agent, s.Agent), s.Host), c.Time)
			list := &d.written
			if c.Op == changes.Deleted {
				list = &d.deleted
			}
			if name := chars.Line(c.Path); !slices.Contains(*list, name) {
				*list = append(*list, name)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *done) int {
		return cmp.Or(a.last.Compare(b.last), cmp.Compare(a.turn, b.turn))
	})
	if len(rec.started) > 0 { // each of them begins with a first turn
		for i, d := range all {
			d.turn = i + 1
		}
	}
	return all, nil
}

// turnOf returns the number of the agents' turn to which an entry of a log belongs: it begins with a request, or when
// another agent takes over. usual is the one of the record, for an entry that is not known; without one it is the newest, since
// what a hook reported is not in the log yet.
func (rec *reading) turnOf(ctx context.Context, session string, seq int64, usual int) (int, error) {
	if rec.numbers[session] == nil {
		entries, err := rec.log(ctx, session)
		if err != nil {
			return 0, err
		}
		numbers, n, asked, author := map[int64]int{}, 0, true, ""
		for _, e := range entries {
			asked = asked || e.Prompt
			if e.Role == transcript.RoleAssistant && (asked || e.Author != author) {
				n, asked, author = n+1, false, e.Author
			}
			numbers[e.Seq] = n
		}
		numbers[0] = max(1, n) // no entry has this place
		rec.numbers[session] = numbers
	}
	if seq == 0 && usual != 0 {
		return usual, nil
	}
	return cmp.Or(rec.numbers[session][seq], usual), nil
}

// outcome says how a command ended.
func outcome(in intents.Intent) string {
	if in.Status == intents.Applied {
		return "[OK]"
	}
	return "[FAILED]"
}

// changes returns the changes of a session, oldest first.
func (rec *reading) changes(ctx context.Context, session string) (all []changes.Change, err error) {
	const page = 10_000
	for r := (ledger.ChangesRequest{Session: session, Limit: page, Before: math.MaxInt64, NoStale: true}); ; {
		resp, err := rec.api.Changes(ctx, r)
		if err != nil {
			return nil, err
		}
		if len(resp.Changes) == 0 {
			slices.Reverse(all)
			return all, nil
		}
		all = append(all, resp.Changes...)
		r.Before = resp.Changes[len(resp.Changes)-1].ID
	}
}
