package upkeep

import (
	"cmp"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/changes"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/intents"
	"ctxledger.dev/sessions"
)

// messageAlone forgets an entry of a session that stays, with what other records say of its calls: the labels and stubs of
// their results, and the files that they changed.
func (s *step) messageAlone(session string, seq int64) error {
	e, err := sessions.GetEntry(s, session, seq)
	if err != nil {
		return err
	}
	record, err := sessions.Get(s, session)
	if err != nil {
		return err
	}
	calls := map[string]bool{}
	parts, made := sessionParts{}, []string{}
	for _, c := range e.Calls {
		calls[c.ID] = true
		parts.names(record.Tree, c.Target, c.From, c.Prints)
		in, err := intents.OfCall(s, session, c.ID)
		if err != nil {
			return err
		}
		if in != nil {
			parts.names(record.Tree, in.Target, in.From)
			made = append(made, in.ID)
		}
	}
	if err := s.message(session, seq); err != nil || len(calls) == 0 {
		return err
	}
	if err := s.unnamed(session, calls); err != nil {
		return err
	}
	if len(made) > 0 {
		files, err := changes.ForgetSession(s, session, s.e.stone(), made...)
		if err != nil {
			return err
		}
		parts.files = append(parts.files, files...)
	}
	return s.files(parts.files, "")
}

// unnamed removes the words of some calls from the stubs and the artifacts of their results.
func (s *step) unnamed(session string, calls map[string]bool) error {
	held := map[string]string{} // artifact → call
	for a, err := range artifacts.All(s) {
		if err != nil {
			return err
		}
		for _, r := range a.Refs {
			if r.Session == session && calls[r.CallID] {
				held[a.ID] = r.CallID
			}
		}
	}
	stubs := map[string]string{}
	for e, err := range sessions.Scan(s, session, 0, 0) {
		if err != nil {
			return err
		}
		for _, r := range e.Results {
			if !calls[r.CallID] || r.Artifact == "" || e.Forgotten != nil {
				continue
			}
			held[r.Artifact] = r.CallID // it may remember only later ones
			stub, err := core.Stub(s, session, e.Seq, r.CallID)
			if err != nil {
				return err
			}
			stubs[string(core.StubKey(session, e.Seq, r.CallID))] = artifacts.Unnamed(stub)
		}
	}
	var err error
	for key, stub := range stubs {
		err = cmp.Or(err, s.Put(core.BucketStubs, []byte(key), []byte(stub)))
	}
	for id, call := range held {
		err = cmp.Or(err, artifacts.LeaveCall(s, id, session, call))
	}
	return err
}
