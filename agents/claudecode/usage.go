package claudecode

import (
	"cmp"
	"slices"

	"ctxledger.dev/agents/sessionfile"
	"ctxledger.dev/internal/jsonspan"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// maxCalls bounds the calls of an answer that are told apart; what others of its model took is in the sums.
const maxCalls = 1000

// measured is what a usage object says, or one of the calls in its iterations. What is missing or cannot be read is 0.
type measured struct {
	sessions.Usage
	kind, model string // of a call
	speed       string
	place       []string // the tier and region in which all calls are answered
	calls       []measured
	counters    []string
}

// Measure fills in what the usage object of a message says of its answer. Its Usage is that of the last call that wrote it:
// the window holds what that call read.
func Measure(a *sessionfile.Answer, raw []byte) {
	m := measuredIn(raw)
	a.Measure(m.Usage, append(m.place, m.speed)...)
	a.Counters = m.counters
	if len(m.calls) == 0 {
		return
	}
	a.Bill = m.bill(a.Model)
	for _, c := range m.calls {
		if c.writes() && c.Usage != (sessions.Usage{}) {
			a.Usage = c.Usage
		}
	}
}

// writes reports whether a call wrote a part of the answer.
func (m measured) writes() bool {
	return m.kind == "" || m.kind == "message" || m.kind == "fallback_message"
}

// measuredIn reads a usage object.
func measuredIn(raw []byte) (m measured) {
	var short int64 // written to the cache for minutes
	m.counters = sessionfile.Reported(raw, map[string]*int64{
		"input_tokens": &m.Input, "output_tokens": &m.Output,
		"cache_read_input_tokens": &m.CacheRead, "cache_creation_input_tokens": &m.CacheWrite,
		"cache_creation.ephemeral_5m_input_tokens": &short, "cache_creation.ephemeral_1h_input_tokens": &m.CacheLong,
		"server_tool_use.web_search_requests":   &m.Searches,
		"output_tokens_details.thinking_tokens": nil, "total_tokens": nil,
		"server_tool_use.web_fetch_requests": nil, "server_tool_use.tool_search_requests": nil, // free
	}, func(path, value []byte) bool {
		switch string(path) {
		case "speed":
			m.speed = jsonspan.Text(value, maxID)
		case "service_tier", "inference_geo":
			m.place = append(m.place, jsonspan.Text(value, maxID))
		case "type":
			m.kind = jsonspan.Text(value, maxID)
		case "model":
			m.model = jsonspan.Text(value, maxID)
		case "iterations":
			w := jsonspan.New(value, jsonspan.MaxDepth)
			for v := range w.Elements {
				if len(m.calls) < maxCalls {
					m.calls = append(m.calls, measuredIn(v.In(value)))
				}
			}
		default:
			return false
		}
		return true
	})
	if m.CacheWrite == 0 {
		m.CacheWrite = short + m.CacheLong
	}
	m.CacheLong = min(m.CacheLong, m.CacheWrite)
	for _, c := range m.calls {
		for _, name := range c.counters {
			if name = "iterations." + name; !slices.Contains(m.counters, name) {
				m.counters = append(m.counters, name)
			}
		}
	}
	return m
}

// bill returns what an answer of several calls costs: those that wrote it, in their order, then others, such as an advisor's
// or a compaction's. The sums of the answer have the former, at least their output, and in no known version the latter.
// What the sums have beyond the calls is charged, too.
func (m measured) bill(model string) (own sessions.Bill) {
	var others sessions.Bill
	var sum, apart sessions.Usage
	long := m.CacheLong // that no call has been given
	for _, c := range m.calls {
		if c.writes() {
			long -= c.CacheLong
		}
	}
	whole := false // one call is all that the sums have, as where another model answered in the end
	for _, c := range m.calls {
		if c.model = cmp.Or(c.model, model); tokens.SameModel(c.model, model) {
			c.speed = cmp.Or(c.speed, m.speed)
		}
		if c.writes() && long > 0 { // some versions tell it of the sums alone
			more := min(long, c.CacheWrite-c.CacheLong)
			c.CacheLong, long = c.CacheLong+more, long-more
		}
		charge := sessions.Charge{Model: c.model, Usage: c.Usage,
			Terms: tokens.TermsOf(int64(c.Prompt()), append(slices.Clone(m.place), c.speed)...)}
		c.Searches = m.Searches
		whole = whole || c.Usage == m.Usage
		switch {
		case charge.Usage == sessions.Usage{}:
		case c.writes():
			own, sum = append(own, charge), sum.Add(charge.Usage)
		default:
			others, apart = append(others, charge), apart.Add(charge.Usage)
		}
	}
	rest := beyond(m.Usage, sum)
	switch {
	case whole:
		rest = sessions.Usage{Searches: rest.Searches}
	case beyond(apart, rest) == sessions.Usage{}: // the sums have all calls
		rest = beyond(rest, apart)
	}
	if rest != (sessions.Usage{}) {
		own = append(own, sessions.Charge{Model: model, Usage: rest,
			Terms: tokens.TermsOf(int64(rest.Prompt()), append(slices.Clone(m.place), m.speed)...)})
	}
	if own = append(own, others...); len(own) <= sessions.MaxBill {
		return own
	}
	var added sessions.Bill
	for _, c := range own {
		added.Add(c)
	}
	return added
}

// beyond returns what a usage has more than another one.
func beyond(u, v sessions.Usage) sessions.Usage {
	d := u.Minus(v)
	for _, n := range []*int64{&d.Input, &d.Output, &d.CacheRead, &d.CacheWrite, &d.CacheLong, &d.Searches} {
		*n = max(*n, 0)
	}
	d.CacheLong = min(d.CacheLong, d.CacheWrite)
	return d
}
