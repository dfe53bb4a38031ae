package calibrate

import (
	"context"

	"ctxledger.dev/engine"
	"ctxledger.dev/tokens"
)

// Measurements returns what the log of a session shows of its models' tokenizers, oldest first. Models
// that are counted exactly are left out. Errors: those of engine.API.Log.
func Measurements(ctx context.Context, api engine.API, session string) ([]engine.Measurement, error) {
	return new(log).read(ctx, api, session)
}

// log is a session's log, as far as it was read.
type log struct {
	pairs pairs
	seq   int64 // of the newest entry that was read
}

// read returns what the entries show that came since the last time.
func (l *log) read(ctx context.Context, api engine.API, session string) (found []engine.Measurement, err error) {
	for from := l.seq + 1; from != 0; {
		page, err := api.Log(ctx, engine.LogRequest{Session: session, From: from})
		if err != nil {
			return nil, err
		}
		for _, e := range page.Entries {
			l.seq = e.Seq
			if m, ok := l.pairs.add(e.Entry); ok && !tokens.For(m.Model).Exact() {
				found = append(found, m)
			}
		}
		from = page.Next
	}
	return found, nil
}
