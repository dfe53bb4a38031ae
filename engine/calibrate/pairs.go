package calibrate

import (
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// pairs reads the log of a session in order and finds measurements in it: between two consecutive requests of the main
// conversation the input grew by the answer, whose size the provider reported, and by what was added since, whose
// features are known.
type pairs struct {
	requests int64 // of the main conversation so far
	last     request
	added    tokens.Features // to the conversation since the last request, its answer aside
	spoiled  bool            // something came in between that has no known features
}

// request is one answer of a model as the log has it.
type request struct {
	group, model string
	usage        sessions.Usage
	finished     bool // usage is that of the whole answer
}

// input is the size of what the model was given.
func (r request) input() int64 { return r.usage.Input + r.usage.CacheRead + r.usage.CacheWrite }

// add takes the next entry of the log. It reports what a request that begins with it shows.
func (p *pairs) add(e sessions.Entry) (o ledger.Measurement, ok bool) {
	switch {
	case e.Author != "":
		return o, false // a subagent has a conversation of its own
	case e.Kind == sessions.KindNote:
		// Something was said to the model that has no features, or something was taken out.
		p.spoiled = p.spoiled || e.Hidden && e.Author == "" || len(e.Cleared) > 0
		return o, false
	case e.Kind != sessions.KindMessage:
		p.spoiled = true // the conversation was changed
		return o, false
	case e.Role == transcript.RoleAssistant:
		return p.answer(e)
	}
	if e.Features == (tokens.Features{}) || e.Loaded || e.Note != "" {
		p.spoiled = true // images, an entry from before features were kept, or words that the host may put otherwise
	}
	p.added = p.added.Plus(e.Features)
	return o, false
}

// answer takes an entry of an answer, which may be one of several.
func (p *pairs) answer(e sessions.Entry) (o ledger.Measurement, ok bool) {
	same := e.Group != "" && e.Group == p.last.group
	if !same {
		if e.Usage == nil {
			p.spoiled = true // the host's own words: whether they are sent is not known
			return o, false
		}
		next := request{group: e.Group, model: e.Model, usage: *e.Usage}
		p.requests++
		o, ok = p.measure(next)
		ok = ok && !e.Copied // it is learnt from where it was made
		p.last, p.added, p.spoiled = next, tokens.Features{}, false
	} else if e.Usage != nil {
		p.last.usage = p.last.usage.Add(*e.Usage)
	}
	p.last.finished = p.last.finished || !e.Unfinished
	return o, ok
}

// measure compares a request with the one before it.
func (p *pairs) measure(next request) (o ledger.Measurement, ok bool) {
	was := p.last
	o = ledger.Measurement{
		Request: p.requests, Model: next.model, Features: p.added,
		Before: was.input() + was.usage.Output, After: next.input(),
	}
	cached := was.usage.CacheRead + was.usage.CacheWrite
	switch {
	case was.group == "" || p.spoiled || was.model != next.model || next.model == "":
	case next.usage.CacheRead < cached: // the prefix was changed, or its cache has expired
	case !was.finished: // the length of the answer is unknown
	case o.After <= o.Before:
	default:
		ok = true
	}
	return o, ok
}
