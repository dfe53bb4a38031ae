package anyfile

import (
	"fmt"

	"ctxledger.dev/lsp/live"
)

// Lens returns the title above the first line of a file: its cost and its use by the live session.
func Lens(f File) string {
	said := f.Meter.Say(f.Text.Count(0, f.Text.Len()))
	if f.Text.Len() > MaxOutlined {
		said += " · too large to show more"
	}
	return said + used(f.Meter, f.Use)
}

// used describes the use of a file by the live session.
func used(m Meter, u live.File) string {
	if u.Reads == 0 {
		return ""
	}
	times := fmt.Sprintf("%d times", u.Reads)
	if u.Reads == 1 {
		times = "once"
	}
	state := "unchanged since"
	if u.Stale {
		state = "changed since, " + by(u.By)
	}
	return fmt.Sprintf(" · read %s, %s tokens · %s", times, m.OfView(u.Tokens), state)
}
