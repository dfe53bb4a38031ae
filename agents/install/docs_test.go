package install

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"ctxledger.dev/config"
)

// TestThePageHasTheHooksOfTheTable: the table of events in docs/install.md has each event's matcher and timeout, and says
// how many there are.
func TestThePageHasTheHooksOfTheTable(t *testing.T) {
	raw, err := os.ReadFile("../../docs/install.md")
	must(t, err)
	page := string(raw)
	for _, e := range claudeEvents {
		matcher := "none"
		if e.matcher != "" {
			matcher = "`" + e.matcher + "`"
		}
		rows := 0
		for line := range strings.Lines(page) {
			cells := strings.Split(line, "|")
			if len(cells) != 5 || !strings.Contains(cells[1], "`"+e.event+"`") {
				continue
			}
			rows++
			if !strings.HasPrefix(cells[2], " "+matcher) ||
				strings.Trim(strings.Fields(cells[3])[0], ":") != fmt.Sprint(e.timeout) {
				t.Errorf("%s has %s and %d, not %q", e.event, matcher, e.timeout, line)
			}
		}
		if rows != 1 {
			t.Errorf("%s is in %d rows", e.event, rows)
		}
	}
	all := claudeHooks(Programs{CLI: "x"}, config.AllHooks())
	if len(all) != 7 || strings.Count(page, "hook for each of seven events") != 2 {
		t.Errorf("there are %d hooks: the page says seven", len(all))
	}
}
