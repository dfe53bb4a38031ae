package calibrate

import (
	"slices"
	"testing"

	"ctxledger.dev/sessions"
	"ctxledger.dev/tokens"
	"ctxledger.dev/transcript"
)

// said is an entry of a user's side: n tokens of everything.
func said(n int) sessions.Entry {
	return sessions.Entry{Kind: sessions.KindMessage, Role: transcript.RoleUser, Features: tokens.Features{n, n}}
}

// answer is an entry of an answer that was complete.
func answer(group string, read, write, output int64) sessions.Entry {
	return sessions.Entry{Kind: sessions.KindMessage, Role: transcript.RoleAssistant, Group: group, Model: "opus",
		Features: tokens.Features{int(output), 1}, Usage: &sessions.Usage{Input: 1, CacheRead: read,
			CacheWrite: write, Output: output}}
}

// with changes an entry.
func with(e sessions.Entry, change func(*sessions.Entry)) sessions.Entry { change(&e); return e }

func TestWhatALogMeasures(t *testing.T) {
	a, b := answer("m1", 0, 1000, 50), answer("m2", 1000, 350, 10)
	rest := func(e sessions.Entry) sessions.Entry { e.Usage = nil; return e }
	for _, c := range []struct {
		name    string
		entries []sessions.Entry
		growth  int64 // 0: nothing is measured
		tokens  int
	}{
		{"two requests", []sessions.Entry{said(9), a, said(200), b}, 300, 200},
		{"several texts between", []sessions.Entry{a, said(200), said(30), b}, 300, 230},
		{"an answer in parts, with results between them", []sessions.Entry{a, said(200), rest(a), said(30), rest(a),
			b}, 300, 230},
		{"usage that comes bit by bit", []sessions.Entry{
			with(a, func(e *sessions.Entry) {
				e.Unfinished, e.Usage = true, &sessions.Usage{Input: 1, CacheWrite: 1000, Output: 8}
			}),
			with(a, func(e *sessions.Entry) { e.Usage = &sessions.Usage{Output: 42} }), said(200), b}, 300, 200},
		{"what the host adds in the user's name",
			[]sessions.Entry{a, with(said(200), func(e *sessions.Entry) { e.Hidden = true }), b}, 300, 200},
		{"subagents speak elsewhere", []sessions.Entry{a, said(200),
			with(answer("s1", 5, 5, 5), func(e *sessions.Entry) { e.Author, e.Hidden = "sub", true }),
			with(said(77), func(e *sessions.Entry) { e.Author, e.Hidden = "sub", true }), b}, 300, 200},
		{"notes are not sent", []sessions.Entry{a, {Kind: sessions.KindNote, Note: "progress"}, said(200), b}, 300,
			200},

		{"one request", []sessions.Entry{said(9), a, said(200)}, 0, 0},
		{"an answer cut off", []sessions.Entry{with(a, func(e *sessions.Entry) { e.Unfinished = true }), said(200), b},
			0, 0},
		{"another model", []sessions.Entry{a, said(200), with(b, func(e *sessions.Entry) { e.Model = "haiku" })}, 0, 0},
		{"a prefix that changed", []sessions.Entry{a, said(200), answer("m2", 999, 351, 10)}, 0, 0},
		{"a cache that expired", []sessions.Entry{a, said(200), answer("m2", 0, 1350, 10)}, 0, 0},
		{"an image", []sessions.Entry{a, said(0), said(200), b}, 0, 0},
		{"text that the host added to the messages", []sessions.Entry{a,
			{Kind: sessions.KindNote, Note: "attachment x", Hidden: true}, said(200), b}, 0, 0},
		{"a compaction", []sessions.Entry{a, {Kind: sessions.KindCompaction}, said(200), b}, 0, 0},
		{"a rewind", []sessions.Entry{a, {Kind: sessions.KindRewind}, said(200), b}, 0, 0},
		{"the host's own answer", []sessions.Entry{a, said(200), rest(answer("m9", 0, 0, 0)), b}, 0, 0},
		{"an input that shrank", []sessions.Entry{a, said(200), answer("m2", 1000, 49, 10)}, 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p pairs
			growth, n, found := int64(0), 0, 0
			for _, e := range c.entries {
				if m, ok := p.add(e); ok {
					growth, n, found = m.Growth(), m.Features[tokens.FeatureTokens], found+1
				}
			}
			if growth != c.growth || n != c.tokens || found > 1 {
				t.Errorf("%d measurements: grew by %d with %d tokens, want %d with %d", found, growth, n, c.growth,
					c.tokens)
			}
		})
	}
}

// TestAMeasurementAfterASpoiledOne: what spoils a pair does not spoil the next.
func TestAMeasurementAfterASpoiledOne(t *testing.T) {
	var p pairs
	var requests []int64
	for _, e := range []sessions.Entry{
		answer("m1", 0, 1000, 50), said(0), answer("m2", 1000, 350, 10), said(100), answer("m3", 1350, 150, 10),
		said(100), answer("m4", 1500, 150, 10),
	} {
		if m, ok := p.add(e); ok {
			requests = append(requests, m.Request)
		}
	}
	if !slices.Equal(requests, []int64{3, 4}) {
		t.Errorf("measured requests %v", requests)
	}
}
