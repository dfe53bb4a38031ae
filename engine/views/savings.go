package views

import (
	"cmp"
	"slices"
	"strings"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// maxOwned is how many artifacts of a session are looked at for results whose size was not recorded.
const maxOwned = 1_000

// savingsOf adds up what hooks kept out of the requests of the main conversation. tools is what those carry of our tools that
// have them; nil: not known.
// It also returns what the session has of artifacts.
func savingsOf(
	tx kv.Tx, f *core.Folded, c tokens.Counter, tools *ledger.OwnTools,
) (ledger.Savings, ledger.Offloaded, error) {
	s := unsent{f: f, untold: -1, causes: map[string]*cause{}, reading: map[string]int{}}
	for i := range f.Entries {
		s.take(i)
	}
	out := ledger.Savings{Requests: s.requests.n, Sent: s.sent, Causes: []ledger.Saving{}, ReadBack: c.Of(s.readBack)}
	out.ReadBack.N += int(s.again)
	out.ReadBack.Upper += int(s.again)
	out.Net = -out.ReadBack.N
	for name, x := range s.causes {
		saved := signed(c, x.tokens)
		out.Causes = append(out.Causes, ledger.Saving{Cause: name, Results: x.results, Tokens: saved})
		out.Net += saved.N
	}
	if n := s.tooled(tools); n > 0 {
		all := tokens.Count{N: n * tools.Tokens, Upper: c.Of(n * tools.Tokens).Upper} // as carried.Part has it
		out.Tools, out.ToolRequests = &all, n
		out.Net -= all.N
	}
	slices.SortFunc(out.Causes, func(a, b ledger.Saving) int {
		return cmp.Or(cmp.Compare(b.Tokens.N, a.Tokens.N), cmp.Compare(a.Cause, b.Cause))
	})
	var err error
	var off ledger.Offloaded
	out.Unknown, off, err = s.unrecorded(tx)
	return out, off, err
}

// signed counts what may be negative: a stub can be larger than what the host would have passed on.
func signed(c tokens.Counter, n int) tokens.Count {
	if n >= 0 {
		return c.Of(n)
	}
	minus := c.Of(-n)
	return tokens.Count{N: -minus.N, Exact: minus.Exact, Upper: -minus.N}
}

// unsent follows the requests of a session. What is in the context is summed apart for the part of the log that the
// conversation still is, and for what it went back from.
type unsent struct {
	f        *core.Folded
	causes   map[string]*cause
	reading  map[string]int // calls that read back, with their tokens
	requests asking
	sent     int64 // tokens of their input, as measured
	untold   int   // requests before the first that is known to have had our tools; -1: none is

	extra         bool   // the newest answer was asked for only because something was read back
	results, read int    // since the newest answer
	held          [2]int // tokens of what was read back and is in the context
	readBack      int    // of it, in all requests
	again         int64  // input of the requests that only read back, as measured
}

// cause is what is replaced for one cause.
type cause struct {
	results, tokens int
	held            [2]int // what the stubs in the context save
}

// The two parts of held.
const (
	active = iota
	abandoned
)

// take takes an entry into account.
func (s *unsent) take(i int) {
	e := &s.f.Entries[i]
	part := abandoned
	if s.f.View.Active(i) {
		part = active
	}
	if e.HostSummary() { // what the host kept as it was is not known to have stubs
		s.forget(active)
		s.forget(abandoned)
		return
	}
	if e.Hidden {
		return
	}
	s.request(e, part)
	for _, call := range e.Calls {
		shell := call.Op == intents.OpShell && (strings.Contains(call.Target, "ctxledger artifact read ") ||
			strings.Contains(call.Target, "ctxledger cat ")) // as versions before called it
		if intents.Retrieves(call.Name) || shell {
			s.reading[call.ID] = call.Tokens
		}
	}
	for _, r := range e.Results {
		s.results++
		if asked, ok := s.reading[r.CallID]; ok {
			s.read++
			s.held[part] += r.Tokens + asked
		}
		if r.Whole == 0 || e.Copied { // a stub in a copied record was made by a hook of another session
			continue
		}
		if s.untold < 0 { // hooks show a stub only to who can read it back with our tools
			s.untold = max(0, s.requests.n-1)
		}
		x := s.causes[r.Cause]
		if x == nil {
			x = &cause{}
			s.causes[r.Cause] = x
		}
		x.results++
		x.held[part] += r.Whole - r.Tokens
	}
}

// request counts what a request carries and does not carry, if the entry answers one, or is a part of that.
func (s *unsent) request(e *sessions.Entry, part int) {
	before := s.requests.n
	number, ok := s.requests.of(e)
	if !ok {
		return
	}
	if s.untold < 0 && slices.ContainsFunc(e.Calls, func(c sessions.Call) bool { return intents.Own(c.Name) }) {
		s.untold = number
	}
	if s.requests.n > before {
		if part == active {
			s.forget(abandoned)
		}
		s.extra = s.read > 0 && s.read == s.results
		s.results, s.read = 0, 0
		for _, x := range s.causes {
			x.tokens += x.held[active] + x.held[abandoned]
		}
		if !s.extra { // the whole of such a request counts
			s.readBack += s.held[active] + s.held[abandoned]
		}
	}
	s.sent += int64(e.Usage.Prompt())
	if s.extra {
		s.again += int64(e.Usage.Prompt())
	}
}

// tooled returns how many requests are known to have carried our tools.
func (s *unsent) tooled(tools *ledger.OwnTools) int {
	switch {
	case tools == nil:
		return 0
	case s.f.Session.BeganWith(tools.Since):
		return s.requests.n
	case s.untold >= 0:
		return s.requests.n - s.untold
	}
	return 0
}

// forget takes what left the context out of a part.
func (s *unsent) forget(part int) {
	s.held[part] = 0
	for _, x := range s.causes {
		x.held[part] = 0
	}
}

// unrecorded returns how many results became stubs before their whole size was recorded with them, and what all artifacts of
// the session have.
func (s *unsent) unrecorded(tx kv.Tx) (n int, off ledger.Offloaded, err error) {
	owned, _, err := artifacts.List(tx, s.f.Session.ID, 0, maxOwned)
	if err != nil {
		return 0, off, err
	}
	taken := map[string]int{} // by hooks: tokens, by call
	for _, a := range owned {
		if a.Forgotten == nil {
			off.Results, off.Bytes = off.Results+1, off.Bytes+a.Bytes
		}
		for _, ref := range a.Refs {
			if ref.Session == s.f.Session.ID && ref.Seq == 0 {
				taken[ref.CallID] = a.Tokens
			}
		}
	}
	for i := range s.f.Entries {
		for _, r := range s.f.Entries[i].Results {
			if r.Whole == 0 && r.Tokens < taken[r.CallID] {
				n++
			}
		}
	}
	return n, off, nil
}
