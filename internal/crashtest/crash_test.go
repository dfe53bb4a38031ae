package crashtest

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/failpoint"
)

// build builds the program with tags beside failpoints.
func build(t *testing.T, tags ...string) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "crash")
	tags = append(tags, "failpoints")
	cmd := exec.Command("go", "build", "-tags", strings.Join(tags, ","), "-o", program, "ctxledger.dev/internal/crashtest/crash")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}

// variable returns an environment variable, or what stands for it.
func variable(name, otherwise string) string {
	if v := env.System().Lookup(name); v != "" {
		return v
	}
	return otherwise
}

// TestInvariant7And8NothingAcknowledgedIsLostAndNothingIsDoneTwice kills 2,000 owners, 100 in a short
// run. CTXLEDGER_CRASH_KILLS and CTXLEDGER_CRASH_SEED choose others.
func TestInvariant7And8NothingAcknowledgedIsLostAndNothingIsDoneTwice(t *testing.T) {
	kills, hits := "2000", "10"
	if testing.Short() {
		kills, hits = "100", "0"
	}
	kills = variable("CTXLEDGER_CRASH_KILLS", kills)
	if n, err := strconv.Atoi(kills); err != nil || n < 2000 {
		hits = "0"
	}
	cmd := exec.Command(build(t), "-kills", kills, "-hits", hits, "-seed", variable("CTXLEDGER_CRASH_SEED", "0"),
		"-session", "../../testdata/sessions/shop.jsonl")
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// seeded are the defects that kills catch, and how many they may need. internal/crashtest/powercut
// catches the others.
var seeded = []struct {
	defect string
	kills  int
	found  string
}{
	{"ack_before_sync", 100, " is lost"},
	{"lost_key", 50, " again with "},
	{"stale_owner", 50, "two owners"},
}

// TestSeededDefectsAreCaught: the harness finds each of them.
func TestSeededDefectsAreCaught(t *testing.T) {
	for _, s := range seeded {
		t.Run(s.defect, func(t *testing.T) {
			cmd := exec.Command(build(t, "defect_"+s.defect), "-json", "-kills", strconv.Itoa(s.kills),
				"-session", "../../testdata/sessions/shop.jsonl")
			cmd.Env = append(os.Environ(), "TMPDIR="+shortDir(t))
			var out, found bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &found
			if err := cmd.Run(); err == nil {
				t.Fatalf("%d kills did not catch it", s.kills)
			}
			if !strings.Contains(found.String(), s.found) {
				t.Errorf("something else was found: %s", &found)
			}
			var r Report
			if err := json.Unmarshal(out.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			t.Logf("caught after %d kills in %.1f s: %.300s", r.Kills, r.Seconds, found.String())
		})
	}
}

// shortDir returns a directory whose path leaves room for that of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "c")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestObeyRefusesWhatTheHarnessDoesNotSay(t *testing.T) {
	for _, orders := range []string{"", "nonsense\n", "kv.commit.before zero\n"} {
		if err := Obey(strings.NewReader(orders), func() {}); err == nil {
			t.Errorf("%q was obeyed", orders)
		}
	}
}

// TestEveryPointHasItsTurn: the plan reaches all failpoints, and as often as each other.
func TestEveryPointHasItsTurn(t *testing.T) {
	p := &plan{next: map[failpoint.Phase]int{}}
	for _, phases := range [][]failpoint.Phase{{failpoint.Create}, {failpoint.Open}, {failpoint.Work, failpoint.Leave}} {
		turns := map[string]int{}
		for range 10 * len(failpoint.Points()) {
			turns[p.turn(phases...).Name]++
		}
		least, most := len(failpoint.Points())*10, 0
		for _, n := range turns {
			least, most = min(least, n), max(most, n)
		}
		if most-least > 1 {
			t.Errorf("points of %v had between %d and %d turns", phases, least, most)
		}
	}
}

func TestFactsDiffer(t *testing.T) {
	expected := facts{"a": "1", "b": "2", "c": "3"}
	for _, c := range []struct {
		observed facts
		want     string
	}{
		{facts{"a": "1", "b": "2", "c": "3"}, ""},
		{facts{"a": "1", "b": "2"}, "c is lost, expected 3"},
		{facts{"a": "1", "b": "2", "c": "3", "d": "4"}, "d is there, unexpected: 4"},
		{facts{"a": "1", "b": "3", "c": "3"}, "b is 3, expected 2"},
	} {
		if got := expected.differ(c.observed); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
