package engine

import (
	"encoding/json"
	"strings"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/changes"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/shell"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

const bucketStubs kv.Bucket = "stubs" // session NUL call id → the text that stands for the result

// ownTools are our retrieval calls. Their results are never offloaded: a stub that is read back
// through another stub would never end (context-layers facts, section 4.5).
var ownTools = []string{"read_artifact", "compact_conversation", "context_status"}

// recorder appends prepared entries to one session inside one transaction.
type recorder struct {
	l       *Local
	tx      kv.Tx
	session *sessions.Session
	at      time.Time
	changed int // changes recorded
}

// record appends p to the session with everything that follows from it.
func (rec *recorder) record(p *prepared) (sessions.Entry, error) {
	s, e := rec.session, p.entry // a copy: the transaction may run twice
	e.ID = sessions.MessageID(s.Chain, p.digest)
	if e.Prompt {
		s.Turns++
	}
	e.Turn = s.Turns
	if e.Model != "" {
		s.Model = e.Model
	}
	if e.Usage != nil {
		s.Usage = s.Usage.Add(*e.Usage)
	}
	for _, c := range p.calls {
		c.Target = rec.target(c.meaning)
		e.Calls = append(e.Calls, c.Call)
	}
	results, err := rec.results(p)
	if err != nil {
		return e, err
	}
	e.Results = results
	e, err = sessions.Append(rec.tx, s, e, p.original)
	if err != nil {
		return e, err
	}
	if err := rec.begin(e, p.calls); err != nil {
		return e, err
	}
	return e, rec.finish(e, p)
}

// target returns what a call is about, its path as the ledger keeps paths.
func (rec *recorder) target(m intents.Meaning) string {
	switch m.Op {
	case intents.OpShell, intents.OpCommit, intents.OpGrep, intents.OpList, "":
		return m.What()
	}
	p, _ := rec.l.normal(rec.session.Dir, m.Target)
	return p
}

// results keeps what the log says about the results of p, and offloads those that are large.
func (rec *recorder) results(p *prepared) ([]sessions.Result, error) {
	var out []sessions.Result
	for _, r := range p.results {
		if r.blob != nil {
			if err := rec.offload(&r); err != nil {
				return nil, err
			}
		}
		out = append(out, r.Result)
	}
	return out, nil
}

// offload makes an artifact of a result and stores the stub that stands in its place from now on.
func (rec *recorder) offload(r *result) error {
	c, _, err := sessions.CallOf(rec.tx, rec.session.ID, r.CallID)
	if err != nil {
		return err
	}
	a := artifacts.Artifact{
		Hash: r.blob.Hash, Bytes: r.blob.Size, Lines: r.blob.Lines, Chars: int64(r.Chars), Tokens: r.Tokens,
		Created: rec.at, Refs: []artifacts.Ref{{Session: rec.session.ID, Seq: rec.session.Seq + 1, CallID: r.CallID}},
	}
	command := false
	if c != nil {
		for _, own := range ownTools {
			if strings.HasSuffix(c.Name, own) {
				return nil
			}
		}
		a.Tool, a.Hint, command = c.Name, hint(*c), c.Op == intents.OpShell
	}
	if a, _, err = artifacts.Put(rec.tx, a); err != nil {
		return err
	}
	stub, ok := artifacts.Stub(a, r.text, r.Failed || command)
	if !ok {
		return nil
	}
	r.Artifact, r.StubTokens = a.ID, tokens.O200kBase.CountString(stub)
	return rec.tx.Put(bucketStubs, stubKey(rec.session.ID, r.CallID), []byte(stub))
}

// hint returns the telling argument of a call, as in "path=src/a.go".
func hint(c sessions.Call) string {
	if c.Target == "" {
		return ""
	}
	name := "path"
	switch c.Op {
	case intents.OpShell:
		name = "command"
	case intents.OpGrep, intents.OpList:
		name = "pattern"
	}
	args, err := json.Marshal(map[string]string{name: c.Target})
	if err != nil {
		return ""
	}
	return artifacts.Hint(args)
}

// begin records the intents of an entry's calls, and its reads.
func (rec *recorder) begin(e sessions.Entry, calls []call) error {
	for i, c := range calls {
		target := e.Calls[i].Target
		if c.Op == intents.OpRead && target != "" {
			if err := sessions.IndexRead(rec.tx, target, rec.session.ID, e.Seq, c.ID); err != nil {
				return err
			}
		}
		if !c.meaning.Tracked() {
			continue
		}
		in := intents.Intent{
			Session: rec.session.ID, Seq: e.Seq, Turn: e.Turn, Agent: e.Author, CallID: c.ID, Name: c.Name,
			Op: c.Op, Command: c.meaning.Command, Begun: e.Time, Source: "transcript",
		}
		if c.meaning.Target != "" {
			in.Target = target
		}
		in.From, _ = rec.l.normal(rec.session.Dir, c.meaning.From)
		if _, err := intents.Begin(rec.tx, in, c.args); err != nil {
			return err
		}
	}
	return nil
}

// finish closes the intents whose results an entry carries, and records what they changed.
func (rec *recorder) finish(e sessions.Entry, p *prepared) error {
	for _, r := range p.results {
		known := p.entry.Format == transcript.Anthropic // is_error is part of the format
		in, err := intents.Finish(rec.tx, rec.session.ID, r.CallID, intents.Result{Text: r.text, Failed: r.Failed, Known: known}, e.Time)
		if err != nil {
			return err
		}
		if in == nil || in.Status != intents.Applied {
			continue
		}
		if err := rec.change(e, *in, p.effects); err != nil {
			return err
		}
	}
	return nil
}

// touched is a file, by its path as the ledger keeps it, and what was done to it.
type touched struct {
	path string
	op   changes.Op
}

// change records what an applied intent did to files.
func (rec *recorder) change(e sessions.Entry, in intents.Intent, effects []sessions.Effect) error {
	files, err := rec.touched(in, effects)
	if err != nil {
		return err
	}
	c := changes.Change{
		Session: rec.session.ID, Seq: e.Seq, Turn: in.Turn, Agent: in.Agent, Intent: in.ID,
		Source: changes.Transcript, Time: e.Time,
	}
	if in.Op == intents.OpShell {
		c.Source = changes.Inferred
	}
	for _, f := range files {
		if f.path == "" {
			continue
		}
		c.Path, c.Op, c.Outside = f.path, f.op, isAbs(f.path)
		if _, err := changes.Record(rec.tx, c); err != nil {
			return err
		}
		rec.changed++
	}
	return nil
}

// touched returns the files that an applied intent changed.
func (rec *recorder) touched(in intents.Intent, effects []sessions.Effect) ([]touched, error) {
	switch in.Op {
	case intents.OpShell:
		return rec.shell(in.Command), nil
	case intents.OpDelete:
		return []touched{{in.Target, changes.Deleted}}, nil
	case intents.OpMove:
		return []touched{{in.From, changes.Deleted}, {in.Target, changes.Created}}, nil
	case intents.OpCopy:
		return []touched{{in.Target, changes.Created}}, nil
	case intents.OpWrite, intents.OpPatch:
		op, err := rec.writeOp(in, effects)
		return []touched{{in.Target, op}}, err
	}
	return nil, nil
}

// shell returns the files that a shell command changed by its plain meaning.
func (rec *recorder) shell(command string) []touched {
	var files []touched
	for _, act := range shell.Acts(command) {
		p, _ := rec.l.normal(rec.session.Dir, act.Path)
		to, _ := rec.l.normal(rec.session.Dir, act.To)
		switch act.Verb {
		case shell.Write:
			files = append(files, touched{p, changes.Modified})
		case shell.Delete:
			files = append(files, touched{p, changes.Deleted})
		case shell.Move:
			files = append(files, touched{p, changes.Deleted}, touched{to, changes.Created})
		case shell.Copy:
			files = append(files, touched{to, changes.Created})
		}
	}
	return files
}

// writeOp says whether a write created its file: as the host reports, else by what the ledger
// knows of the path.
func (rec *recorder) writeOp(in intents.Intent, effects []sessions.Effect) (changes.Op, error) {
	for _, f := range effects {
		if p, _ := rec.l.normal(rec.session.Dir, f.Path); p == in.Target && f.Op != "" {
			return changes.Op(f.Op), nil
		}
	}
	if in.Op == intents.OpPatch {
		return changes.Modified, nil
	}
	last, err := changes.Newest(rec.tx, in.Target)
	if err != nil {
		return "", err
	}
	if last == nil || last.Op == changes.Deleted {
		return changes.Created, nil
	}
	return changes.Modified, nil
}

// stub returns the text that stands for a result in every view.
func stub(tx kv.Tx, session, callID string) (string, error) {
	raw, err := tx.Get(bucketStubs, stubKey(session, callID))
	if err != nil {
		return "", err
	}
	if raw == nil {
		return "", fault.New(fault.Corrupt, "engine.stub", "the stub of call %q in session %s is missing", callID, session)
	}
	return string(raw), nil
}

func stubKey(session, callID string) []byte {
	if len(callID) > maxKey {
		callID = sessions.Digest([]byte(callID))
	}
	return []byte(session + "\x00" + callID)
}
