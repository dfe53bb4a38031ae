package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/changes"
	"ctxledger.dev/engine"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// agent is a session that is followed live: its records come in one by one.
type agent struct {
	t         *testing.T
	l         *engine.Local
	name, dir string
	parent    string // the session that it is a subagent of; "": none
	n         int64
	session   string
}

func (a *agent) append(at time.Time, format string, args ...any) {
	a.t.Helper()
	resp, err := a.l.AppendEntries(a.t.Context(), ledger.AppendEntriesRequest{
		Import: a.name, Offset: a.n, Next: a.n + 1, Done: true,
		Session: sessions.Session{Host: "h", HostID: a.name, Dir: a.dir, Parent: a.parent},
		Entries: []sessions.NewEntry{{Kind: sessions.KindMessage, Time: at, Format: transcript.Anthropic,
			Original: raw(format, args...)}},
	})
	if err != nil {
		a.t.Fatal(err)
	}
	a.n++
	a.session = resp.Session
}

func (a *agent) prompt(at time.Time) { a.append(at, `{"role":"user","content":"Work."}`) }

func (a *agent) call(at time.Time, id, tool, args string) {
	a.append(at, `{"role":"assistant","content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}`, id, tool, args)
}

func (a *agent) result(at time.Time, id string, failed bool) {
	a.append(at, `{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"is_error":%v,"content":"x"}]}`, id,
		failed)
}

// at returns a time in these tests, in seconds after their start. All of them count as recent.
func at(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }

// hash is a SHA-256 for a content of one letter.
func hash(content string) string { return strings.Repeat(content, 64)[:64] }

// is describes a look at a file: content "" means that it is not there.
func is(path, content string, modified, seen time.Time) ledger.Observation {
	o := ledger.Observation{State: changes.State{Path: path}, Seen: seen}
	if content != "" {
		o.Exists, o.Size, o.Modified, o.Hash = true, 1, modified, hash(content)
	}
	return o
}

// observe hands in what was seen, by an observer that began with the test.
func observe(t *testing.T, l *engine.Local, all ...ledger.Observation) []changes.Change {
	t.Helper()
	resp, err := l.RecordStates(t.Context(), ledger.RecordStatesRequest{Started: start, States: all})
	if err != nil {
		t.Fatal(err)
	}
	return resp.Changes
}

// told returns all changes as text, oldest first, with the names of sessions.
func told(t *testing.T, l *engine.Local, agents ...*agent) []string {
	t.Helper()
	resp, err := l.Changes(t.Context(), ledger.ChangesRequest{})
	if err != nil {
		t.Fatal(err)
	}
	name := func(session string) string {
		for _, a := range agents {
			if a.session == session {
				return a.name
			}
		}
		return "external"
	}
	out := []string{}
	for _, c := range resp.Changes {
		by := name(c.Session)
		if len(c.Candidates) > 0 {
			by = ""
			for _, x := range c.Candidates {
				by += "?" + name(x.Session)
			}
		}
		hashes := ""
		if c.HashFrom+c.HashTo != "" {
			hashes = fmt.Sprintf(" %.1s→%.1s", c.HashFrom, c.HashTo)
		}
		out = append([]string{fmt.Sprint(c.Op, " ", c.Path, " ", c.Source, " by ", by, hashes)}, out...)
	}
	return out
}

func wantTold(t *testing.T, l *engine.Local, agents []*agent, want ...string) {
	t.Helper()
	if got := told(t, l, agents...); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}
