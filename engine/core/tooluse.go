package core

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/intents"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// Bounds of what is counted and answered about calls.
const (
	usedSessions = 30  // sessions of a host, unless the request says how many
	maxUsed      = 100 // sessions of a host, with at most as many subagents each
	maxCalled    = 500 // names of a list
	maxTallies   = 1_000
	// maxResting is how many names an idle ledger keeps, about 2 MB: to count them again is to read all sessions, for
	// seconds if these are large.
	maxResting = 20_000
)

// skillFile is the name of the file that agents without a tool for skills read.
const skillFile = "SKILL.md"

// tallies caches how often sessions called what, so that only new entries are read.
type tallies struct {
	mu   sync.Mutex
	kept map[string]*tally // guarded by mu, as are their contents; by session
}

// tally is what the entries of one session call.
type tally struct {
	rewritten uint64
	upTo      int64 // the newest entry that was counted
	tools     map[string]count
	skills    map[string]count
}

type count struct {
	calls int
	last  time.Time
}

// rest drops what an idle ledger does not keep.
func (t *tallies) rest() {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := 0
	for _, one := range t.kept {
		names += len(one.tools) + len(one.skills)
	}
	if names > maxResting {
		t.kept = nil
	}
}

// ToolUse implements ledger.SessionReader.
func (l *Ledger) ToolUse(ctx context.Context, r ledger.ToolUseRequest) (ledger.ToolUse, error) {
	n := min(r.Sessions, maxUsed)
	if n <= 0 {
		n = usedSessions
	}
	l.tallies.mu.Lock()
	defer l.tallies.mu.Unlock()
	return View(ctx, l, func(tx kv.Tx) (ledger.ToolUse, error) {
		all, err := visible(tx)
		if err != nil {
			return ledger.ToolUse{}, err
		}
		hosts := map[string]*hostUse{}
		for _, g := range withSubagents(all, n) {
			h := hosts[g.main.Host]
			if h == nil {
				h = &hostUse{HostToolUse: ledger.HostToolUse{Host: g.main.Host},
					tools: map[string]ledger.Called{}, skills: map[string]ledger.Called{}}
				hosts[g.main.Host] = h
			}
			if err := l.addFamily(ctx, tx, h, g); err != nil {
				return ledger.ToolUse{}, err
			}
		}
		out := ledger.ToolUse{Hosts: []ledger.HostToolUse{}}
		asked, err := askedServers(tx)
		if err != nil {
			return ledger.ToolUse{}, err
		}
		for _, a := range asked[:min(len(asked), ledger.MaxAskedServers)] {
			out.Servers = append(out.Servers, a.AskedServer)
		}
		for _, name := range slices.Sorted(maps.Keys(hosts)) {
			h := hosts[name]
			h.Tools, h.Skills = most(h.tools), most(h.skills)
			out.Hosts = append(out.Hosts, h.HostToolUse)
		}
		return out, nil
	})
}

// hostUse is what is summed for one host.
type hostUse struct {
	ledger.HostToolUse
	tools, skills map[string]ledger.Called
}

// conversation is a session with those of its subagents.
type conversation struct {
	main sessions.Session
	all  []sessions.Session
}

// withSubagents returns the n newest sessions of each host with their subagents, newest first. all are sessions in that
// order.
func withSubagents(all []sessions.Session, n int) []*conversation {
	var out []*conversation
	of, hosts := map[string]*conversation{}, map[string]int{}
	for _, s := range all {
		if !s.Main() || s.Unused() {
			continue
		}
		if hosts[s.Host]++; hosts[s.Host] <= n {
			c := &conversation{main: s, all: []sessions.Session{s}}
			of[s.ID] = c
			out = append(out, c)
		}
	}
	for _, s := range all {
		if c := of[s.Parent]; c != nil && len(c.all) < maxUsed {
			c.all = append(c.all, s)
		}
	}
	return out
}

