package upkeep

import (
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
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
	"ctxledger.dev/window/overflow"
)

// rules returns how a text is removed from every bucket that contains words: a new bucket with words needs a row here.
// at is the time of the forgetting.
func rules(at time.Time) []rewrite.Rule {
	own := []rewrite.Rule{
		{Kind: "stub", Bucket: core.BucketStubs, Out: plainText(core.BucketStubs)},
		{Kind: "command", Bucket: attribution.BucketCommands, Out: plainText(attribution.BucketCommands)},
		{Kind: "event", Bucket: core.BucketEvents, Out: scrubEvent},
		rewrite.Of("learned window", views.BucketWindows, func(known *overflow.Learned, t scrub.Text) {
			rewrite.Words(t, &known.Provider, &known.Endpoint, &known.Model) // the limit then applies to no model
		}),
		rewrite.Of("tools of a server", core.BucketServers, func(a *ledger.AskedServer, t scrub.Text) {
			for i := range a.Tools {
				rewrite.Words(t, &a.Tools[i].Name)
			}
		}),
		rewrite.Of("measured request", core.BucketRequests, func(q *ledger.ModelRequest, t scrub.Text) {
			rewrite.Words(t, q.Names()...)
		}),
		{Kind: kindAnswer, Bucket: core.BucketKeys, Out: withAnswer(at)},
	}
	return slices.Concat(sessions.Rules(), intents.Rules(), changes.Rules(), artifacts.Rules(), memory.Rules(at), own)
}

// plainText is the rule for a bucket whose values are texts.
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
		clean, err := transcript.MapStrings(e.Data, func(s string) (string, bool) {
			out := t.Out(s)
			return out, out != s
		})
		e.Data = clean
		return r.Key, fault.Wrap(fault.Corrupt, "engine.forget", err)
	})
}

// withAnswer removes a whole stored response that contains the text, since a part of it would be another response.
// That the request was carried out is kept.
func withAnswer(at time.Time) func(kv.Tx, kv.Record, scrub.Text) (bool, error) {
	return func(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
		a, err := kv.JSON[core.StoredResponse](r)
		if err != nil || t.Out(string(a.Response)) == string(a.Response) {
			return false, err
		}
		return true, forgetAnswer(tx, r.Key, a, at)
	}
}
