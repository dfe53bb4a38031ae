package window

// Attempt is what came of one compaction, in tokens of the whole view. One that was refused has as many
// after it as before.
type Attempt struct {
	Before int `json:"before"`
	After  int `json:"after"`
	Window int `json:"window"` // of the model at that time
}

// savings is the share of the view that an attempt took away.
func (a Attempt) savings() float64 {
	if a.Before <= 0 {
		return 0
	}
	return float64(a.Before-a.After) / float64(a.Before)
}

// Suppressed reports whether compacting again would change too little: the last attempts all did, the
// model is the same, and the view has not grown since by a tenth of the window, or 8,000 tokens.
func (t TriggerPolicy) Suppressed(s Situation) bool {
	n := len(s.Attempts)
	if t.ThrashWindow <= 0 || t.ThrashRatio <= 0 || n < t.ThrashWindow {
		return false
	}
	for _, a := range s.Attempts[n-t.ThrashWindow:] {
		if a.savings() >= t.ThrashRatio {
			return false
		}
	}
	return s.Attempts[n-1].Window == s.Window && !s.grown()
}

// grown reports whether the view has grown since the last attempt by a tenth of the window, or 8,000 tokens.
func (s Situation) grown() bool {
	const growth, share = 8_000, 10
	n := len(s.Attempts)
	return n > 0 && s.View >= s.Attempts[n-1].After+max(growth, s.Window/share)
}
