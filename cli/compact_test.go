package cli

import (
	"strings"
	"testing"
)

// TestASummaryLeavesRoomForItsReceipt: a summary of 289 lines once pushed what had been done off the screen.
func TestASummaryLeavesRoomForItsReceipt(t *testing.T) {
	text := strings.Repeat("line\n", 289)
	for rows, want := range map[int]string{
		0: text, 400: text, 295: text,
		24: strings.Repeat("line\n", 18) + "… 271 more lines; `c` has the whole text\n",
		3:  "line\n… 288 more lines; `c` has the whole text\n",
	} {
		if got := beginning(text, rows, "`c`"); got != want {
			t.Errorf("on %d lines: %d lines, which end with %q", rows, strings.Count(got, "\n"),
				got[max(len(got)-80, 0):])
		}
	}
	if got := beginning("short", 24, ""); got != "short\n" {
		t.Errorf("%q", got)
	}
}
