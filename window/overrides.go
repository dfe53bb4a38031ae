package window

import (
	"encoding/json"
	"strings"

	"ctxledger.dev/compaction/settings"
	"ctxledger.dev/internal/fault"
)

// Overrides are what one call says in the place of the policy, for that call alone. They have the names of Fabric, whose hosts
// say them with a prompt; nil says nothing.
type Overrides struct {
	Enabled       *bool `json:"enabled,omitempty"`               // automatic compaction
	CompactAt     *int  `json:"compact_at_tokens,omitempty"`     // of a request: a compaction is due above
	ContextWindow *int  `json:"context_window_tokens,omitempty"` // of the model
	Reserve       *int  `json:"reserve_tokens,omitempty"`        // kept free for an answer
	KeepEntries   *int  `json:"keep_recent_entries,omitempty"`   // messages that stay as they are, no more
	Recover       *bool `json:"recover_from_overflow,omitempty"` // try anything after a provider's refusal
	Summary       *bool `json:"generate_summary,omitempty"`      // false: no model is asked to write
}

// overrideNames are the names in JSON, by their folded forms; other names of Fabric mean the same.
var overrideNames = map[string]string{
	"enabled": "enabled", "compactattokens": "compact_at_tokens", "contextwindowtokens": "context_window_tokens",
	"reservetokens": "reserve_tokens", "keeprecententries": "keep_recent_entries",
	"compactionkeeprecententries": "keep_recent_entries", "recoverfromoverflow": "recover_from_overflow",
	"recovercontextoverflow": "recover_from_overflow", "generatesummary": "generate_summary",
}

// OverrideName returns the name in JSON of one of the overrides, by any spelling: keepRecentEntries. "": there is none.
func OverrideName(name string) string {
	return overrideNames[strings.ToLower(strings.ReplaceAll(name, "_", ""))]
}

// UnmarshalJSON reads overrides by any spelling of their names. Errors: invalid for an unknown one, and for a value that makes no
// sense.
func (o *Overrides) UnmarshalJSON(raw []byte) error {
	const op = "window.overrides"
	var said, named map[string]json.RawMessage
	if err := json.Unmarshal(raw, &said); err != nil {
		return fault.Wrap(fault.Invalid, op, err)
	}
	named = make(map[string]json.RawMessage, len(said))
	for name, value := range said {
		known := OverrideName(name)
		if known == "" {
			return fault.New(fault.Invalid, op, "unknown override %.100q", name)
		}
		named[known] = value
	}
	again, err := json.Marshal(named)
	type plain Overrides
	if err == nil {
		err = json.Unmarshal(again, (*plain)(o))
	}
	if err != nil {
		return fault.Wrap(fault.Invalid, op, err)
	}
	return o.check()
}

// check refuses values that make no sense.
func (o Overrides) check() error {
	for name, n := range map[string]*int{"compact_at_tokens": o.CompactAt, "context_window_tokens": o.ContextWindow,
		"reserve_tokens": o.Reserve, "keep_recent_entries": o.KeepEntries} {
		if n != nil && *n < 0 {
			return fault.New(fault.Invalid, "window.overrides", "%s is %d: it must not be negative", name, *n)
		}
	}
	if o.ContextWindow != nil && *o.ContextWindow > 0 {
		for name, n := range map[string]*int{"compact_at_tokens": o.CompactAt, "reserve_tokens": o.Reserve} {
			if n != nil && *n >= *o.ContextWindow {
				return fault.New(fault.Invalid, "window.overrides",
					"%s is %d, which leaves nothing of a window of %d: give less", name, *n, *o.ContextWindow)
			}
		}
	}
	return nil
}

// With returns the policy with what one call says in its place.
func (p Policy) With(o *Overrides) Policy {
	if o == nil {
		return p
	}
	set := func(to *int, from *int) {
		if from != nil {
			*to = *from
		}
	}
	if o.Enabled != nil {
		p.Compact.Off = !*o.Enabled
	}
	if o.CompactAt != nil || o.Reserve != nil { // no share of the window undercuts it
		p.Compact.Fraction, p.Compact.Effective, p.Compact.Idle, p.Compact.Gain = 0, 0, 0, 0
	}
	if o.KeepEntries != nil {
		p.Keep = settings.Keep{Messages: max(1, *o.KeepEntries)}
	}
	if o.Recover != nil {
		p.Compact.NoRecovery = !*o.Recover
	}
	if o.Summary != nil {
		p.Compact.NoModel = !*o.Summary
	}
	set(&p.Compact.Effective, o.CompactAt)
	set(&p.Compact.Window, o.ContextWindow)
	set(&p.Compact.Reserve, o.Reserve)
	return p
}
