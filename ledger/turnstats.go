package ledger

import (
	"fmt"
	"time"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/tokens"
)

// TurnStatsRequest asks what fills a session's window, and how it came to.
type TurnStatsRequest struct {
	Session string `json:"session"`
	Model   string `json:"model,omitempty"` // counts are those of this model; "": the session's
}

// TurnStats says what fills a session's window, and how it came to, turn by turn. Titles, names and requests
// are masked.
type TurnStats struct {
	Use
	Turns   []Turn `json:"turns"`   // oldest first, the newest 500
	Earlier int    `json:"earlier"` // how many turns were before these
}

// Turn is what one turn of a session did to its view.
type Turn struct {
	Turn    int       `json:"turn"`    // 1-based; 0: before the first request
	Seq     int64     `json:"seq"`     // of its first entry
	Time    time.Time `json:"time"`    // of the request
	Request string    `json:"request"` // its first line, at most 120 characters; "" where it has none or was forgotten
	// Used is the view at the end of the turn, or now, as it was then: later edits and compactions change nothing
	// of it.
	Used     tokens.Count `json:"used"`
	Measured int64        `json:"measured"` // input and output of its last answer, as the provider reported; 0: none
	Filled   []Part       `json:"filled"`   // what the view was made of, largest first, together Used
	// Held is what the agent's own window held at the end of the turn, measured if Measured is, and Own what it was made of,
	// as Use has them now.
	Held tokens.Count `json:"held"`
	Own  []Part       `json:"own"`
	// Changed says by how much each part of Own is larger than at the end of the turn before, or smaller: together as Held is.
	// Only what was cut, or what nothing accounts for, is smaller. Empty where no turn before is known.
	Changed []Part `json:"changed"`
	// Compacted is the summary of a compaction in this turn, if in effect at its end; "": none.
	Compacted string `json:"compacted"`
	// HostCompacted is set if the host itself compacted in this turn, and HostHeld what its window held before; 0: it did
	// not say.
	HostCompacted bool   `json:"host_compacted,omitempty"`
	HostHeld      int64  `json:"host_held,omitempty"`
	Restored      string `json:"restored"` // the summary of an earlier compaction that was undone in this turn
	// Dollars is what the requests of the turn cost at list prices with those of its subagents, which Subagents is of: of one
	// that is a session of its own all, in the turn in which it began. 0: nothing, or not known.
	Dollars   float64 `json:"cost_usd,omitempty"`
	Subagents float64 `json:"subagents_usd,omitempty"`
}

// Cost says what the turn cost, and what of that its subagents took; "": nothing, or not known.
func (t Turn) Cost() string {
	switch {
	case t.Dollars <= 0:
		return ""
	case t.Subagents <= 0:
		return chars.Money(t.Dollars, true)
	}
	return fmt.Sprintf("%s, including %s for subagents", chars.Money(t.Dollars, true), chars.Money(t.Subagents, true))
}

// Part is what one kind of content takes.
type Part struct {
	Name   string `json:"name"` // as in Category
	Tokens int    `json:"tokens"`
}
