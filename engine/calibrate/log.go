package calibrate

import (
	"context"

	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
)

// Measurements returns what the log of a session shows about its models' tokenizers, oldest first. Models that are
// counted exactly are left out. Errors: those of ledger.API.Log.
func Measurements(ctx context.Context, api ledger.API, session string) (all []ledger.Measurement, err error) {
	l := &log{models: tokens.Builtin()}
	for more := true; more; {
		var found []ledger.Measurement
		if found, more, err = l.next(ctx, api, session); err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// log reads a session's log.
type log struct {
	models *tokens.Registry
	pairs  pairs
	seq    int64 // of the newest entry that was read
}

// next reads a page of the entries since the last call, and returns their measurements. more says whether there is
// another page.
func (l *log) next(
	ctx context.Context, api ledger.API, session string,
) (found []ledger.Measurement, more bool, err error) {
	page, err := api.Log(ctx, ledger.LogRequest{Session: session, From: l.seq + 1})
	if err != nil {
		return nil, false, err
	}
	for _, e := range page.Entries {
		l.seq = e.Seq
		m, ok := l.pairs.add(e.Entry)
		if !ok || l.models.For(m.Model).Exact() {
			continue
		}
		if f := family(l.models, m.Model); f != family(tokens.Builtin(), m.Model) {
			m.Family = f.String() // the user ledger does not have the workspace's configuration
		}
		found = append(found, m)
	}
	return found, page.Next != 0, nil
}

// family returns the family of a model as a registry has it.
func family(r *tokens.Registry, model string) tokens.Family {
	m, _ := r.Lookup(model)
	return m.Family
}
