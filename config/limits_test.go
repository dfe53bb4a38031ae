package config

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLimitsAreSetByBothFiles: the user's own one wins, setting by setting.
func TestLimitsAreSetByBothFiles(t *testing.T) {
	p := newPlace(t)
	const last = "limits.agent.tokens 7 ctxledger.yaml:1" // of the last valid version
	for _, c := range []struct{ name, workspace, user, want, problem string }{
		{"nothing said", "-", "-", "", ""},
		{"a workspace", "limits:\n  session: {usd: 1.5}\n  day: {tokens: 1000000}\n", "-",
			"limits.session.usd 1.5 ctxledger.yaml:2; limits.day.tokens 1e+06 ctxledger.yaml:3", ""},
		{"the user's own over it", "limits: {session: {usd: 100, tokens: 5}}\n", "limits:\n  session:\n    usd: 2\n",
			"limits.session.tokens 5 ctxledger.yaml:1; limits.session.usd 2 own:3", ""},
		{"a limit is taken back", "limits: {agent: {tokens: 7}}\n", "limits: {agent: {tokens: 0}}\n", "", ""},
		{"negative money", "limits: {day: {usd: -1}}\n", "-", last,
			"ctxledger.yaml:1:21: limits.day.usd is -1: a number of 0 or more is expected"},
		{"no number", "limits: {day: {usd: .nan}}\n", "-", last,
			"ctxledger.yaml:1:21: limits.day.usd is NaN: a number of 0 or more is expected"},
		{"negative tokens", "limits:\n  session:\n    tokens: -5\n", "-", last,
			"ctxledger.yaml:3:13: limits.session.tokens is -5: it must not be negative"},
		{"a word", "limits: {session: much}\n", "-", last, "ctxledger.yaml:1:19: "},
		{"a wrong key", "limits: {sesion: {usd: 1}}\n", "-", "", `ctxledger.yaml:1:10: unknown setting "sesion"`},
	} {
		p.configure(t, c.workspace, c.user)
		got, problems := p.load()
		var set, said []string
		for _, l := range got.LimitsSet() {
			from := strings.Replace(l.From, UserFile(p.e), "own", 1)
			set = append(set, fmt.Sprint(l.Key, " ", l.Most, " ", from))
		}
		for _, problem := range problems {
			said = append(said, problem.String())
		}
		if strings.Join(set, "; ") != c.want || !strings.Contains(strings.Join(said, "\n"), c.problem) ||
			c.problem == "" && len(said) > 0 {
			t.Errorf("%s: %q, want %q; %q", c.name, set, c.want, said)
		}
	}
}

// TestALimitThatIsNotSetIsNone: `config` showed 0, as if nothing were allowed.
func TestALimitThatIsNotSetIsNone(t *testing.T) {
	p := newPlace(t)
	p.configure(t, "limits: {day: {usd: 2.5}}\n", "-")
	got, _ := p.load()
	var shown []string
	for _, s := range got.Effective() {
		if strings.HasPrefix(s.Path, "limits.") {
			shown = append(shown, s.String())
		}
	}
	if want := "none none none 2.5 none none"; strings.Join(shown, " ") != want {
		t.Errorf("%q, want %s", shown, want)
	}
}

// TestMaxTotalTokensIsTheLimitOfASession, wherever it stands beside ours, which overrides it.
func TestMaxTotalTokensIsTheLimitOfASession(t *testing.T) {
	p := newPlace(t)
	for _, c := range []struct {
		name, workspace, user string
		want                  []LimitSet
	}{
		{"alone", "Orchestration:\n  MaxTotalTokens: 5\n", "-",
			[]LimitSet{{"limits.session.tokens", 5, "ctxledger.yaml:2", "MaxTotalTokens"}}},
		{"in our spelling", "max_total_tokens: 5\n", "-",
			[]LimitSet{{"limits.session.tokens", 5, "ctxledger.yaml:1", "max_total_tokens"}}},
		{"none", "MaxTotalTokens: null\n", "-", nil},
		{"behind ours", "limits: {session: {tokens: 7}}\nMaxTotalTokens: 5\n", "-",
			[]LimitSet{{"limits.session.tokens", 7, "ctxledger.yaml:1", ""}}},
		{"beside ours in money", "limits: {session: {usd: 7}}\nMaxTotalTokens: 5\n", "-",
			[]LimitSet{{"limits.session.tokens", 5, "ctxledger.yaml:2", "MaxTotalTokens"},
				{"limits.session.usd", 7, "ctxledger.yaml:1", ""}}},
		{"below the user's own", "MaxTotalTokens: 5\n", "limits: {session: {tokens: 7}}\n",
			[]LimitSet{{"limits.session.tokens", 7, UserFile(p.e) + ":1", ""}}},
	} {
		p.configure(t, c.workspace, c.user)
		got, problems := p.load()
		if !slices.Equal(got.LimitsSet(), c.want) || len(problems) > 0 {
			t.Errorf("%s: %+v, want %+v; %v", c.name, got.LimitsSet(), c.want, problems)
		}
	}
}