// addFamily adds what a conversation calls to a host.
func (l *Ledger) addFamily(ctx context.Context, tx kv.Tx, h *hostUse, c *conversation) error {
	h.Sessions++
	if h.Since.IsZero() || c.main.Created.Before(h.Since) {
		h.Since = c.main.Created
	}
	if c.main.Created.After(h.Newest) {
		h.Newest = c.main.Created
	}
	tools, skills := map[string]count{}, map[string]count{}
	for _, s := range c.all {
		t, err := l.tallyOf(ctx, tx, s)
		if err != nil {
			return err
		}
		for name, n := range t.tools {
			tools[name] = tools[name].plus(n)
		}
		for name, n := range t.skills {
			skills[name] = skills[name].plus(n)
		}
	}
	include(h.tools, tools)
	include(h.skills, skills)
	return nil
}

func (c count) plus(n count) count {
	c.calls += n.calls
	if n.last.After(c.last) {
		c.last = n.last
	}
	return c
}

// include adds what one conversation called.
func include(to map[string]ledger.Called, from map[string]count) {
	for name, n := range from {
		c := to[name]
		sum := count{c.Calls, c.Last}.plus(n)
		to[name] = ledger.Called{Name: name, Calls: sum.calls, Sessions: c.Sessions + 1, Last: sum.last}
	}
}

// most returns what was called most.
func most(of map[string]ledger.Called) []ledger.Called {
	out := slices.Collect(maps.Values(of))
	slices.SortFunc(out, func(a, b ledger.Called) int {
		return cmp.Or(cmp.Compare(b.Calls, a.Calls), cmp.Compare(a.Name, b.Name))
	})
	return OrEmpty(out[:min(len(out), maxCalled)])
}

// tallyOf counts the calls of a session that were not counted yet. The caller holds the lock of the tallies.
func (l *Ledger) tallyOf(ctx context.Context, tx kv.Tx, s sessions.Session) (*tally, error) {
	rewritten, err := sessions.Rewritten(tx, s.ID)
	if err != nil {
		return nil, err
	}
	t := l.tallies.kept[s.ID]
	if t == nil || t.rewritten != rewritten || t.upTo > s.Seq {
		t = &tally{rewritten: rewritten, tools: map[string]count{}, skills: map[string]count{}}
	}
	if t.upTo == s.Seq {
		return t, nil
	}
	now := tally{rewritten, s.Seq, maps.Clone(t.tools), maps.Clone(t.skills)} // an error leaves the old one as it is
	for e, err := range sessions.Calling(tx, s.ID, t.upTo+1) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return nil, err
		}
		if !e.Copied { // counted where it happened
			l.countCalls(&now, e)
		}
	}
	if l.tallies.kept == nil || len(l.tallies.kept) >= maxTallies {
		l.tallies.kept = map[string]*tally{}
	}
	l.tallies.kept[s.ID] = &now
	return &now, nil
}

// countCalls counts the calls of an entry.
func (l *Ledger) countCalls(t *tally, e sessions.Stored) {
	for _, c := range e.Calls {
		add(t.tools, c.Name, e.Time)
		switch {
		case intents.PlainName(c.Name) == "skill":
			add(t.skills, l.skillOf(e, c.ID), e.Time)
		case c.Op == intents.OpRead && path.Base(strings.ReplaceAll(c.Target, `\`, "/")) == skillFile:
			add(t.skills, c.Target, e.Time)
		}
	}
}

// add counts one call. Beyond the bound, names that are new are left out.
func add(to map[string]count, name string, at time.Time) {
	if _, known := to[name]; name != "" && (known || len(to) < maxCalled) {
		to[name] = to[name].plus(count{1, at})
	}
}

// skillOf returns the name of the skill that a call uses, masked; "" if the entry does not say it.
func (l *Ledger) skillOf(e sessions.Stored, call string) string {
	raw, ok := e.MessageIn(e.Original)
	if e.Forgotten != nil || !ok {
		return ""
	}
	message, err := transcript.Decode(e.Format, raw)
	if err != nil {
		return ""
	}
	transcript.Identify(&message, e.CallIDs())
	for _, p := range message.Parts {
		var args struct{ Skill, Command, Name string }
		if p.Kind == transcript.KindCall && p.ID == call && json.Unmarshal(p.Args, &args) == nil {
			return l.maskedLabel(cmp.Or(args.Skill, args.Command, args.Name))
		}
	}
	return ""
}
