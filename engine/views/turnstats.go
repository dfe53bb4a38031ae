package views

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// Bounds of a growth.
const (
	maxTurns        = 500   // turns of a session that are listed
	maxRequestChars = 4_000 // characters of a request that secrets are looked for in: its first line is cut at 120
)

// TurnStats implements API.
func (l *Views) TurnStats(ctx context.Context, r ledger.TurnStatsRequest) (ledger.TurnStats, error) {
	if err := core.CheckTexts("engine.growth", core.Label("session", r.Session), core.Label("model", r.Model)); err != nil {
		return ledger.TurnStats{}, err
	}
	kept, err := l.growths.take(ctx, r.Session) // before the transaction: so each reads on from where the one before it was
	if err != nil {
		return ledger.TurnStats{}, err
	}
	defer kept.release()
	return core.View(ctx, l.Ledger, func(tx kv.Tx) (ledger.TurnStats, error) {
		f, err := l.Fold(tx, r.Session)
		if err != nil {
			return ledger.TurnStats{}, err
		}
		g, err := l.grown(ctx, tx, f, kept)
		if err != nil {
			return ledger.TurnStats{}, err
		}
		w, err := l.WindowOf(tx, f, r.Model)
		if err != nil {
			return ledger.TurnStats{}, err
		}
		c := f.Counter(r.Model)
		out := ledger.TurnStats{Use: Use(f, c, w, g.filled(), g.whole(f)), Turns: make([]ledger.Turn, 0, len(g.turns)), Earlier: g.earlier}
		l.MaskUse(&out.Use)
		for _, t := range g.turns {
			out.Turns = append(out.Turns, t.turn(c))
		}
		return out, nil
	})
}

// MaskUse masks the names of what fills a window.
func (l *Views) MaskUse(u *ledger.Use) {
	u.Session.Title = l.Masks.String(u.Session.Title)
	for i := range u.Sources {
		u.Sources[i].Name = l.Masks.String(u.Sources[i].Name)
	}
}

// growth replays the log of a session turn by turn. It is one goroutine's at a time.
type growth struct {
	rewritten uint64      // how often entries had been rewritten
	log       core.Folded // as far as it was replayed
	planner   window.Planner
	uncut     window.Planner // makes the view as if nothing had been cut
	sizes     map[string]int // of summaries, by id
	turns     []grown        // the newest, oldest first
	earlier   int
}

// grown is one turn.
type grown struct {
	number              int
	seq, prompt         int64 // its first entry, and its request; 0: none
	time                time.Time
	request             string
	asked               bool // request is what it is
	measured            measured
	filled, added       window.Fill
	compacted, restored string
}

// turn returns a turn in the tokens of a model.
func (t *grown) turn(c tokens.Counter) ledger.Turn {
	return ledger.Turn{
		Turn: t.number, Seq: t.seq, Time: t.time, Request: t.request, Used: c.Of(t.filled.Total()), Measured: t.measured.tokens,
		Filled: parts(c, t.filled), Added: parts(c, t.added), Compacted: t.compacted, Restored: t.restored,
	}
}

// parts tells what fills a view.
func parts(c tokens.Counter, filled window.Fill) []ledger.Part {
	out := []ledger.Part{}
	for _, x := range categories(c, filled) {
		out = append(out, ledger.Part{Name: x.Name, Tokens: x.Tokens.N})
	}
	return out
}

// grown returns the turns of a session up to the end of its log. Where ctx ends first, what was replayed stays kept.
func (l *Views) grown(ctx context.Context, tx kv.Tx, f *core.Folded, kept *keptGrowth) (*growth, error) {
	rewritten, err := sessions.Rewritten(tx, f.Session.ID)
	if err != nil {
		return nil, err
	}
	g := kept.from(rewritten, len(f.Entries))
	size := func(r *compaction.Record) (int, error) {
		text, err := l.SummaryText(ctx, *r)
		return core.SummaryTokens(text), err
	}
	if err := g.follow(ctx, f, size); err != nil {
		if ctx.Err() == nil {
			kept.growth = nil
		}
		return nil, err
	}
	for i := range g.turns {
		if t := &g.turns[i]; !t.asked && t.prompt > 0 {
			if t.request, err = l.requestLine(ctx, tx, f.Session.ID, t.prompt); err != nil {
				return nil, err
			}
			t.asked = true
		}
	}
	return g, nil
}

