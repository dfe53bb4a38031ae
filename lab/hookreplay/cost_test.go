package main

import (
	"math"
	"strings"
	"testing"

	"ctxledger.dev/config"
	"ctxledger.dev/ledger"
	"ctxledger.dev/sessions"
)

// round are prices by which a bill can be added up by hand.
var round = rates{input: 1, read: 0.1, write: 2, long: 3, output: 5, factor: 1.2}

// wantDollars compares sums of dollars.
func wantDollars(t *testing.T, name string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-9 {
		t.Errorf("%s: $%v, want $%v", name, got, want)
	}
}

// TestOurListIsChargedInEveryRequest: 100 tokens of o200k are 120 of the provider. They are written once and read later,
// and written again where the recorded request missed the cache, and after a compaction.
func TestOurListIsChargedInEveryRequest(t *testing.T) {
	var list bill
	list.add(100, round.factor)
	for i, c := range []struct {
		name    string
		usage   sessions.Usage
		compact bool    // before it
		want    float64 // what the bill takes for it
		least   float64 // what it takes if the list is there whenever anything is
	}{
		{"the first request writes", sessions.Usage{Input: 10, CacheWrite: 1_000}, false, 120 * 2, 120 * 2},
		{"the second one reads", sessions.Usage{Input: 10, CacheRead: 1_000, CacheWrite: 100}, false, 12, 12},
		{"the cache was missed", sessions.Usage{CacheRead: 100, CacheWrite: 1_100}, false, 120 * 2, 12},
		{"it reads again", sessions.Usage{CacheRead: 1_200}, false, 12, 12},
		{"after a compaction", sessions.Usage{CacheRead: 900, CacheWrite: 100}, true, 120 * 2, 12},
		{"it reads once more", sessions.Usage{CacheRead: 1_000}, false, 12, 12},
		{"written for an hour", sessions.Usage{CacheWrite: 1_000, CacheLong: 1_000}, false, 120 * 3, 120 * 3},
		{"without a cache", sessions.Usage{Input: 1_000}, false, 120, 120},
	} {
		if c.compact {
			list.again()
		}
		before := list.dollars
		r := request{usage: c.usage}
		list.request(r, round)
		wantDollars(t, c.name, list.dollars-before, c.want)
		wantDollars(t, c.name+", at least", r.leading(list.extra, round), c.least)
		if math.Abs(list.extra-120) > 1e-9 {
			t.Errorf("request %d carries %v tokens of the list", i, list.extra)
		}
	}
}

// TestWhatHooksAddIsForgottenAtACompaction, other than the list.
func TestWhatHooksAddIsForgottenAtACompaction(t *testing.T) {
	var b bill
	b.add(10, round.factor)
	b.request(request{usage: sessions.Usage{CacheWrite: 100}}, round)
	wantDollars(t, "written", b.dollars, 12*2)
	b.compact()
	b.request(request{usage: sessions.Usage{CacheRead: 100}}, round)
	wantDollars(t, "after the compaction", b.dollars, 12*2)
}

// TestASessionIsChargedGrossAndNet: what a hook does costs the same, whatever is listed, and the list comes beside it.
func TestASessionIsChargedGrossAndNet(t *testing.T) {
	track := newTrack(visit(t, 10, "Bash", map[string]any{"command": "true"}))
	c := configuration{"environment", config.Hooks{Environment: true}, ledger.ResultLimits{}}
	gross, err := track.play(t.Context(), &program{}, c)
	if err != nil {
		t.Fatal(err)
	}
	net, err := track.play(t.Context(), &program{own: []listed{{"a", 1_000}, {"b", 500}}}, c)
	if err != nil {
		t.Fatal(err)
	}
	x := ratesOf("claude-opus-4-5")
	n := 1_500 * x.factor
	wantDollars(t, "nothing listed", gross.list, 0)
	wantDollars(t, "the hook", net.spent, gross.spent)
	wantDollars(t, "the list", net.list, n*(x.write+2*x.read))
	wantDollars(t, "the list, at least", net.listLeast, n*3*x.read)
	if math.Abs(net.listSent-3*n) > 1e-6 {
		t.Errorf("the list was sent as %v tokens, want %v", net.listSent, 3*n)
	}
}

// TestTheTableHasBothFigures of two sessions of $100 and $300: a hook saves $8 in the second one, the list costs $12.
func TestTheTableHasBothFigures(t *testing.T) {
	found := [][]outcome{
		{{requests: 1, sent: 1_000, recorded: 100, list: 4, listLeast: 2, listSent: 20}},
		{{requests: 3, sent: 3_000, recorded: 300, spent: -8, cut: 1, less: 160, list: 8, listLeast: 4, listSent: 60}},
		nil, // a file that could not be played
	}
	var b strings.Builder
	table(&b, []listed{{"tools", 300}, {"more", 100}}, []configuration{{name: "one"}}, found)
	text := strings.Join(strings.Fields(b.String()), " ")
	for _, want := range []string{
		"one 1 of 2 1",
		"-4.000% -2.000% ($-8.00 of 400.00) $0.00 -2.67, -2.67, -2.67%", // tokens, cost, the session that it touches
		"-2.000% +1.000% ($+4.00) +4.00, +4.00, +4.00%",                 // net, and of both sessions: 4% and 0%
		"2 sessions, 4 requests, 0 calls",
		"300 tokens (o200k_base), tools: +1.500% of the tokens of messages, +2.250% of the cost ($+9.00), at least +1.125%",
		"100 tokens (o200k_base), more: +0.500% of the tokens of messages, +0.750% of the cost ($+3.00), at least +0.375%",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
