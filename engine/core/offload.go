package core

import (
	"encoding/binary"
	"encoding/json"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/kv"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

const BucketStubs kv.Bucket = "stubs" // session NUL entry call id → stub of the result

// offload turns a result into an artifact and stores the stub that replaces it in views.
func (rec *recorder) offload(r *result) error {
	c, _, err := sessions.CallOf(rec.tx, rec.session.ID, r.CallID)
	if err != nil {
		return err
	}
	seq := rec.session.Seq + 1 // the entry is about to be appended
	a := artifacts.Artifact{
		Hash: r.blob.Hash, Bytes: r.blob.Size, Lines: r.blob.Lines, Chars: int64(r.Chars),
		Tokens: r.Tokens, Features: r.features, Created: rec.at,
		Refs: []artifacts.Ref{{Session: rec.session.ID, Seq: seq, CallID: r.CallID}},
	}
	command := false
	if c != nil {
		if intents.Retrieves(c.Name) {
			return nil // reading back a stub through another stub would not end
		}
		a.Tool, a.Hint, command = c.Name, Hint(*c), c.Op == intents.OpShell
	}
	if !r.offloads(command) {
		return nil
	}
	own := a
	if a, _, err = artifacts.Put(rec.tx, a); err != nil {
		return err
	}
	a.Tool, a.Hint = own.Tool, own.Hint // the stub names this call, whoever had the content first
	if err := rec.l.ReferenceBlob(rec.tx, a.Hash); err != nil {
		return err
	}
	stub, ok := r.stubFor(a, command, rec.l.Masks)
	if !ok {
		return nil
	}
	r.Artifact, r.StubTokens, r.stub = a.ID, tokens.O200kBase.CountString(stub), stub
	key := StubKey(rec.session.ID, seq, r.CallID)
	if old, err := rec.tx.Get(BucketStubs, key); err != nil || old != nil {
		return err // of two results of one call in one message the first is shown
	}
	return rec.tx.Put(BucketStubs, key, []byte(stub))
}

// stubFor returns the stub of a result. That of a command is its output as a terminal shows it, in full if it is small
// enough. Secrets are masked in both: the artifact has them.
func (r *result) stubFor(a artifacts.Artifact, command bool, masks *redact.Redactor) (stub string, ok bool) {
	if command && r.screen != nil {
		return artifacts.ScreenStub(a, r.text, masks.String(r.screen.text), r.screen.chars <= limits.OffloadChars)
	}
	return artifacts.Stub(a, r.shown, r.Failed || command)
}

// Hint returns the characteristic argument of a call, as in "path=src/a.go".
func Hint(c sessions.Call) string {
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

// alias makes a message known also in the form that views show, with stubs instead of results: a host that took over a
// view sends it back in that form. Sessions that are read from files need no aliases.
func (rec *recorder) alias(chain string, e sessions.Entry, p *prepared, results []result) error {
	stubs := map[string]string{}
	for _, r := range results {
		if r.stub != "" && stubs[r.CallID] == "" {
			stubs[r.CallID] = r.stub
		}
	}
	if len(stubs) == 0 || rec.session.HostID != "" {
		return nil
	}
	shown, err := transcript.Edit(e.Format, p.original, transcript.Edits{Results: stubs, IDs: e.CallIDs()})
	if err != nil {
		return err
	}
	value, err := sessions.ValueDigest(e.Format, shown)
	if err != nil {
		return err
	}
	return sessions.Alias(rec.tx, sessions.MessageID(chain, value), e.ID)
}

// Stub returns the text that replaces a result of an entry in every view.
func Stub(tx kv.Tx, session string, seq int64, callID string) (string, error) {
	raw, err := tx.Get(BucketStubs, StubKey(session, seq, callID))
	if err != nil {
		return "", err
	}
	if raw == nil {
		return "", fault.New(fault.Corrupt, "engine.stub",
			"the stub of call %.1000q in entry %d of session %s is missing", callID, seq, session)
	}
	return string(raw), nil
}

// StubKey is the key of a result in BucketStubs.
func StubKey(session string, seq int64, callID string) []byte {
	return append(binary.BigEndian.AppendUint64([]byte(session+"\x00"), uint64(seq)), sessions.ClipID(callID)...)
}
