package forgetting

import (
	"encoding/json"
	"slices"
	"time"

	"ctxledger.dev/artifacts"
	"ctxledger.dev/changes"
	"ctxledger.dev/engine/attribution"
	"ctxledger.dev/engine/core"
	"ctxledger.dev/engine/views"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/rewrite"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/overflow"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

// rules returns how every bucket of a ledger that holds words loses a text: a bucket that comes to
// hold some comes into this table too. at is when that happens.
func rules(at time.Time) []rewrite.Rule {
	own := []rewrite.Rule{
		{Kind: "stub", Bucket: core.BucketStubs, Out: plainText(core.BucketStubs)},
		{Kind: "command", Bucket: attribution.BucketCommands, Out: plainText(attribution.BucketCommands)},
		{Kind: "event", Bucket: core.BucketEvents, Out: scrubEvent},
		{Kind: "learned window", Bucket: views.BucketWindows, Out: scrubWindow},
		{Kind: "kept answer", Bucket: core.BucketKeys, Out: forgetAnswer(at)},
	}
	return slices.Concat(sessions.Rules(), intents.Rules(), changes.Rules(), artifacts.Rules(), memory.Rules(), own)
}

// plainText is the rule of a bucket whose values are texts.
func plainText(b kv.Bucket) func(kv.Tx, kv.Record, scrub.Text) (bool, error) {
	return func(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
		clean := t.Out(string(r.Value))
		if clean == string(r.Value) {
			return false, nil
		}
		return true, tx.Put(b, r.Key, []byte(clean))
	}
}

func scrubEvent(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
	return rewrite.JSON(tx, core.BucketEvents, r, func(e *ledger.Event) ([]byte, error) {
		rewrite.Words(t, &e.ID, &e.Detail)
		if e.Data == nil {
			return r.Key, nil
		}
		clean, err := transcript.MapStrings(e.Data, func(s string) (string, bool) { out := t.Out(s); return out, out != s })
		e.Data = clean
		return r.Key, fault.Wrap(fault.Corrupt, "engine.forget", err)
	})
}

// scrubWindow takes a text out of the names of who named a limit. The limit then holds for nobody.
func scrubWindow(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
	return rewrite.JSON(tx, views.BucketWindows, r, func(known *overflow.Learned) ([]byte, error) {
		rewrite.Words(t, &known.Provider, &known.Endpoint, &known.Model)
		return r.Key, nil
	})
}

// forgetAnswer removes a whole answer that holds the text: parts of it would be another answer. That
// the request was carried out stays.
func forgetAnswer(at time.Time) func(kv.Tx, kv.Record, scrub.Text) (bool, error) {
	return func(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
		return rewrite.JSON(tx, core.BucketKeys, r, func(a *core.StoredResponse) ([]byte, error) {
			if t.Out(string(a.Response)) != string(a.Response) {
				a.Response, a.Forgotten = json.RawMessage("null"), &at
			}
			return r.Key, nil
		})
	}
}
