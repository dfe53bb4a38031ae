package crashtest

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/defect"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/failpoint"
	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/transcript"
)

var seedFlag = flag.Uint64("seed", 0, "repeats a run; 0: a new one")

// recording is a session of a real agent.
const recording = "../../testdata/sessions/shop.jsonl"

// bin is the directory of the built programs; TestMain sets it.
var bin string

func TestMain(m *testing.M) {
	os.Exit(programtest.Run(m, func(dir string) error { bin = dir; return nil }))
}

// build returns the program with failpoints and perhaps a defect, building it when it is first needed. That without a
// defect is compiled as those with one, so that this is done once.
func build(t *testing.T, d defect.Defect) (program string) {
	t.Helper()
	program = filepath.Join(bin, "crash_"+string(d))
	if _, err := os.Stat(program); err == nil {
		return program
	}
	if err := programtest.Build(program, append(d.BuildFlags(), "ctxledger.dev/lab/crashtest/crash")...); err != nil {
		t.Fatal(err)
	}
	return program
}

// stateDir returns a directory for state directories. Its path is short enough for a socket in
// it. It is on a file system in memory where there is one, since what a kill leaves does not depend on the disk. It is
// kept when the test fails.
func stateDir(t *testing.T) string {
	t.Helper()
	place := "/dev/shm"
	if _, err := os.Stat(place); err != nil {
		place = ""
	}
	dir, err := os.MkdirTemp(place, "crash")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("see %s", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// TestInvariant7And8NothingAcknowledgedIsLostOrDoneTwice kills 80 owners; make crash kills 20,000.
func TestInvariant7And8NothingAcknowledgedIsLostOrDoneTwice(t *testing.T) {
	const kills, hits = 80, 1 // every other one dies at the next of the 35 points of a working owner
	cmd := exec.Command(build(t, ""), "-kills", strconv.Itoa(kills), "-hits", strconv.Itoa(hits),
		"-seed", strconv.FormatUint(*seedFlag, 10), "-session", recording, "-dir", stateDir(t))
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

// TestARunUnderTheRaceDetector runs the harness in this process.
func TestARunUnderTheRaceDetector(t *testing.T) {
	session, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), Options{
		Kills: 12, Seed: 1 + *seedFlag, Program: build(t, ""), Dir: stateDir(t), Session: session, Env: env.System(),
	})
	if err != nil {
		t.Fatal(err)
	}
	if r.Kills != 12 || len(r.Acked) != 12 {
		t.Errorf("%d kills, %d lives", r.Kills, len(r.Acked))
	}
	for _, n := range r.Acked {
		if n < enough {
			t.Errorf("an owner was killed after %d operations", n)
		}
	}
}

// TestInvariant8AMutationCutOffByAKillIsAppliedOnceAndAnsweredTheSame kills the owner of one mutation at
// each point on its way, and sends it again twice.
func TestInvariant8AMutationCutOffByAKillIsAppliedOnceAndAnsweredTheSame(t *testing.T) {
	mutations := map[string]func(context.Context, ledger.API) (string, error){
		"memory": func(ctx context.Context, api ledger.API) (string, error) {
			e, err := api.SaveMemory(ctx, ledger.SaveMemoryRequest{
				Mutation: ledger.Mutation{Key: "once"},
				Entry:    memory.Entry{Name: "fact", Description: "d", Body: "b", Source: "user"},
			})
			return text(e), err
		},
		"messages": func(ctx context.Context, api ledger.API) (string, error) {
			a, err := api.AppendMessages(ctx, ledger.AppendMessagesRequest{
				Mutation: ledger.Mutation{Key: "once"}, Format: transcript.Anthropic,
				Messages: [][]byte{textMessage(transcript.RoleUser, "hello", 1)},
			})
			return text(a), err
		},
	}
	for name, send := range mutations {
		for _, point := range []string{
			"daemon.call.heard", "engine.mutate.applied", "engine.mutate.published", "engine.mutate.kept",
			"kv.commit.before",
			"kv.commit.after", "kv.commit.acked", "engine.mutate.committed", "daemon.call.done", "daemon.call.answered",
		} {
			t.Run(name+" "+point, func(t *testing.T) { cutOff(t, point, send) })
		}
	}
}

// cutOff kills the owner of a mutation at a point and repeats the mutation.
func cutOff(t *testing.T, point string, send func(context.Context, ledger.API) (string, error)) {
	dir := stateDir(t)
	s := &series{o: Options{Program: build(t, ""), Env: env.System()}, state: filepath.Join(dir, "state"),
		workspace: t.TempDir()}
	var answers []string
	serve := func(work func(*owner, ledger.API)) {
		t.Helper()
		o, err := startOwner(s.o.Program, s.state, s.workspace, none)
		if err != nil {
			t.Fatal(err)
		}
		defer o.kill()
		if err := o.ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		apis, hangUp, err := s.dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer hangUp()
		work(o, apis[0])
	}
	serve(func(o *owner, api ledger.API) {
		if err := o.order(point); err != nil {
			t.Fatal(err)
		}
		if answer, err := send(t.Context(), api); err == nil {
			answers = append(answers, answer) // it was sent before the owner died
		}
		<-o.dead
	})
	serve(func(_ *owner, api ledger.API) {
		for range 2 {
			answer, err := send(t.Context(), api)
			if err != nil {
				t.Fatal(err)
			}
			answers = append(answers, answer)
		}
		for _, a := range answers[1:] {
			if a != answers[0] {
				t.Errorf("answered with %s, and again with %s", answers[0], a)
			}
		}
		events, err := api.WaitEvents(t.Context(), ledger.WaitEventsRequest{})
		if err != nil || len(events.Events) != 1 {
			t.Errorf("%d events of one mutation, %v", len(events.Events), err)
		}
		if err := link.Stop(t.Context(), s.state); err != nil {
			t.Error(err)
		}
	})
}

// seeded are the defects that kills catch, and how many they may need. lab/crashtest/powercut and
// lab/crashtest/damage catch the others.
var seeded = []struct {
	defect defect.Defect
	kills  int
}{
	{defect.AckBeforeSync, 100},
	{defect.LostKey, 50},
	{defect.StaleOwner, 50},
}

// TestSeededDefectsAreCaught: the harness finds each of them, in the short run the first; make defects has all.
func TestSeededDefectsAreCaught(t *testing.T) {
	seeded := seeded
	if testing.Short() {
		seeded = seeded[:1]
	}
	table := "defect           kills  seconds\n"
	for _, s := range seeded {
		t.Run(string(s.defect), func(t *testing.T) {
			cmd := exec.Command(build(t, s.defect), "-json", "-kills", strconv.Itoa(s.kills),
				"-seed", strconv.FormatUint(*seedFlag, 10), "-session", recording, "-dir", stateDir(t))
			var out, found bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &found
			if err := cmd.Run(); err == nil {
				t.Fatalf("%d kills did not catch it", s.kills)
			}
			var r Report
			if err := json.Unmarshal(out.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			if !r.Violated {
				t.Errorf("something else was found: %s", &found)
			}
			table += fmt.Sprintf("%-16s %5d  %7.1f\n", s.defect, r.Kills, r.Seconds)
		})
	}
	t.Logf("\n%s", table)
}

func TestObeyRefusesWhatTheHarnessDoesNotSay(t *testing.T) {
	for _, orders := range []string{"", "nonsense\n", "kv.commit\n"} {
		if err := Obey(strings.NewReader(orders), io.Discard, func() {}); err == nil {
			t.Errorf("%q was obeyed", orders)
		}
	}
}

// TestEveryPointHasItsTurn: the plan reaches all failpoints, and as often as each other.
func TestEveryPointHasItsTurn(t *testing.T) {
	p := &plan{next: map[failpoint.Phase]int{}}
	for _, phases := range [][]failpoint.Phase{{failpoint.Create}, {failpoint.Open},
		{failpoint.Work, failpoint.Leave}} {
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

// TestAShortRunReachesEveryPoint: 80 kills in two lanes give each failpoint a turn.
func TestAShortRunReachesEveryPoint(t *testing.T) {
	p := &plan{next: map[failpoint.Phase]int{}}
	r, reached := rand.New(rand.NewPCG(1, 1)), map[string]bool{}
	for i := range 80 {
		n, kill := i/killsPerLedger/lanes, i%killsPerLedger
		reached[p.atStart(n, kill)] = true
		reached[p.atWork(kill, r).at] = true
	}
	for _, point := range failpoint.Points() {
		if !reached[point.Name] {
			t.Errorf("no owner dies at %s", point.Name)
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
