package upkeep

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
		{Kind: "learned window", Bucket: views.BucketWindows, Out: scrubWindow},
		{Kind: "tools of a server", Bucket: core.BucketServers, Out: scrubServer},
		{Kind: "measured request", Bucket: core.BucketRequests, Out: scrubRequest},
		{Kind: kindAnswer, Bucket: core.BucketKeys, Out: forgetAnswer(at)},
	}
	return slices.Concat(sessions.Rules(), intents.Rules(), changes.Rules(), artifacts.Rules(), memory.Rules(), own)
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

// scrubWindow removes a text from the names that a learned limit is for. The limit then applies to no model.
func scrubWindow(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
	return rewrite.JSON(tx, views.BucketWindows, r, func(known *overflow.Learned) ([]byte, error) {
		rewrite.Words(t, &known.Provider, &known.Endpoint, &known.Model)
		return r.Key, nil
	})
}

// scrubServer removes a text from the names of a server's tools.
func scrubServer(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
	return rewrite.JSON(tx, core.BucketServers, r, func(a *ledger.AskedServer) ([]byte, error) {
		for i := range a.Tools {
			rewrite.Words(t, &a.Tools[i].Name)
		}
		return r.Key, nil
	})
}

// scrubRequest removes a text from the names in a measured request.
func scrubRequest(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
	return rewrite.JSON(tx, core.BucketRequests, r, func(q *ledger.ModelRequest) ([]byte, error) {
		rewrite.Words(t, &q.Provider, &q.Endpoint)
		rewrite.Words(t, &q.Model, &q.Agent, &q.Reply, &q.Cache.Item, &q.Cache.By, &q.MissedWhy)
		for i := range q.New {
			rewrite.Words(t, &q.New[i].Name)
		}
		for i := range q.Tools {
			rewrite.Words(t, &q.Tools[i].Server)
		}
		for i := range q.Bill {
			rewrite.Words(t, &q.Bill[i].Model)
		}
		return r.Key, nil
	})
}

// forgetAnswer removes a whole stored response that contains the text, since a part of it would be another response.
// That the request was carried out is kept.
func forgetAnswer(at time.Time) func(kv.Tx, kv.Record, scrub.Text) (bool, error) {
	return func(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
		var a core.StoredResponse
		if err := json.Unmarshal(r.Value, &a); err != nil {
			return false, fault.Wrap(fault.Corrupt, "engine.forget", err)
		}
		if t.Out(string(a.Response)) == string(a.Response) {
			return false, nil
		}
		raw, err := forgottenAnswer(r.Value, at)
		if err != nil {
			return false, err
		}
		return true, tx.Put(core.BucketKeys, r.Key, raw)
	}
}
