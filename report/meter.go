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
	rates   map[string]rates
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
	losses      []*Loss
	fast        int
	copied      int // requests that another file counts
	unfinished  Unfinished
}

// NewMeter returns a meter with these prices, whose days are those of a zone.
func NewMeter(models *tokens.Registry, zone *time.Location, s Session) *Meter {
	return &Meter{
		models: models, zone: zone, seed: maphash.MakeSeed(),
		out: &measured{
			Session: s, models: map[string]*Spent{}, days: map[string]*Day{}, tools: map[string]*Tool{},
			files: map[string]*File{},
		},
		rates: map[string]rates{}, threads: map[string]*thread{}, counted: map[string]bool{},
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

// book counts what a request cost; was is what an earlier part of the same answer had reported.
func (m *Meter) book(r *Request, was *Request, at time.Time, sub bool) {
	add := Spent{Requests: 1, Usage: r.Usage}
	price := m.price(r.Model)
	add.Dollars = price.of(r.Usage)
	if was != nil {
		add.Requests = 0
		add.Usage = r.Usage.minus(was.Usage)
		add.Dollars -= price.of(was.Usage)
	}
	if !price.known {
		add.Dollars, add.Unpriced = 0, add.Usage.In()+add.Usage.Output
	}
	m.out.total = m.out.total.plus(add)
	if sub {
		m.out.subagents = m.out.subagents.plus(add)
	}
	count(m.out.models, r.Model, add)
	day := ""
	if !at.IsZero() {
		day = at.In(m.zone).Format(time.DateOnly)
	}
	d := m.out.days[day]
	if d == nil {
		d = &Day{Day: day, Models: map[string]float64{}}
		m.out.days[day] = d
	}
	d.add(add, map[string]float64{r.Model: add.Dollars})
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

func (m *Meter) price(model string) rates {
	r, ok := m.rates[model]
	if !ok {
		r = ratesOf(m.models, model)
		m.rates[model] = r
	}
	return r
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
