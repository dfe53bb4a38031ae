package lsp

import (
	"reflect"
	"strings"
	"testing"
)

// TestAWrongSettingCostsItselfAlone reads what clients say: what is right of it counts.
func TestAWrongSettingCostsItselfAlone(t *testing.T) {
	before := Settings{Lens: showAlways, Hover: showOff, Hints: 7, Diagnostics: []string{"generated"}, Live: true}
	with := func(change func(*Settings)) Settings { s := before; change(&s); return s }
	// Whatever was set before.
	quiet := Settings{Show: "quiet", Lens: "off", Hover: "headings", Graphs: true, Live: true, Diagnostics: []string{}}
	for _, c := range []struct {
		said, wrong string
		want        Settings
	}{
		{`null`, "", before},
		{`{}`, "", before},
		{`{"lens":"off"}`, "", with(func(s *Settings) { s.Lens = showOff })},
		{`{"ctxledger":{"hints":500}}`, "", with(func(s *Settings) { s.Hints = 500 })},
		{`{"hints":"500","lens":"live"}`, `the setting "hints" cannot be "500"`,
			with(func(s *Settings) { s.Lens = showLive })},
		{`{"lens":"sometimes","model":"gpt-5"}`, `lens is "sometimes"`, with(func(s *Settings) { s.Model = "gpt-5" })},
		{`{"diagnostics":["long-lines","new"],"status":true}`, `unknown diagnostic "new"`,
			with(func(s *Settings) { s.Status = true })},
		{`{"show":"quiet"}`, "", quiet},
		{`{"lens":"live","show":"quiet","status":true}`, "", Settings{Show: "quiet", Lens: "live", Hover: "headings",
			Graphs: true, Live: true, Status: true, Diagnostics: []string{}}},
		{`{"show":"all","hints":0}`, "", Settings{Show: "all", Lens: "always", Hover: "always", AgentFiles: true,
			Graphs: true, Symbols: true, CountSelection: true, Live: true,
			Diagnostics: []string{"generated", "large-read", "long-lines", "stale-read"}}},
		{`{"show":"loud","hints":9}`, `show is "loud", not one of quiet, normal, all`,
			with(func(s *Settings) { s.Hints = 9 })},
		{`{"show":"loud","hover":7,"lens":"x","nonsense":1}`, `show is "loud", not one of quiet, normal, all; ` +
			`the setting "hover" cannot be 7; lens is "x", not one of off, live, always`, before},
		{`{"diagnostics":[]}`, "", with(func(s *Settings) { s.Diagnostics = []string{} })},
		{`{"server":{"path":"x"},"nobodys":1}`, "", before},
		{`[1]`, "cannot unmarshal", before},
	} {
		got, err := before.read([]byte(c.said))
		if !reflect.DeepEqual(got, c.want) || (err == nil) != (c.wrong == "") ||
			err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %+v, %v", c.said, got, err)
		}
	}
	if before.Diagnostics[0] != "generated" {
		t.Error("reading wrote over what was")
	}
}
