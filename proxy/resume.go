package proxy

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window"
)

// change is what becomes of a view.
type change struct {
	stubs map[part]string
	edits map[part]window.Edit
	cut   *cut
	whole []string // calls whose results were sent although there are stubs
	// edited and named are about results that the agent itself may have cleared: see view.
	edited map[string]string
	named  map[string]bool
	// all says that it is the whole view of the ledger, and summary which compaction that begins with; "": with none.
	all     bool
	summary string
	session string // its id in the ledger
	// seq is the entry of the log with the newest step, and sent the one that the newest request was sent with.
	seq, sent int64
	// pays says that it is worth the cache that it breaks; else it waits until that is broken, but for what was not sent yet.
	pays bool
}

func newChange() change { return change{stubs: map[part]string{}, edits: map[part]window.Edit{}} }

// add adds another change, which is the newer one.
func (c *change) add(more change) {
	maps.Copy(c.stubs, more.stubs)
	maps.Copy(c.edits, more.edits)
	c.session = cmp.Or(c.session, more.session)
	if more.all {
		c.all, c.cut, c.summary = true, more.cut, more.summary
	}
}

// empty reports whether it changes nothing.
func (c *change) empty() bool { return len(c.stubs)+len(c.edits) == 0 && !c.all }

// known reports whether it is known where its cut is. Else the cut before stays, until what is kept can be found.
func (c *change) known() bool { return c.cut != nil || c.summary == "" }

// recorded reads the view of a session, as another proxy may have sent it; nothing of one that is not recorded.
func (v *view) recorded(ctx context.Context, api Ledger) (c change, err error) {
	s, err := v.recordedAs(ctx, api)
	if fault.Is(err, fault.NotFound) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	var edits []window.Edit
	stubbed, newest := map[string]bool{}, int64(0)
	for e, err := range ledger.LogEntries(ctx, api, ledger.LogRequest{Session: s.ID}) {
		if err != nil {
			return c, err
		}
		for _, r := range e.Results {
			stubbed[r.CallID] = stubbed[r.CallID] || r.Artifact != ""
		}
		var made struct {
			Edits []window.Edit `json:"edits"`
			Agent string        `json:"agent"`
		}
		switch e.Kind {
		case sessions.KindEdits, sessions.KindCompaction, sessions.KindRestore:
			newest = e.Seq
		}
		if e.Kind == sessions.KindEdits && json.Unmarshal(e.Data, &made) == nil && made.Agent == "" {
			edits = append(edits, made.Edits...)
		}
	}
	seen, err := ledger.Messages(ctx, api, ledger.ViewRequest{Session: s.ID})
	if err != nil {
		return c, err
	}
	c = change{stubs: map[part]string{}, cut: v.cutOf(seen), all: true, summary: seen.Summary, session: s.ID,
		seq: newest, edited: map[string]string{}, named: map[string]bool{}}
	for _, m := range seen.Messages {
		if !m.Edited {
			continue
		}
		said, err := transcript.Decode(m.Format, m.JSON)
		for _, x := range said.Parts {
			switch {
			case err != nil || x.Kind != transcript.KindResult:
			case stubbed[x.ID]:
				c.stubs[part{x.ID, x.Kind}] = x.Text
			default:
				c.edited[x.ID] = x.Text
			}
		}
	}
	if c.edits, err = v.located(ctx, api, s.ID, edits); err != nil {
		return c, err
	}
	return c, c.wasSent(ctx, api, s.ID, v.agent)
}

// located returns edits by the parts of messages that they are about. Those of more than a part are left out: no step of ours
// has them unless a person asked for such a pass.
func (v *view) located(
	ctx context.Context, api Ledger, session string, edits []window.Edit,
) (map[part]window.Edit, error) {
	out := make(map[part]window.Edit, len(edits))
	for _, e := range edits {
		switch e.Part {
		case window.PartResult:
			out[part{e.Call, transcript.KindResult}] = e
		case window.PartArguments:
			out[part{e.Call, transcript.KindCall}] = e
		case window.PartWords:
			page, err := api.Log(ctx, ledger.LogRequest{Session: session, From: e.Seq, To: e.Seq, Originals: true})
			if err != nil {
				return nil, err
			}
			for _, entry := range page.Entries {
				raw, _ := entry.MessageIn(entry.Original) // none of one that is too long
				for _, x := range v.pieceOf(raw).parts {
					if x.Kind == transcript.KindText {
						out[part{x.ID, x.Kind}] = e
					}
				}
			}
		}
	}
	return out, nil
}

// wasSent adds what the newest request of a session was sent with.
func (c *change) wasSent(ctx context.Context, api Ledger, session, agent string) error {
	for q := (ledger.RequestsRequest{Session: session}); ; {
		page, err := api.Requests(ctx, q)
		if err != nil {
			return err
		}
		for _, m := range page.Requests {
			if m.Agent != agent || m.Reduced == nil {
				continue
			}
			c.whole, c.sent = m.Reduced.Whole, m.Reduced.Seq
			for _, call := range m.Reduced.Named {
				c.named[call] = true
			}
		}
		if q.From = page.Next; q.From == 0 {
			return nil
		}
	}
}
