package calibrate

import (
	"context"
	"strings"

	"ctxledger.dev/engine"
	"ctxledger.dev/sessions"
)

type Dumped struct {
	O    engine.Measurement
	Why  string
	Turn bool
	Att  int
}

func Dump(ctx context.Context, l engine.API, s string) (out []Dumped, err error) {
	var p pairs
	turn := 0
	att := 0
	for from := int64(1); from != 0; {
		page, err := l.Log(ctx, engine.LogRequest{Session: s, From: from})
		if err != nil {
			return nil, err
		}
		for _, e := range page.Entries {
			n := p.requests
			was := p
			if e.Author == "" && e.Kind == sessions.KindNote && strings.HasPrefix(e.Note, "attachment") {
				att++
			}
			o, ok := p.add(e.Entry)
			if p.requests == n {
				continue
			}
			why := ""
			if !ok {
				next := request{group: e.Group, model: e.Model, usage: *e.Usage}
				switch {
				case was.last.group == "":
					why = "first"
				case was.spoiled:
					why = "spoiled"
				case was.last.model != next.model || next.model == "":
					why = "model"
				case next.usage.CacheRead < was.last.usage.CacheRead+was.last.usage.CacheWrite:
					why = "cache"
				case !was.last.finished:
					why = "output"
				default:
					why = "neg"
				}
			}
			out = append(out, Dumped{o, why, e.Turn != turn, att})
			turn = e.Turn
			att = 0
		}
		from = page.Next
	}
	return out, nil
}