// requestLine returns the first line of a user's request, masked; "" where it was forgotten.
func (l *Views) requestLine(ctx context.Context, tx kv.Tx, session string, seq int64) (string, error) {
	m, err := l.DecodeEntry(ctx, tx, session, seq)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	return l.MaskedTitle(chars.Head(transcript.PlainText(m), maxRequestChars)), err
}

// follow replays what the log of a session has and was not replayed yet. size returns that of a summary.
func (g *growth) follow(ctx context.Context, f *core.Folded, size func(*compaction.Record) (int, error)) error {
	g.log.Policy = f.Policy
	for i := len(g.log.Entries); i < len(f.Entries); i++ {
		e := &f.Entries[i]
		if len(g.turns) == 0 || e.Turn > g.now().number {
			if err := ctx.Err(); err != nil {
				return fault.Wrap(fault.Unavailable, "engine.growth", err)
			}
			if err := g.begin(e, f.Session.Turns, size); err != nil {
				return err
			}
		}
		g.log.Entries = f.Entries[: i+1 : i+1]
		if err := g.log.Take(e); err != nil {
			return err
		}
		if err := g.now().note(e); err != nil {
			return err
		}
	}
	if len(g.turns) == 0 {
		return nil
	}
	return g.measure(size)
}

// now returns the newest turn.
func (g *growth) now() *grown { return &g.turns[len(g.turns)-1] }

// filled returns what fills the view now.
func (g *growth) filled() window.Fill {
	if len(g.turns) == 0 {
		return window.Fill{}
	}
	return g.now().filled
}

// begin begins a turn with an entry. Of the turns before it, those are measured that are among the newest of
// all; what came before the first request belongs to the first turn.
func (g *growth) begin(e *sessions.Entry, all int, size func(*compaction.Record) (int, error)) error {
	if len(g.turns) == 1 && g.now().number == 0 {
		g.now().number = e.Turn
		return nil
	}
	if len(g.turns) > 0 && g.now().number > all-maxTurns {
		if err := g.measure(size); err != nil {
			return err
		}
	}
	g.turns = append(g.turns, grown{number: e.Turn, seq: e.Seq, time: e.Time})
	if n := len(g.turns) - maxTurns; n > 0 {
		g.turns = slices.Delete(g.turns, 0, n)
		g.earlier += n
	}
	return nil
}

// note takes an entry of a turn into account.
func (t *grown) note(e *sessions.Entry) error {
	switch e.Kind {
	case sessions.KindMessage:
		if e.Prompt && t.prompt == 0 {
			t.prompt, t.time = e.Seq, e.Time
		}
		t.measured.take(e)
	case sessions.KindCompaction, sessions.KindRestore:
		var record core.Restored // both name the summary the same way
		if err := json.Unmarshal(e.Data, &record); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.growth", err)
		}
		switch {
		case e.Kind == sessions.KindCompaction:
			t.compacted = record.ID
		case t.compacted == record.ID:
			t.compacted = ""
		default:
			t.restored = record.ID
		}
	}
	return nil
}

// measure measures the newest turn, which ends where the log was replayed to.
func (g *growth) measure(size func(*compaction.Record) (int, error)) error {
	t := g.now()
	g.log.View = g.planner.Plan(g.log.Input())
	t.filled = g.log.View.Fill
	if cur := g.log.Current(); cur != nil {
		if _, known := g.sizes[cur.ID]; !known {
			n, err := size(cur)
			if err != nil {
				return err
			}
			g.sizes[cur.ID] = n
		}
		t.filled = t.filled.With(window.Summary, g.sizes[cur.ID])
	}
	t.added = window.Plan(window.Input{Entries: g.log.Entries[t.seq-1:]}).Fill
	return nil
}

// whole returns the view of a log as if nothing had been cut, edited or left out.
func (g *growth) whole(f *core.Folded) window.View {
	if untouched(f) {
		return f.View
	}
	return g.uncut.Plan(window.Input{Entries: f.Entries})
}
