package window

// Attempt is what came of one compaction, in tokens of the whole view, as the model counts. One that was
// refused has as many after it as before.
type Attempt struct {
	Before int
	After  int
	// Window is that of the model at that time; 0: it is not known.
	Window int
	Model  string // "": not known
	Manual bool   // a person asked for it
}

// Savings is the share of the view that an attempt took away.
func (a Attempt) Savings() float64 {
	if a.Before <= 0 {
		return 0
	}
	return float64(a.Before-a.After) / float64(a.Before)
}

// Suppressed reports whether compacting again would change too little: the last attempts all did, the model is the
// same, there was no request for one since, and the view has not grown since by a tenth of the window, or 8,000
// tokens.
func (t TriggerPolicy) Suppressed(s Situation) bool {
	last := t.LastAttempts(s)
	if len(last) == 0 {
		return false
	}
	for _, a := range last {
		if a.Manual || a.Savings() >= t.ThrashRatio || a.elsewhere(s) {
			return false
		}
	}
	return !s.grown()
}

// elsewhere reports whether an attempt was made for another model, or another window. Of attempts that were
// recorded before either was noted, neither is known.
func (a Attempt) elsewhere(s Situation) bool {
	return a.Window != 0 && a.Window != s.Window || a.Model != "" && a.Model != s.Model
}

// LastAttempts returns the attempts that the guard looks at, none where it is off or there were fewer.
func (t TriggerPolicy) LastAttempts(s Situation) []Attempt {
	n := len(s.Attempts)
	if t.ThrashWindow <= 0 || t.ThrashRatio <= 0 || n < t.ThrashWindow {
		return nil
	}
	return s.Attempts[n-t.ThrashWindow:]
}

// Rearmed returns the size of the request from which compactions run again, whatever the last one saved: a tenth
// of the window, or 8,000 tokens, above the size after it. 0 where there was none.
func (s Situation) Rearmed() int {
	const growth, share = 8_000, 10
	if len(s.Attempts) == 0 {
		return 0
	}
	return s.Attempts[len(s.Attempts)-1].After + max(growth, s.Window/share)
}

// grown reports whether the view has grown so much since the last attempt.
func (s Situation) grown() bool {
	return len(s.Attempts) > 0 && s.View >= s.Rearmed()
}
