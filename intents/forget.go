package intents

import (
	"cmp"

	"ctxledger.dev/internal/scrub"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/rewrite"
)

// ForgetResult removes what an intent keeps of its result's text. A call without an intent changes
// nothing.
func ForgetResult(tx kv.Tx, session, callID string) error {
	in, err := OfCall(tx, session, callID)
	if err != nil || in == nil || in.Error == "" && in.Outcome == "" {
		return err
	}
	in.Error, in.Outcome = "", ""
	return save(tx, key(*in), *in)
}

// ForgetCall removes the words of a call from its intent: arguments, command, and the paths with their index. That the call
// was made, and how it ended, is kept.
func ForgetCall(tx kv.Tx, session, callID string) error {
	in, err := OfCall(tx, session, callID)
	if err != nil || in == nil {
		return err
	}
	err = unindex(tx, *in)
	in.Args, in.Name, in.Command, in.Target, in.From = nil, "", "", "", ""
	return cmp.Or(err, save(tx, key(*in), *in))
}

// ForgetSession removes the words of all calls of a session, also of those that only a hook announced.
func ForgetSession(tx kv.Tx, session string) error {
	all, err := OfSession(tx, session)
	for _, in := range all {
		err = cmp.Or(err, unindex(tx, in))
		in.Args, in.Name, in.Agent, in.Command, in.Target, in.From = nil, "", "", "", "", ""
		in.Error, in.Outcome, in.PreHash = "", "", ""
		err = cmp.Or(err, save(tx, key(in), in))
	}
	return err
}

// Rules returns how a text is removed from the records of this package.
func Rules() []rewrite.Rule {
	return []rewrite.Rule{{Kind: "intent", Bucket: bucketIntents, Out: scrubIntent}}
}

func scrubIntent(tx kv.Tx, r kv.Record, t scrub.Text) (bool, error) {
	return rewrite.JSON(tx, bucketIntents, r, func(in *Intent) ([]byte, error) {
		err := unindex(tx, *in)
		rewrite.Words(t, &in.Agent, &in.Name, &in.Target, &in.From, &in.Command, &in.Error, &in.Outcome)
		in.mapArgs(t.Out)
		return r.Key, cmp.Or(err, index(tx, *in))
	})
}
