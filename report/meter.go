package report

import (
	"cmp"
	"hash/maphash"
	"slices"
	"time"

	"ctxledger.dev/internal/paths"
	"ctxledger.dev/tokens"
)

// Session is what one session file says about itself.
type Session struct {
	ID      string // the host's; the session that a subagent's file belongs to
	Agent   string // the program
	Title   string
	Project string // directory that it was started in
	// Subagent says that the whole file is a subagent's.
	Subagent bool
	// Compacts says that the session has been compacted, so that names are wanted: no other session loses any.
	Compacts bool
}

// Meter measures one session file, entry after entry.
type Meter struct {
	models  *tokens.Registry
	seed    maphash.Seed
	out     *Measured // apart: it outlives the meter
	rates   map[terms]rates
	threads map[string]*thread
	order   []*thread       // in which they appeared
	open    []*answer       // whose parts may still come, in the order in which they began
	counted map[string]bool // requests, also those whose parts have all come
}

// maxOpen bounds the answers of a file that are under way at once. Readers of files tell apart fewer.
const maxOpen = 64

// Measured is what a meter found, for Merge.
type Measured struct {
	Session
	First, Last time.Time
	Total       Spent
	Subagents   Spent
	Slots       Slots
	Classes     [classes]Carried
	Tools       map[string]*Tool
	Files       map[string]*File
	Kept, Same  Carried // results that were kept for long, and those of reads that had them before
	Losses      []*Loss
	Gaps        map[string]int // requests, by Gap.Name
	Copied      int            // requests that another file counts
	Unfinished  Unfinished
}

// NewMeter returns a meter with these prices.
func NewMeter(models *tokens.Registry, s Session) *Meter {
	return &Meter{
		models: models, seed: maphash.MakeSeed(),
		out: &Measured{
			Session: s, Slots: Slots{}, Tools: map[string]*Tool{}, Files: map[string]*File{}, Gaps: map[string]int{},
		},
		rates: map[terms]rates{}, threads: map[string]*thread{}, counted: map[string]bool{},
	}
}

// Add takes the next entry.
func (m *Meter) Add(e Entry) {
	if !e.Time.IsZero() {
		if m.out.First.IsZero() || e.Time.Before(m.out.First) {
			m.out.First = e.Time
		}
		if e.Time.After(m.out.Last) {
			m.out.Last = e.Time
		}
	}
	t := m.threads[e.Thread]
	if t == nil {
		t = &thread{meter: m, sub: e.Thread != "" || m.out.Subagent, reads: map[string]*read{},
			calls: map[string]*call{}}
		t.memory.on = m.out.Compacts && e.Thread == ""
		m.threads[e.Thread] = t
		m.order = append(m.order, t)
	}
	t.add(e)
}

// End closes what is open. The meter takes no more entries.
func (m *Meter) End() *Measured {
	for _, t := range m.order {
		t.end()
	}
	for _, a := range m.open {
		m.close(a)
	}
	return m.out
}

// Own returns the session, and what its own conversation cost without subagents. Nothing is returned for a
// subagent's file, and for one that repeats requests of another file: they would be played twice.
func (m *Measured) Own() (Session, Spent) {
	if m.Subagent || m.Copied > 0 {
		return Session{}, Spent{}
	}
	return m.Session, m.Total.minus(m.Subagents)
}

// underWay returns the answer of a thread with an id, nil for none.
func (m *Meter) underWay(t *thread, id string) *answer {
	for _, a := range slices.Backward(m.open) {
		if id != "" && a.ID == id && a.thread == t {
			return a
		}
	}
	return nil
}

// begin takes an answer.
func (m *Meter) begin(a *answer) {
	if len(m.open) == maxOpen {
		m.close(m.open[0])
		m.open = slices.Delete(m.open, 0, 1)
	}
	m.open = append(m.open, a)
	switch {
	case a.Copied:
		m.out.Copied++
	case !a.copied:
		if a.ID != "" {
			m.counted[a.ID] = true
		}
		a.thread.memory.asked(a.Usage.In())
	}
}

