package install

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/internal/fault"
)

// TestAFileThatChangesWhileItIsWrittenIsNotOverwritten: another program changes the file while our receipt is
// synced, as often as that is planned anew. What it wrote is there at the end, with our entries. A program that
// never stops is told of.
func TestAFileThatChangesWhileItIsWrittenIsNotOverwritten(t *testing.T) {
	h := registry.Of("gemini")
	for _, times := range []int{0, 1, 3, maxTries - 1, maxTries + 1} {
		c := aCase{files: map[string]string{"home/.gemini/settings.json": `{"n": 0}`}}
		_, m := c.place(t)
		p, err := m.Connect(h, registry.User, false)
		must(t, err)
		n := 0
		m.kept = func() {
			if n < times {
				n++
				must(t, os.WriteFile(p.Changes[0].Path, fmt.Appendf(nil, `{"n": %d}`, n), 0o600))
			}
		}
		err = m.Write(p)
		raw, readErr := os.ReadFile(p.Changes[0].Path)
		must(t, readErr)
		var now struct {
			N       int
			Servers map[string]any `json:"mcpServers"`
		}
		must(t, json.Unmarshal(raw, &now))
		tooOften := times >= maxTries
		if now.N != n || tooOften != (err != nil) || tooOften == (now.Servers["ctxledger"] != nil) {
			t.Errorf("%d times: %v, and it has %s", times, err, raw)
		}
		if err != nil && (!fault.Is(err, fault.Conflict) || fault.HintOf(err) == "" ||
			m.stored(p.Changes[0].at.real) != nil) {
			t.Errorf("%d times: %v", times, err)
		}
		p, err = m.Disconnect(h, registry.User)
		must(t, err)
		must(t, m.Write(p))
		raw, err = os.ReadFile(filepath.Join(m.Home, ".gemini", "settings.json"))
		if want := fmt.Sprintf(`{"n": %d}`, n); err != nil || string(raw) != want {
			t.Errorf("%d times: afterwards it has %s, not %s", times, raw, want)
		}
	}
}

// TestAWriterAllTheTimeLosesNothing: a real writer replaces the file every few milliseconds, each time with the next number
// and without ours, as long as we connect. The file is whole at every moment, we write it or refuse clearly, and after the
// writer has ended and we have disconnected it is what the writer wrote last.
func TestAWriterAllTheTimeLosesNothing(t *testing.T) {
	h := registry.Of("gemini")
	c := aCase{files: map[string]string{"home/.gemini/settings.json": `{"n": 0}`}}
	_, m := c.place(t)
	path := filepath.Join(m.Home, ".gemini", "settings.json")
	var n atomic.Int64
	stop := make(chan struct{})
	var ends sync.WaitGroup
	ends.Go(func() {
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				next := n.Load() + 1
				temp := path + ".theirs"
				text := fmt.Appendf(nil, `{"n": %d}`, next)
				if os.WriteFile(temp, text, 0o600) == nil && os.Rename(temp, path) == nil {
					n.Store(next)
				}
			}
		}
	})
	written := 0
	for range 30 {
		p, err := m.Connect(h, registry.User, false)
		must(t, err)
		if err := m.Write(p); err != nil && !fault.Is(err, fault.Conflict) {
			t.Fatal(err)
		} else if err == nil && len(p.Changes) > 0 {
			written++
		}
		raw, err := os.ReadFile(path)
		if err != nil || !json.Valid(raw) {
			t.Fatalf("%q, %v", raw, err)
		}
	}
	close(stop)
	ends.Wait()
	p, err := m.Disconnect(h, registry.User)
	must(t, err)
	must(t, m.Write(p))
	raw, err := os.ReadFile(path)
	if want := fmt.Sprintf(`{"n": %d}`, n.Load()); err != nil || string(raw) != want {
		t.Errorf("%d times written: %s, not %s", written, raw, want)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*.tmp"))
	if err != nil || len(left) > 0 || strings.Contains(string(raw), "ctxledger") {
		t.Errorf("%v, %v", left, err)
	}
}

// TestWhatWasWrittenSinceTheComparisonGoesBack: the file was compared, then another program wrote it, then it is replaced.
func TestWhatWasWrittenSinceTheComparisonGoesBack(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	must(t, err)
	defer root.Close()
	for name, text := range map[string]string{"a": "theirs", "ours": "ours", "b": "old"} {
		must(t, root.WriteFile(name, []byte(text), 0o600))
	}
	if done, err := exchange(root, "b", "b"); err != nil || !done {
		t.Skip("this system cannot exchange files")
	}
	s := staged{Change: Change{Before: []byte("old"), After: []byte("ours")}, root: root, rel: "a", temp: "ours"}
	if err := s.place(); !fault.Is(err, fault.Conflict) {
		t.Errorf("%v, not a conflict", err)
	}
	s.rel = "gone"
	if err := s.place(); !fault.Is(err, fault.Conflict) {
		t.Errorf("of a file that was removed: %v, not a conflict", err)
	}
	s.rel = "b"
	must(t, s.place())
	for name, want := range map[string]string{"a": "theirs", "b": "ours"} {
		if got, err := root.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// TestAPlanIsMadeAnewForAFileThatHasChanged since somebody saw it: both changes are in it, and gone with ours only ours.
func TestAPlanIsMadeAnewForAFileThatHasChanged(t *testing.T) {
	for what, change := range map[string]func(path string) error{
		"changed": func(path string) error { return os.WriteFile(path, []byte(`{"b": 2}`), 0o600) },
		"gone":    os.Remove,
	} {
		c := aCase{files: map[string]string{"home/.claude.json": `{"a": 1}`, "home/.claude/settings.json": "{}\n"}}
		top, m := c.place(t)
		h := registry.Of("claude-code")
		p, err := m.Connect(h, registry.User, false)
		must(t, err)
		must(t, change(p.Changes[1].Path))
		want := snapshot(t, top)
		must(t, m.Write(p))
		for _, st := range m.Check(h, registry.User) {
			if st.State != Connected {
				t.Errorf("%s: %+v", what, st)
			}
		}
		p, err = m.Disconnect(h, registry.User)
		must(t, err)
		must(t, change(p.Changes[0].Path))
		want["home/.claude.json"] = snapshot(t, top)["home/.claude.json"]
		if what == "gone" {
			delete(want, "home/.claude.json")
		}
		must(t, m.Write(p))
		same(t, what, snapshot(t, top), want)
	}
}
