package core

import (
	"context"
	"strings"
	"unicode/utf8"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
)

// TakeResult implements ledger.Hooks. It decides as the recording of a result does, and writes the same stubs.
func (l *Ledger) TakeResult(ctx context.Context, r ledger.TakeResultRequest) (ledger.TakenResult, error) {
	text := r.Text
	r.Text = nil
	m := l.NewMutation("take result", r.Key, r, sessions.Digest(text))
	m = m.Check(checkCall(m.Op, r.LiveSession, r.CallID), CheckTexts(m.Op, Label("earlier call", r.Earlier)))
	if taken, done, err := PreviousResponse[ledger.TakenResult](ctx, l, m); done || err != nil {
		return taken, err
	}
	if r.Blob != "" {
		var err error
		if text, err = l.readBlob(ctx, r.Blob, limits.Line); err != nil {
			return ledger.TakenResult{}, err
		}
	}
	c := l.calledWith(r.CallID, r.Tool, r.Args)
	if intents.Retrieves(c.Name) || artifacts.IsStub(string(text)) {
		return ledger.TakenResult{}, nil
	}
	res := &result{text: string(text), screen: screenOf(string(text))}
	res.CallID, res.Chars = r.CallID, utf8.RuneCount(text)
	command := c.Op == intents.OpShell
	if r.Earlier == "" && (r.Paged || !res.replacedBy(r.Limits, command)) {
		return ledger.TakenResult{}, nil
	}
	res.filed = filed(r.Tool, int64(res.Chars)) && !res.replacedBy(r.Limits, command)
	if err := l.storeTaken(ctx, res); err != nil {
		return ledger.TakenResult{}, err
	}
	defer l.HoldBlobs()()
	return hooked(ctx, l, m, r.LiveSession,
		func(tx kv.Tx, s *sessions.Session) (ledger.TakenResult, []ledger.Event, error) {
			return l.take(tx, s, m, c, res, r)
		})
}

// replacedBy reports whether a stub replaces a result; command says whether it is one of a command.
func (r *result) replacedBy(l ledger.ResultLimits, command bool) bool {
	if command && l.Terminal > 0 && r.screen != nil && r.Chars-r.screen.chars >= l.Terminal {
		return true
	}
	return l.Above > 0 && r.Chars > l.Above
}

// storeTaken stores the text of a result, and counts and masks it.
func (l *Ledger) storeTaken(ctx context.Context, res *result) error {
	ref, err := l.PutBlob(ctx, strings.NewReader(res.text))
	if err != nil {
		return err
	}
	res.blob = &ref
	res.features = tokens.FeaturesOf(res.text)
	res.Tokens = res.features[tokens.FeatureTokens]
	res.shown = l.Masks.String(res.text)
	return nil
}

// take makes a result an artifact and returns its stub.
func (l *Ledger) take(tx kv.Tx, s *sessions.Session, m Mutation, c attribution.Call, res *result,
	r ledger.TakeResultRequest) (
	ledger.TakenResult, []ledger.Event, error) {
	none := ledger.TakenResult{}
	x := attribution.NewEffects(l.Trees, tx, s, m.At)
	named := c.Call
	if intents.OfFile(c.Op) {
		named.Target = x.Target(c.Meaning)
	} else {
		named.Target = CutLabel(c.Shown.Meaning.What())
	}
	a, _, err := artifacts.Put(tx, artifacts.Artifact{
		Hash: res.blob.Hash, Bytes: res.blob.Size, Lines: res.blob.Lines, Chars: int64(res.Chars),
		Tokens: res.Tokens, Features: res.features, Created: m.At,
		Tool: c.Name, Hint: Hint(named), Refs: []artifacts.Ref{{Session: s.ID, CallID: c.ID}},
	})
	if err != nil {
		return none, nil, err
	}
	if err := l.ReferenceBlob(tx, a.Hash); err != nil {
		return none, nil, err
	}
	a.Tool, a.Hint = c.Name, Hint(named)
	stub, ok := res.stubFor(a, c.Op == intents.OpShell, l.Masks)
	if r.Earlier != "" {
		stub, ok = artifacts.RepeatStub(a, res.shown, r.Earlier, r.Lines, res.filed)
	}
	if !ok {
		return none, nil, nil
	}
	event := ledger.Event{Kind: ledger.EventArtifact, ID: a.ID, Session: s.ID, Detail: a.Title}
	return ledger.TakenResult{Stub: stub, Handle: a.ID, Repeated: r.Earlier != ""}, []ledger.Event{event}, nil
}
