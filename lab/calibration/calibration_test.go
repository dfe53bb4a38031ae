package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/tokens"
)

// recorded is the session of which the tests make theirs.
const recorded = "../../testdata/sessions/shop.jsonl"

// copies writes the recorded session so many times, as sessions that began a day after each other.
func copies(t *testing.T, n int) (dir string) {
	t.Helper()
	raw, err := os.ReadFile(recorded)
	if err != nil {
		t.Fatal(err)
	}
	id := regexp.MustCompile(`"sessionId":"([^"]+)"`).FindSubmatch(raw)[1]
	records := regexp.MustCompile(`"(uuid|parentUuid)":"[0-9a-f]{8}`)
	day := regexp.MustCompile(`"timestamp":"(\d{4}-\d\d-\d\d)`).FindSubmatch(raw)[1]
	began, err := time.Parse(time.DateOnly, string(day))
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir()
	for i := range n {
		fresh := fmt.Sprintf("11111111-1111-4111-8111-%012d", i)
		text := bytes.ReplaceAll(raw, id, []byte(fresh))
		text = records.ReplaceAll(text, fmt.Appendf(nil, `"$1":"%08d`, i)) // the same ones would make it a fork
		text = bytes.ReplaceAll(text, day, []byte(began.AddDate(0, 0, i).Format(time.DateOnly)))
		if err := os.WriteFile(filepath.Join(dir, fresh+".jsonl"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// rowOf evaluates a directory and returns the figures of all models together, by the columns' numbers.
func rowOf(t *testing.T, dir string, held bool) (figures []float64) {
	t.Helper()
	var out bytes.Buffer
	if err := run(t.Context(), &out, []string{dir}, held); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	fields := strings.Fields(lines[len(lines)-1])
	if len(lines) != 3 || fields[0] != everything {
		t.Fatalf("one model and all were wanted:\n%s", out.String())
	}
	for _, f := range fields[1:] {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatal(err)
		}
		figures = append(figures, v)
	}
	return figures
}

// The numbers of columns.
const (
	colSessions = 0
	colRequests = 1
	colSession  = 9
	colBound    = 10
)

// TestARecordedSessionIsEvaluated: every believable request of it, each before it is learnt from.
func TestARecordedSessionIsEvaluated(t *testing.T) {
	got := rowOf(t, copies(t, 1), false)
	if got[colSessions] != 1 || got[colRequests] != 130 || got[colBound] < 93 || got[colBound] > 100 {
		t.Errorf("%v", got)
	}
}

// TestHeldBackSessionsAreNotLearntFrom: behind a session without measurements all is predicted by the prior.
func TestHeldBackSessionsAreNotLearntFrom(t *testing.T) {
	all, err := read(t.Context(), copies(t, 1))
	if err != nil || len(all) != 1 {
		t.Fatalf("%d sessions: %v", len(all), err)
	}
	prior := row{}
	for _, m := range all[0].measured {
		if m.Features[tokens.FeatureTokens] >= smallest {
			prior.add(tokens.NewEstimator(m.Model).Estimate(m.Features), m)
		}
	}
	held := table{}
	held.play([]session{{}, all[0]}, true)
	if got := held[everything]; !slices.Equal(got.any, prior.any) {
		t.Errorf("median error %.2f%%, that of the prior %.2f%%", quantile(got.any, .5), quantile(prior.any, .5))
	}
}

// TestHeldBackSessionsArePredicted: of four, two are predicted; those before them have taught much.
func TestHeldBackSessionsArePredicted(t *testing.T) {
	dir := copies(t, 4)
	one, all, held := rowOf(t, copies(t, 1), false), rowOf(t, dir, false), rowOf(t, dir, true)
	if all[colSessions] != 4 || all[colRequests] != 4*one[colRequests] {
		t.Errorf("as they come: %v", all)
	}
	if held[colSessions] != 2 || held[colRequests] != 2*one[colRequests] || held[colSession] > one[colSession]/2 {
		t.Errorf("held back: %v, one alone %v", held, one)
	}
}

func TestWhatCannotBeEvaluated(t *testing.T) {
	if err := run(t.Context(), &bytes.Buffer{}, nil, false); err == nil {
		t.Error("nothing was named, and no error")
	}
	if err := run(t.Context(), &bytes.Buffer{}, []string{filepath.Join(t.TempDir(), "none")}, false); err == nil {
		t.Error("a directory that is not there, and no error")
	}
}
