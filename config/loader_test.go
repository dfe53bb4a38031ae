package config

import (
	"path/filepath"
	"testing"
	"time"
)

// TestALoaderSeesChanges edits a file below a loader. The clock is set by hand.
func TestALoaderSeesChanges(t *testing.T) {
	e, root := alone(t), t.TempDir()
	now := time.Now()
	e.Now = func() time.Time { return now }
	var told [][]Problem
	l := NewLoader(e, func(_ string, problems []Problem) { told = append(told, problems) })
	file := filepath.Join(root, File)
	for _, step := range []struct {
		name, text string // "": the file stays
		later      time.Duration
		turns      int
		told       int // problems of the newest call; -1: there was none
	}{
		{"nothing yet", "", 0, 50, 0},
		{"too early", "context: {compact_turns: 20}\n", Fresh / 2, 50, -1},
		{"a change", "", Fresh, 20, 0},
		{"none", "", Fresh, 20, -1},
		{"a mistake", "context: {compact_turns: x}\n", Fresh, 50, 1},
		{"corrected", "context: {compact_turns: 30}\n", Fresh, 30, 0},
	} {
		if step.text != "" {
			write(t, file, []byte(step.text))
		}
		now = now.Add(step.later)
		before := len(told)
		c, _ := l.Load(root, "")
		if got := c.shown.policy.Compact.Turns; got != step.turns {
			t.Errorf("%s: %d turns, want %d", step.name, got, step.turns)
		}
		if n := len(told) - before; n != min(1, step.told+1) || n == 1 && len(told[before]) != step.told {
			t.Errorf("%s: told %v", step.name, told[before:])
		}
	}
	first, _ := l.Load(root, "")
	now = now.Add(Fresh)
	if again, _ := l.Load(root, ""); again.Policy != first.Policy {
		t.Error("the same file gives other values")
	}
}
