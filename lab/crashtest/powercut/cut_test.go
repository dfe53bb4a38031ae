//go:build linux

package powercut_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"ctxledger.dev/internal/defect"
	"ctxledger.dev/lab/crashtest/cases"
	"ctxledger.dev/lab/crashtest/powercut"
	"ctxledger.dev/lab/crashtest/script"
	"ctxledger.dev/lab/programtest"
)

var (
	images = flag.Int("images", 300, "power-cut images to examine")
	seed   = flag.Uint64("seed", 1, "seed of the images")
	kept   = flag.String("kept", "", "the recording that an earlier run has kept")
	one    = flag.Int("image", -1, "examine this image alone")
)

// rounds of the script: enough for every step there is, twice.
const rounds = 8

// subject is the built program; TestMain sets it.
var subject string

func TestMain(m *testing.M) {
	os.Exit(programtest.Run(m, func(dir string) error {
		subject = filepath.Join(dir, "subject")
		return programtest.Build(subject, subjectPackage)
	}))
}

// subjectPackage is that of the program which the harnesses drive.
const subjectPackage = "ctxledger.dev/lab/crashtest/subject"

// place returns a directory for a recording, in memory where that can be.
func place(t *testing.T) string {
	t.Helper()
	base := "/dev/shm"
	if _, err := os.Stat(base); err != nil {
		base = ""
	}
	dir, err := os.MkdirTemp(base, "ctxl-cut")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("kept: %s", dir)
			return
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// record writes recording and story into a new directory. A program with a defect may fail over it
// before its end.
func record(t *testing.T, program string, defective bool) string {
	t.Helper()
	dir := place(t)
	story, err := script.Tell(t.Context(), t.TempDir(), script.Steps(rounds))
	if err == nil {
		err = story.Save(dir)
	}
	if err == nil {
		err = powercut.Record(t.Context(), dir, program, "write", powercut.StateDir(dir), strconv.Itoa(rounds))
	}
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !(ended && defective) {
		t.Fatal(err)
	}
	return dir
}

// examine examines images in children, until there are so many problems.
func examine(ctx context.Context, dir string, from, to, total, stop int) (cases.Report, error) {
	return cases.Run(ctx, cases.Plan{
		From: from, To: to, Parallel: 2, Patience: 10 * time.Second, Stop: stop,
		Child: func(from, to, step int) *exec.Cmd {
			return exec.Command(subject, "cuts", dir, strconv.FormatUint(*seed, 10),
				strconv.Itoa(total), strconv.Itoa(from), strconv.Itoa(to), strconv.Itoa(step))
		},
	})
}

// TestPowerCutLosesNothing: whatever of the unsynced writes is on disk, the ledger opens and holds
// what was acknowledged.
func TestPowerCutLosesNothing(t *testing.T) {
	dir := *kept
	if dir == "" {
		dir = record(t, subject, false)
	}
	from, to := 0, *images
	if *one >= 0 {
		from, to = *one, *one+1
	}
	began := time.Now()
	report, err := examine(t.Context(), dir, from, to, *images, 10)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range report.Problems {
		t.Errorf("-kept=%s -images=%d -seed=%d -image=%d: %s", dir, *images, *seed, p.Case, p.What)
	}
	r, err := powercut.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d images of %d moments, seed %d: %d problems, %v, %.1f s", to-from, r.Points(), *seed,
		len(report.Problems), report.Outcomes, time.Since(began).Seconds())
}

// TestSeededDefectsAreCaught: a product that does not wait for the disk loses something in the
// images, and the harness sees it. In a recording an answer may happen to be written behind the sync that it does not
// wait for: then there is nothing to see, and another one is made.
func TestSeededDefectsAreCaught(t *testing.T) {
	const enough, recordings = 2000, 8 // images of each
	defects := []defect.Defect{defect.SkipSync, defect.AckBeforeSync}
	if testing.Short() {
		defects = defects[:1] // make defects has both
	}
	for _, d := range defects {
		t.Run(string(d), func(t *testing.T) {
			program := filepath.Join(t.TempDir(), "subject")
			if err := programtest.Build(program, append(d.BuildFlags(), subjectPackage)...); err != nil {
				t.Fatal(err)
			}
			for n := range recordings {
				dir := record(t, program, true)
				began := time.Now()
				report, err := examine(t.Context(), dir, 0, enough, enough, 1)
				if err != nil {
					t.Fatal(err)
				}
				if len(report.Problems) > 0 {
					t.Logf("%s: caught by image %d of %d of recording %d, %.2f s: %.300s", d, report.Problems[0].Case,
						enough, n, time.Since(began).Seconds(), report.Problems[0].What)
					return
				}
			}
			t.Fatalf("%s was not caught within %d recordings", d, recordings)
		})
	}
}
