package ctxledger

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/ledger"
)

var sessionsDir = flag.String("sessions", "../../testdata/sessions",
	"a `directory` of session files of Claude Code whose figures are compared")

// TestWindowFiguresAgreeWithTheFiles compares what status says of an agent's window with the usage in the session file,
// which this test adds up by itself: what the newest answer behind the host's newest compaction measured, where the host
// compacted by itself, and a window of 200,000 tokens where it did.
func TestWindowFiguresAgreeWithTheFiles(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(*sessionsDir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d session files in %s: %v", len(files), *sessionsDir, err)
	}
	var unexplained []float64
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, err := windowOf(file)
			if err != nil {
				t.Fatal(err)
			}
			got, rest := statusOf(t, file)
			unexplained = append(unexplained, rest)
			if want.compactsAt == 0 { // what it does by default is in no file
				got.compactsAt, got.window = 0, 0
			}
			if got != want {
				t.Errorf("status says %s, the file %s", got, want)
			} else {
				t.Logf("%s, not attributable %.1f%%", got, 100*rest)
			}
		})
	}
	slices.Sort(unexplained)
	n := len(unexplained)
	t.Logf("not attributable, of %d sessions: median %.1f%%, nine of ten below %.1f%%, at most %.1f%%", n,
		100*unexplained[n/2], 100*unexplained[n*9/10], 100*unexplained[n-1])
}

// windowFigures are what is compared, in tokens.
type windowFigures struct{ measured, compactsAt, window int }

func (w windowFigures) String() string {
	return fmt.Sprintf("measured %d, compacted by itself at %d, window %d", w.measured, w.compactsAt, w.window)
}

// windowOf reads the figures from a session file.
func windowOf(file string) (w windowFigures, err error) {
	f, err := os.Open(file)
	if err != nil {
		return w, err
	}
	defer f.Close() // opened for reading
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 256<<20)
	for lines.Scan() {
		var l struct {
			Type, Subtype   string
			IsSidechain     bool
			CompactMetadata struct {
				Trigger   string
				PreTokens int
			}
			Message struct {
				Model string
				Usage *struct {
					Input  int `json:"input_tokens"`
					Output int `json:"output_tokens"`
					Read   int `json:"cache_read_input_tokens"`
					Write  int `json:"cache_creation_input_tokens"`
				}
			}
		}
		if json.Unmarshal(lines.Bytes(), &l) != nil {
			continue // a record whose message is not an object is none of an answer
		}
		switch u := l.Message.Usage; {
		case l.Type == "system" && l.Subtype == "compact_boundary":
			w.measured = 0
			if l.CompactMetadata.Trigger == "auto" {
				w.compactsAt, w.window = l.CompactMetadata.PreTokens, 200_000
			}
		case l.Type == "assistant" && !l.IsSidechain && u != nil && l.Message.Model != "<synthetic>":
			w.measured = u.Input + u.Output + u.Read + u.Write
		}
	}
	return w, lines.Err()
}

// statusOf imports a session file into a ledger of its own, and returns the figures of its status. rest is the part
// of what the agent's window holds that nothing accounts for; the parts together have to be what it holds.
func statusOf(t *testing.T, file string) (w windowFigures, rest float64) {
	t.Helper()
	home := t.TempDir()
	file, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) []byte {
		cmd := exec.Command("ctxledger", append([]string{"--in-process"}, args...)...)
		cmd.Dir = home
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home, "CTXLEDGER_STATE=",
			"CLAUDE_CODE_SESSION_ID=", "CLAUDE_PROJECT_DIR=")
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s", args, err, stderr.String())
		}
		return out
	}
	run("import", file)
	var st struct {
		Session struct {
			Measured   int
			CompactsAt int `json:"compacts_at"`
			Window     int
			Held       struct{ N int }
			Own        []struct {
				Name   string
				Tokens struct{ N int }
			}
		}
	}
	if err := json.Unmarshal(run("status", "--json"), &st); err != nil {
		t.Fatal(err)
	}
	w = windowFigures{st.Session.Measured, st.Session.CompactsAt, st.Session.Window}
	sum, held := 0, st.Session.Held.N
	for _, part := range st.Session.Own {
		sum += part.Tokens.N
		if part.Name == ledger.CategoryRest {
			rest = float64(part.Tokens.N) / float64(max(1, held))
		}
	}
	if off := sum - held; off < -len(st.Session.Own) || off > len(st.Session.Own) { // each is rounded
		t.Errorf("the parts of the agent's window are together %d, and it holds %d", sum, held)
	}
	return w, rest
}
