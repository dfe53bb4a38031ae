package crashtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// recorder imports a session in batches, as readers of session files do.
type recorder struct {
	name    string
	began   time.Time
	count   int
	state   ledger.ImportState
	session conversation
	results map[string]string // call id → digest of its long result
}

// host is what recorders call their agent.
const host = "recorder"

func newRecorder(name string, began time.Time) *recorder {
	return &recorder{
		name: name, began: began, state: ledger.ImportState{Import: "import of " + name},
		session: conversation{path: name + ".txt", restored: map[string]bool{}}, results: map[string]string{},
	}
}

func (c *recorder) next(r *rand.Rand) *operation {
	c.count++
	lines, output := c.lines(r)
	q := ledger.AppendEntriesRequest{
		Mutation: ledger.Mutation{Key: fmt.Sprintf("%s-%d", c.name, c.count)},
		Import:   c.state.Import, Session: sessions.Session{Host: host, HostID: c.name, Title: c.name},
		Offset: c.state.Offset, Next: c.state.Offset, Line: c.state.Line + int64(len(lines)), Done: true,
	}
	for i, l := range lines {
		q.Next += int64(len(l.original)) + 1
		e := sessions.NewEntry{
			Kind: sessions.KindMessage, Format: transcript.Anthropic, Original: l.original,
			Time: c.began.Add(time.Duration(c.count*100+i) * time.Second),
		}
		if l.note {
			e.Kind, e.Format, e.Note = sessions.KindNote, "", "a note"
		}
		q.Entries = append(q.Entries, e)
	}
	q.Check = sessions.Digest(lines[len(lines)-1].original)
	return mutation("append entries", func(ctx context.Context, api ledger.API) (ledger.AppendEntriesResponse, error) {
		return api.AppendEntries(ctx, q)
	}, func(a ledger.AppendEntriesResponse) {
		c.session.id = a.Session
		c.session.append(lines)
		c.state = ledger.ImportState{Import: q.Import, Session: a.Session, Offset: q.Next, Line: q.Line, Check: q.Check}
		for _, l := range lines {
			if l.stub {
				c.results[l.result] = digest([]byte(output))
			}
		}
	})
}

// lines returns what is imported next, and the output of the call that it answers, if it does.
func (c *recorder) lines(r *rand.Rand) (lines []line, output string) {
	id := fmt.Sprintf("%s-call-%d", c.name, len(c.session.calls)+1)
	if open := c.session.open(); open != "" {
		l := line{result: open, failed: r.IntN(4) == 0}
		output = fmt.Sprintf("output of operation %d\n", c.count)
		if r.IntN(5) == 0 {
			output, l.stub = strings.Repeat(output, 2000), true // over 40,000 characters: an artifact
		}
		l.original = resultMessage(open, output, l.failed)
		return []line{l, {original: textMessage(transcript.RoleAssistant, "Done. ", 1+r.IntN(20))}}, output
	}
	note := fmt.Sprintf(`{"type":"note","operation":%d,"pad":%q}`, c.count, strings.Repeat("x", r.IntN(6)*8000))
	return []line{
		{original: []byte(note), note: true}, // a long one is a blob
		{original: textMessage(transcript.RoleUser, fmt.Sprintf("Request %d. ", c.count), 1), prompt: true},
		{original: callMessage(id, c.session.path, "content"), call: id},
	}, ""
}

func (c *recorder) expect() facts {
	f := c.session.expect()
	for id, sum := range c.results {
		f["result of "+id] = sum
	}
	f["import"] = text(c.state)
	return f
}

func (c *recorder) observe(ctx context.Context, api ledger.API, all *inventory) (facts, error) {
	f := facts{}
	i := slices.IndexFunc(all.sessions, func(s sessions.Session) bool { return s.HostID == c.name })
	if i >= 0 {
		var err error
		if f, err = observeSession(ctx, api, all, all.sessions[i], c.session.path); err != nil {
			return nil, err
		}
	}
	state, err := api.ImportState(ctx, ledger.ImportStateRequest{Import: c.state.Import})
	f["import"] = text(state)
	return f, err
}
