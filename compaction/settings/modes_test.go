package settings

import (
	"strings"
	"testing"
)

// What the faces say and check is made of the table.
func TestModesAreKnownByTheirRows(t *testing.T) {
	for _, c := range []struct {
		mode                  Mode
		offered, asks, ofView bool
	}{
		{"intent", true, false, false}, {"INTENT", true, false, false}, {"window", true, false, true},
		{"llm", true, true, false}, {"Hybrid", true, true, false}, {"lossless", false, false, false},
		{"auto", false, false, false}, {"", false, false, false},
	} {
		if c.mode.Offered() != c.offered || c.mode.Asks() != c.asks || c.mode.OfView() != c.ofView {
			t.Errorf("%q: offered %t, asks %t, of the view %t", c.mode, c.mode.Offered(), c.mode.Asks(),
				c.mode.OfView())
		}
	}
	if got := strings.Join(ModeNames(false), " ") + "; " + strings.Join(ModeNames(true), " "); got !=
		"intent window llm hybrid; llm hybrid" {
		t.Error(got)
	}
	got := strings.Join(DescribeModes(func(names []string, says string) string {
		return strings.Join(names, " or ") + ": " + says
	}), "; ")
	if got != "intent: a summary made without a model; window: drop oldest turns; llm or hybrid: a model writes" {
		t.Error(got)
	}
}