// close counts an answer, all of whose parts have come: what the last of them reports.
func (m *Meter) close(a *answer) {
	if a.thread.open == a {
		a.thread.settle()
	}
	if a.copied {
		return
	}
	m.book(a)
	m.gap(a.Request)
	price := a.thread.price(a.Request)
	if rest := a.unsaid(price.scale); rest < 0 && !a.Final {
		m.out.Unfinished = m.out.Unfinished.plus(Unfinished{Requests: 1, Tokens: -rest, Dollars: -rest * price.Output})
	}
}

// unnamed stands for the name of a model that is not recorded, as in the costs of sessions.
const unnamed = "(unnamed)"

// book counts what an answer costs. It is one request, whatever calls of models it took. Parts may have come after its
// window was charged, and that window may be gone: what they report more is of what no entry shows.
func (m *Meter) book(a *answer) {
	calls := make([]Row, 0, len(a.Bill))
	for i, c := range a.Bill {
		cost := m.price(c.Model, c.Terms).Cost(c.Usage)
		add := Spent{Usage: c.Usage, Dollars: cost.Dollars, Fees: cost.Fees, Unpriced: cost.Unpriced}
		if i == 0 {
			add.Requests = 1
		}
		m.out.Total = m.out.Total.plus(add)
		if a.thread.sub {
			m.out.Subagents = m.out.Subagents.plus(add)
		}
		calls = append(calls, Row{cmp.Or(c.Model, unnamed), add})
	}
	m.out.Slots.add(a.at, calls)
	if beyond := &m.out.Classes[a.thread.beyond]; !slices.Equal(a.Bill, a.shared) {
		*beyond = beyond.plus(m.read(a.Bill, 1)).plus(m.read(a.shared, -1))
	}
}

// read returns what calls read, so many times.
func (m *Meter) read(calls []Charge, times float64) (sum Carried) {
	for _, c := range calls {
		c.Usage.Output, c.Usage.Searches = 0, 0
		sum.Sent += times * float64(c.Usage.In())
		sum.Dollars += times * m.price(c.Model, c.Terms).Cost(c.Usage).Dollars
	}
	return sum
}

// maxGaps bounds the names of gaps in one file.
const maxGaps = 100

// gap notes what of an answer has no price.
func (m *Meter) gap(r Request) {
	names := map[string]bool{}
	for _, name := range r.Counters {
		names[name] = true
	}
	for _, c := range r.Bill {
		price := m.price(c.Model, c.Terms)
		for _, name := range price.Gaps {
			names[name] = true
		}
		if c.Usage.Searches > 0 && price.Search == 0 {
			names["web searches"] = true
		}
	}
	for name := range names {
		if _, known := m.out.Gaps[name]; known || len(m.out.Gaps) < maxGaps {
			m.out.Gaps[name]++
		}
	}
}

// count adds to what is counted under a name.
func count(in map[string]*Spent, name string, add Spent) {
	s := in[name]
	if s == nil {
		s = &Spent{}
		in[name] = s
	}
	*s = s.plus(add)
}

// terms are a model with those of a request.
type terms struct {
	model string
	tokens.Terms
}

// rates are the prices of a model.
type rates struct {
	tokens.Rates
	scale float64 // of the model's tokens, how many an estimated token represents
}

func (m *Meter) price(model string, t tokens.Terms) rates {
	key := terms{model, t}
	r, ok := m.rates[key]
	if !ok {
		const sample = 10_000
		r = rates{m.models.Rates(model, t), float64(m.models.For(model).Of(sample).N) / sample}
		m.rates[key] = r
	}
	return r
}

func (m *Meter) tool(name string) *Tool {
	t := m.out.Tools[name]
	if t == nil {
		t = &Tool{Name: name}
		m.out.Tools[name] = t
	}
	return t
}

func (m *Meter) file(path string) *File {
	key := m.key(path)
	f := m.out.Files[key]
	if f == nil {
		f = &File{Path: path}
		m.out.Files[key] = f
	}
	return f
}

// key is what a file is known by, whether its path is absolute or one of the project.
func (m *Meter) key(path string) string { return paths.Key(paths.Abs(m.out.Project, path)) }

func (m *Meter) hash(s string) uint64 { return maphash.String(m.seed, s) }
