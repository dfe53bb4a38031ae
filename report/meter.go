package report

import (
	"hash/maphash"
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
	// Compacts says that the session has been compacted, so that names are wanted.
	Compacts bool
}

// Meter measures one session file, entry after entry.
type Meter struct {
	models  *tokens.Registry
	zone    *time.Location
	seed    maphash.Seed
	out     *measured // apart: it outlives the meter
	rates   map[terms]rates
	threads map[string]*thread
	order   []*thread       // in which they appeared
	counted map[string]bool // requests
}

// measured is what a meter found.
type measured struct {
	Session
	first, last time.Time
	total       Spent
	subagents   Spent
	models      map[string]*Spent
	days        map[string]*Day
	classes     [classes]Carried
	tools       map[string]*Tool
	files       map[string]*File
	kept, same  Carried // results that were kept for long, and those of reads that had them before
	losses      []*Loss
	gaps        map[string]int // requests, by Gap.Name
	copied      int            // requests that another file counts
	unfinished  Unfinished
}

// NewMeter returns a meter with these prices, whose days are those of a zone.
func NewMeter(models *tokens.Registry, zone *time.Location, s Session) *Meter {
	return &Meter{
		models: models, zone: zone, seed: maphash.MakeSeed(),
		out: &measured{
			Session: s, models: map[string]*Spent{}, days: map[string]*Day{}, tools: map[string]*Tool{},
			files: map[string]*File{}, gaps: map[string]int{},
		},
		rates: map[terms]rates{}, threads: map[string]*thread{}, counted: map[string]bool{},
	}
}

// WantsNames reports whether the names in pieces are of use: only sessions that were compacted lose any.
func (m *Meter) WantsNames() bool { return m.out.Compacts }

// Add takes the next entry.
func (m *Meter) Add(e Entry) {
	if !e.Time.IsZero() {
		if m.out.first.IsZero() || e.Time.Before(m.out.first) {
			m.out.first = e.Time
		}
		if e.Time.After(m.out.last) {
			m.out.last = e.Time
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
func (m *Meter) End() Measured {
	for _, t := range m.order {
		t.end()
	}
	return Measured{m.out}
}

// Measured is what a meter found, for Merge.
type Measured struct{ m *measured }

// Own returns the session, and what its own conversation cost without subagents. Nothing is returned for a
// subagent's file, and for one that repeats requests of another file: they would be played twice.
func (m Measured) Own() (Session, Spent) {
	if m.m.Subagent || m.m.copied > 0 {
		return Session{}, Spent{}
	}
	return m.m.Session, m.m.total.minus(m.m.subagents)
}

// book counts a charge. Requests is 1 for the first one of a model in an answer.
func (m *Meter) book(c Charge, requests int, at time.Time, sub bool) {
	price := m.price(c.Model, c.Terms)
	add := Spent{Requests: requests, Usage: c.Usage, Fees: price.Search * float64(c.Usage.Searches)}
	if price.Known {
		add.Dollars = add.Fees + price.of(c.Usage)
	} else {
		add.Dollars, add.Unpriced = add.Fees, c.Usage.In()+c.Usage.Output
	}
	m.out.total = m.out.total.plus(add)
	if sub {
		m.out.subagents = m.out.subagents.plus(add)
	}
	count(m.out.models, c.Model, add)
	day := ""
	if !at.IsZero() {
		day = at.In(m.zone).Format(time.DateOnly)
	}
	d := m.out.days[day]
	if d == nil {
		d = &Day{Day: day, Models: map[string]float64{}}
		m.out.days[day] = d
	}
	d.add(add, map[string]float64{c.Model: add.Dollars})
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
		if _, known := m.out.gaps[name]; known || len(m.out.gaps) < maxGaps {
			m.out.gaps[name]++
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

// of returns what tokens cost, in dollars.
func (r rates) of(u Usage) float64 {
	sum, _ := r.Dollars(tokens.Used{Input: u.Input, CachedRead: u.CacheRead, CachedWrite: u.CacheWrite,
		LongWrite: u.CacheWriteLong, Output: u.Output})
	return sum
}

func (m *Meter) tool(name string) *Tool {
	t := m.out.tools[name]
	if t == nil {
		t = &Tool{Name: name}
		m.out.tools[name] = t
	}
	return t
}

func (m *Meter) file(path string) *File {
	key := m.key(path)
	f := m.out.files[key]
	if f == nil {
		f = &File{Path: path}
		m.out.files[key] = f
	}
	return f
}

// key is what a file is known by, whether its path is absolute or one of the project.
func (m *Meter) key(path string) string { return paths.Key(paths.Abs(m.out.Project, path)) }

func (m *Meter) hash(s string) uint64 { return maphash.String(m.seed, s) }
