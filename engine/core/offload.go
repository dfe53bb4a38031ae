package core

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strings"

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

const BucketStubs kv.Bucket = "stubs" // session NUL entry call id → the text that stands for the result

// ownTools are our retrieval calls. Their results are never offloaded: a stub that is read back
// through another stub would never end.
var ownTools = []string{"read_artifact", "compact_conversation", "context_status"}

// offload makes an artifact of a result and stores the stub that stands in its place from now on.
func (rec *recorder) offload(r *result) error {
	c, _, err := sessions.CallOf(rec.tx, rec.session.ID, r.CallID)
	if err != nil {
		return err
	}
	seq := rec.session.Seq + 1 // the entry is about to be appended
	a := artifacts.Artifact{
		Hash: r.blob.Hash, Bytes: r.blob.Size, Lines: r.blob.Lines, Chars: int64(r.Chars), Tokens: r.Tokens,
		Created: rec.at, Refs: []artifacts.Ref{{Session: rec.session.ID, Seq: seq, CallID: r.CallID}},
	}
	command := false
	if c != nil {
		if slices.ContainsFunc(ownTools, func(own string) bool { return strings.HasSuffix(c.Name, own) }) {
			return nil
		}
		a.Tool, a.Hint, command = c.Name, Hint(*c), c.Op == intents.OpShell
	}
	if !r.offloads(command) {
		return nil
	}
	if a, _, err = artifacts.Put(rec.tx, a); err != nil {
		return err
	}
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

// stubFor returns the text that stands for a result: of a command's output what a terminal shows of it,
// whole where that is small enough, without secrets in both cases: the artifact has them.
func (r *result) stubFor(a artifacts.Artifact, command bool, masks *redact.Redactor) (stub string, ok bool) {
	if command && r.screen != nil {
		return artifacts.ScreenStub(a, r.text, masks.String(r.screen.text), r.screen.chars <= limits.OffloadChars)
	}
	return artifacts.Stub(a, r.shown, r.Failed || command)
}

// Hint returns the telling argument of a call, as in "path=src/a.go".
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

// alias makes a message known in the wording in which views show it, with stubs in the place of
// results: a host that took a view over hands it back like that.
func (rec *recorder) alias(chain string, e sessions.Entry, p *prepared, results []result) error {
	stubs := map[string]string{}
	for _, r := range results {
		if r.stub != "" && stubs[r.CallID] == "" {
			stubs[r.CallID] = r.stub
		}
	}
	if len(stubs) == 0 {
		return nil
	}
	raw := p.original
	if !e.Message.Empty() {
		raw = raw[e.Message.From:e.Message.To]
	}
	shown, err := transcript.Edit(e.Format, raw, transcript.Edits{Results: stubs, IDs: e.CallIDs()})
	if err != nil {
		return err
	}
	return sessions.Alias(rec.tx, rec.session.ID, e, sessions.MessageID(chain, sessions.Digest(shown)))
}

// Stub returns the text that stands for a result of an entry in every view.
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
