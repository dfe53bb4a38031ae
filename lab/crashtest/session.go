package crashtest

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ctxledger.dev/changes"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// reading is a session that is read back into facts.
type reading struct {
	ctx     context.Context
	api     ledger.API
	session sessions.Session
	facts   facts
}

// observeSession reads everything that the ledger has to say of a session, and claims it. path is the
// file that its calls write.
func observeSession(ctx context.Context, api ledger.API, all *inventory, s sessions.Session, path string) (
	facts, error) {
	all.claim("session", s.ID)
	r := &reading{ctx, api, s, facts{"turns": strconv.Itoa(s.Turns)}}
	for _, read := range []func() error{
		r.log, r.events, func() error { return r.file(path) }, r.summaries, r.view,
		func() error { return r.offloaded(all) },
	} {
		if err := read(); err != nil {
			return nil, err
		}
	}
	return r.facts, nil
}

// log reads the entries with their originals.
func (r *reading) log() error {
	for q := (ledger.LogRequest{Session: r.session.ID, Originals: true}); ; {
		page, err := r.api.Log(r.ctx, q)
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			if e.Blob != "" {
				if e.Original, err = readBlob(r.ctx, r.api, ledger.ReadBlobRequest{Hash: e.Blob}); err != nil {
					return err
				}
			}
			sum := ""
			if e.Size > 0 {
				sum = digest(e.Original)
			}
			r.facts[entryName(e.Seq)] = strings.TrimSpace(fmt.Sprint(e.Kind, " ", e.ID, " ", sum))
		}
		if page.Next == 0 {
			return nil
		}
		q.From = page.Next
	}
}

// events adds up the events of the session.
func (r *reading) events() error {
	page, err := r.api.WaitEvents(r.ctx, ledger.WaitEventsRequest{Session: r.session.ID, Limit: everything})
	if err != nil {
		return err
	}
	count := map[string]int{}
	for _, e := range page.Events {
		count[e.Kind] += e.Count
	}
	r.facts["entries in events"] = strconv.Itoa(count[ledger.EventEntries])
	r.facts["changes in events"] = strconv.Itoa(count[ledger.EventChange])
	return nil
}

// file reads the intents and changes of the file that the session writes.
func (r *reading) file(path string) error {
	h, err := r.api.FileHistory(r.ctx, ledger.FileHistoryRequest{Path: path})
	if err != nil {
		return err
	}
	for _, in := range h.Intents {
		if in.Session == r.session.ID {
			r.facts["intent of "+in.CallID] = string(in.Status)
		}
	}
	list, err := r.api.Changes(r.ctx, ledger.ChangesRequest{Session: r.session.ID, Limit: everything})
	if err != nil {
		return err
	}
	for i, c := range list.Changes { // newest first
		r.facts[fmt.Sprintf("change %d", len(list.Changes)-i)] = change(c)
	}
	return nil
}

// change puts a change into words.
func change(c changes.Change) string { return fmt.Sprintf("%s %s in entry %d", c.Op, c.Path, c.Seq) }

// summaries reads the compactions.
func (r *reading) summaries() error {
	list, err := r.api.Summaries(r.ctx, ledger.SummariesRequest{Session: r.session.ID})
	if err != nil {
		return err
	}
	for i, s := range list.Summaries {
		r.facts[fmt.Sprintf("summary %d", i+1)] = fmt.Sprintf("%s to %d hash %s current %t restored %t",
			s.ID, s.To, s.TextHash[:16], s.Current, s.Restored != nil)
	}
	return nil
}

// view reads what a model would see.
func (r *reading) view() error {
	v, err := ledger.Messages(r.ctx, r.api, ledger.ViewRequest{Session: r.session.ID})
	if err != nil {
		return err
	}
	for _, m := range v.Messages {
		switch {
		case m.Seq == 0:
			if r.facts["view: summary"], err = summary(m); err != nil {
				return err
			}
		case m.Edited:
			r.facts[viewName(m.Seq)] = "edited"
		default:
			r.facts[viewName(m.Seq)] = digest(m.JSON)
		}
	}
	return nil
}

// summary returns the handle of a summary's message and what identifies its text.
func summary(m ledger.ViewMessage) (string, error) {
	said, err := transcript.Decode(m.Format, m.JSON)
	if err != nil {
		return "", err
	}
	return m.ID + " " + digest([]byte(transcript.PlainText(said))), nil
}

// offloaded reads the artifacts that replace results of the session.
func (r *reading) offloaded(all *inventory) error {
	for _, a := range all.artifacts {
		for _, ref := range a.Refs {
			if ref.Session != r.session.ID {
				continue
			}
			all.claim("artifact", a.ID)
			content, err := readBlob(r.ctx, r.api, ledger.ReadBlobRequest{Handle: a.ID})
			if err != nil {
				return err
			}
			r.facts["result of "+ref.CallID] = digest(content)
		}
	}
	return nil
}
