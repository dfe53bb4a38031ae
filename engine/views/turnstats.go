package views

import (
	"cmp"
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

// Bounds of turn statistics.
const (
	maxTurns        = 500   // turns of a session that are listed
	maxRequestChars = 4_000 // characters of a request that are searched for secrets: its first line is cut at 120
)

// TurnStats implements ledger.Views.
func (l *Views) TurnStats(ctx context.Context, r ledger.TurnStatsRequest) (ledger.TurnStats, error) {
	if err := core.CheckTexts("engine.turnstats", core.Label("session", r.Session),
		core.Label("model", r.Model)); err != nil {
		return ledger.TurnStats{}, err
	}
	kept, err := l.turnStats.take(ctx, r.Session) // before the transaction, so that its view is the newest
	if err != nil {
		return ledger.TurnStats{}, err
	}
	defer kept.release()
	return core.View(ctx, l.core, func(tx kv.Tx) (ledger.TurnStats, error) {
		f, err := l.core.Fold(tx, r.Session)
		if err != nil {
			return ledger.TurnStats{}, err
		}
		replay, err := l.replayTurns(ctx, tx, f, kept)
		if err != nil {
			return ledger.TurnStats{}, err
		}
		w, err := l.windowOf(tx, f, r.Model)
		if err != nil {
			return ledger.TurnStats{}, err
		}
		g := gaugeOf(f, r.Model, replay.whole(f))
		if _, err := l.sends(tx, f, g, &w); err != nil {
			return ledger.TurnStats{}, err
		}
		out := ledger.TurnStats{
			Use:   use(f, g, w, replay.filled(), l.core.Now()),
			Turns: make([]ledger.Turn, 0, len(replay.turns)), Earlier: replay.earlier,
		}
		apart, err := startedBy(tx, f.Session.ID)
		if err != nil {
			return out, err
		}
		spend(f, apart, &out.Use)
		l.maskUse(&out.Use)
		before := g.begun()
		for i, t := range replay.turns {
			w := t.window(g, f)
			turn := t.turn(w, f)
			if i == len(replay.turns)-1 { // now
				w = turnWindow{content: w.content, carries: g.carries, held: out.Held, measure: g.agents}
				turn.Held, turn.Own = out.Held, partsOf(out.Own)
				turn.Used, turn.Filled = out.Used, partsOf(out.Categories)
			}
			if i > 0 || replay.earlier == 0 {
				turn.Changed = w.since(before)
			}
			out.Turns, before = append(out.Turns, turn), w
		}
		spendTurns(f, apart, replay, out.Turns)
		return out, nil
	})
}

// maskUse masks the names of what fills a window, and of what has no price.
func (l *Views) maskUse(u *ledger.Use) {
	u.Session.Title = l.core.Masks.String(u.Session.Title)
	for _, sources := range [][]ledger.Source{u.Sources, u.OwnSources} {
		for i := range sources {
			sources[i].Name = l.core.Masks.String(sources[i].Name)
		}
	}
	l.maskCost(u.Cost)
}

// maskCost masks the names of what has no price.
func (l *Views) maskCost(c sessions.Cost) {
	if c.Unpriced == nil {
		return
	}
	for i, model := range c.Unpriced.Models {
		c.Unpriced.Models[i] = l.core.Masks.String(model)
	}
}

// turnReplay replays the log of a session turn by turn. It is not safe for concurrent use.
type turnReplay struct {
	rewritten uint64      // how often entries had been rewritten
	log       core.Folded // as far as it was replayed
	planner   window.Planner
	uncut     window.Planner // makes the view as if nothing had been cut
	clears    bool           // the host has cleared results
	shows     *window.Growth
	sizes     map[string]int // of summaries, by id
	turns     []turnStat     // the newest, oldest first
	earlier   int
}

// turnStat is one turn.
type turnStat struct {
	number              int
	seq, prompt         int64 // its first entry, and its request; 0: none
	time                time.Time
	request             string
	asked               bool     // request was read
	measured            measured // of the turn
	newest              measured // of the turn, or of an earlier one where it has none
	since               int      // o200k_base tokens of the messages after that
	filled              content
	own                 content // of the agent's own window
	host                int64   // the host's summary that it begins with; 0: none
	known               bool    // some answer was measured by then
	cut                 bool    // the host compacted after the last answer
	compacted, restored string
	hostCompacted       bool
	hostHeld            int64
	bill                sessions.Bill // of its requests
	others              sessions.Bill // of bill, what subagents took
}

// turnWindow is what the agent's own window held at the end of a turn.
type turnWindow struct {
	content content
	carries []ledger.Category
	held    tokens.Count
	measure // of its parts
}

// window returns what the agent's own window held at the end of a turn: what the provider measured last, and the messages since,
// unless the host compacted after that; without any measurement the view. g and f are what is known now.
func (t *turnStat) window(g gauge, f *core.Folded) turnWindow {
	w := turnWindow{content: t.own}
	for _, x := range g.carries {
		if x.Name != ledger.CategoryAttached || t.host == f.View.HostCut {
			w.carries = append(w.carries, x)
		}
	}
	if !t.known {
		w.content = t.filled
	}
	besides := total(w.carries)
	w.held = sum(g.Counter.Of(w.content.Total()), besides)
	if t.newest.tokens() > 0 && !t.cut {
		w.held = t.newest.count(g.Counter)
		if t.since > 0 { // a turn that was interrupted, for instance
			w.held = sum(w.held, g.Counter.Of(t.since))
			w.held.Exact = false
		}
	}
	w.measure = g.agents.fit(w.content, w.held.N-besides.N)
	return w
}

// turn returns a turn in the measure of its window, of which it says what it was made of.
func (t *turnStat) turn(w turnWindow, f *core.Folded) ledger.Turn {
	room, _ := f.Models.Window(w.Model())
	view := w.ofLedger(w.content, room).ofView(t.filled)
	dollars := func(b sessions.Bill) float64 {
		if sum := b.Cost(f.Models).Dollars; sum != nil {
			return *sum
		}
		return 0
	}
	return ledger.Turn{
		Turn: t.number, Seq: t.seq, Time: t.time, Request: t.request, Used: view.View(t.filled.Total(), nil),
		Measured: t.measured.tokens(), Held: w.held,
		Own:       partsOf(account(categories(w.measure, w.content, t.filled), w.carries, w.held)),
		Filled:    partsOf(categories(view, t.filled, w.content)),
		Compacted: t.compacted, Restored: t.restored, HostCompacted: t.hostCompacted, HostHeld: t.hostHeld,
		Changed: []ledger.Part{}, Dollars: dollars(t.bill), Subagents: dollars(t.others),
	}
}

// partsOf returns categories by their size alone.
func partsOf(categories []ledger.Category) []ledger.Part {
	out := []ledger.Part{}
	for _, x := range categories {
		out = append(out, ledger.Part{Name: x.Name, Tokens: x.Tokens.N})
	}
	return out
}

// replayTurns replays a session to the end of its log. Where ctx ends first, what was replayed stays cached.
func (l *Views) replayTurns(ctx context.Context, tx kv.Tx, f *core.Folded, kept *cachedStats) (*turnReplay, error) {
	rewritten, err := sessions.Rewritten(tx, f.Session.ID)
	if err != nil {
		return nil, err
	}
	g := kept.from(rewritten, len(f.Entries))
	size := func(rec *compaction.Record) (int, error) {
		text, err := l.core.SummaryText(ctx, *rec)
		return core.SummaryTokens(text), err
	}
	if err := g.follow(ctx, f, size); err != nil {
		if ctx.Err() == nil {
			kept.replay = nil
		}
		return nil, err
	}
	for i := range g.turns {
		if t := &g.turns[i]; !t.asked && t.prompt > 0 {
			if t.request, err = l.requestLine(ctx, tx, f, t.prompt); err != nil {
				return nil, err
			}
			t.asked = true
		}
	}
	return g, nil
}

// requestLine returns the first line of a user's request, masked; "" where it was forgotten.
func (l *Views) requestLine(ctx context.Context, tx kv.Tx, f *core.Folded, seq int64) (string, error) {
	m, err := l.core.DecodeEntry(ctx, tx, f, seq)
	if fault.Is(err, fault.NotFound) {
		return "", nil
	}
	return l.core.MaskedTitle(chars.Head(transcript.PlainText(m), maxRequestChars)), err
}

// follow replays the entries of a log that were not replayed yet. size returns the size of a summary.
func (r *turnReplay) follow(ctx context.Context, f *core.Folded, size summarySize) error {
	r.log.Policy = f.Policy
	if r.shows == nil {
		r.shows = f.NewGrowth()
	}
	for i := len(r.log.Entries); i < len(f.Entries); i++ {
		e := &f.Entries[i]
		if len(r.turns) == 0 || e.Turn > r.now().number {
			if err := ctx.Err(); err != nil {
				return fault.Wrap(fault.Unavailable, "engine.turnstats", err)
			}
			if err := r.begin(e, f.Session.Turns, size); err != nil {
				return err
			}
		}
		r.log.Entries = f.Entries[: i+1 : i+1]
		r.clears = r.clears || len(e.Cleared) > 0
		if err := r.log.Take(e); err != nil {
			return err
		}
		if err := r.now().note(e, f.Session.Model); err != nil {
			return err
		}
	}
	if len(r.turns) == 0 {
		return nil
	}
	return r.measure(size)
}

// summarySize returns the o200k_base tokens of a summary.
type summarySize func(*compaction.Record) (int, error)

// now returns the newest turn.
func (r *turnReplay) now() *turnStat { return &r.turns[len(r.turns)-1] }

// filled returns what fills the view after the newest turn.
func (r *turnReplay) filled() content {
	if len(r.turns) == 0 {
		return content{}
	}
	return r.now().filled
}

// begin begins a turn with an entry. It measures the turn before if that is among the newest maxTurns; what came
// before the first request belongs to the first turn.
func (r *turnReplay) begin(e *sessions.Entry, all int, size summarySize) error {
	if len(r.turns) == 1 && r.now().number == 0 {
		r.now().number = e.Turn
		return nil
	}
	if len(r.turns) > 0 && r.now().number > all-maxTurns {
		if err := r.measure(size); err != nil {
			return err
		}
	}
	begun := turnStat{number: e.Turn, seq: e.Seq, time: e.Time}
	if len(r.turns) > 0 {
		was := r.now()
		begun.known, begun.cut, begun.newest, begun.since = was.known, was.cut, was.newest, was.since
	}
	r.turns = append(r.turns, begun)
	if n := len(r.turns) - maxTurns; n > 0 {
		r.turns = slices.Delete(r.turns, 0, n)
		r.earlier += n
	}
	return nil
}

// note takes an entry of a turn into account. model is that of charges without one.
func (t *turnStat) note(e *sessions.Entry, model string) error {
	for _, c := range e.Billed() {
		c.Model = cmp.Or(c.Model, model)
		t.bill.Add(c)
		if ofSubagent(e) {
			t.others.Add(c)
		}
	}
	if e.Cut != nil {
		t.hostHeld = e.Cut.Before
	}
	cut := e.Cut != nil || e.HostSummary()
	t.hostCompacted = t.hostCompacted || cut
	t.cut = cut || t.cut && (!e.Measured() || e.Hidden)
	t.measured.take(e)
	t.newest.take(e)
	t.newest.saw(e)
	switch more := e.Group != "" && e.Group == t.newest.group; {
	case e.Measured() && !e.Hidden:
		t.since = 0
	case e.Kind == sessions.KindMessage && !e.Hidden && !more:
		t.since += e.Tokens
	}
	t.known = t.known || t.measured.tokens() > 0
	switch e.Kind {
	case sessions.KindMessage:
		if e.Prompt && t.prompt == 0 {
			t.prompt, t.time = e.Seq, e.Time
		}
	case sessions.KindCompaction, sessions.KindRestore:
		var record core.Restored // both name the summary the same way
		if err := json.Unmarshal(e.Data, &record); err != nil {
			return fault.Wrap(fault.Corrupt, "engine.turnstats", err)
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

// measure measures the newest turn, which ends where the replay is.
func (r *turnReplay) measure(size summarySize) error {
	t := r.now()
	r.log.View = r.planner.Plan(r.log.Input())
	r.shows.Follow(r.log.Entries)
	t.filled = contentOf(r.shows, r.log.View.Slots)
	if cur := r.log.Current(); cur != nil {
		if _, known := r.sizes[cur.ID]; !known {
			n, err := size(cur)
			if err != nil {
				return err
			}
			r.sizes[cur.ID] = n
		}
		t.filled.Fill = t.filled.With(window.Summary, r.sizes[cur.ID])
	}
	whole := r.whole(&r.log)
	t.host = whole.Host
	var cleared map[string]int
	if r.clears {
		cleared = whole.Cleared(r.log.Entries)
	}
	t.own = ownContent(r.shows, r.log.Entries, whole, cleared)
	return nil
}

// whole returns the view of a log as if nothing had been cut, edited or left out.
func (r *turnReplay) whole(f *core.Folded) window.View {
	if untouched(f) {
		return f.View
	}
	return r.uncut.Plan(window.Input{Entries: f.Entries})
}
