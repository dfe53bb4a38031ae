package calibrate

import (
	"context"

	"ctxledger.dev/engine"
	"ctxledger.dev/tokens"
)

// Measurements returns what the log of a session shows of its models' tokenizers, oldest first. Models
// that are counted exactly are left out. Errors: those of engine.API.Log.
func Measurements(ctx context.Context, api engine.API, session string) (all []engine.Measurement, err error) {
	l := &log{}
	for more := true; more; {
		var found []engine.Measurement
		if found, more, err = l.next(ctx, api, session); err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// log is a session's log, as far as it was read.
type log struct {
	pairs pairs
	seq   int64 // of the newest entry that was read
}

// next reads a page of the entries that came since the last time, and returns what they show. more says
// whether there is another page.
func (l *log) next(ctx context.Context, api engine.API, session string) (found []engine.Measurement, more bool, err error) {
	page, err := api.Log(ctx, engine.LogRequest{Session: session, From: l.seq + 1})
	if err != nil {
		return nil, false, err
	}
	for _, e := range page.Entries {
		l.seq = e.Seq
		if m, ok := l.pairs.add(e.Entry); ok && !exact(m.Model) {
			found = append(found, m)
		}
	}
	return found, page.Next != 0, nil
}

// exact reports whether a model is counted exactly: nothing is to be learnt of it.
func exact(model string) bool { return tokens.For(model).Exact() }
