package sandbox

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestChildrenSeeNothingOfWhoStartsThem(t *testing.T) {
	for _, name := range []string{"CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", "CLAUDE_CONFIG_DIR",
		"CTXLEDGER_STATE", "CTXLEDGER_WORKSPACE", "XDG_STATE_HOME"} {
		t.Setenv(name, "/leaked")
	}
	s, err := New("bin")
	if err != nil {
		t.Fatal(err)
	}
	if e := s.Env(); slices.ContainsFunc(e, func(v string) bool { return strings.Contains(v, "/leaked") }) {
		t.Errorf("environment %q", e)
	}
	place, err := s.Place()
	if err != nil || place.Root != s.Workspace || !strings.HasPrefix(place.State, s.Top) {
		t.Errorf("workspace %+v, %v", place, err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.Top); err == nil {
		t.Errorf("%s is still there", s.Top)
	}
}

func TestTheEndOfWhatAServerSaysIsKept(t *testing.T) {
	var k Tail
	for range 3 {
		if n, err := k.Write([]byte(strings.Repeat("x", tailSize))); n != tailSize || err != nil {
			t.Fatal(n, err)
		}
	}
	if _, err := k.Write([]byte("the end\n")); err != nil {
		t.Fatal(err)
	}
	if got := k.String(); len(got) > tailSize || !strings.HasSuffix(got, "xthe end") {
		t.Errorf("%d bytes, ending in %q", len(got), got[max(0, len(got)-20):])
	}
}
