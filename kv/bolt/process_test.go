package bolt

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
)

// childDir makes this test binary a process that writes to a ledger until it is killed.
var (
	childDir    = flag.String("child", "", "for the tests' own use: write to the ledger in this directory")
	childVacuum = flag.Bool("childvacuum", false, "for the tests' own use: and rewrite it all the time")
)

func TestMain(m *testing.M) {
	flag.Parse()
	if *childDir == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if err := writeForEver(*childDir, *childVacuum); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// writeForEver stores one record and one blob after the other and prints the number and the
// blob's name once both are acknowledged. If vacuum is set, the file is rewritten meanwhile.
func writeForEver(dir string, vacuum bool) error {
	s, err := Open(dir, kv.Options{})
	if err != nil {
		return err
	}
	if vacuum {
		go func() {
			for err := error(nil); err == nil; err = s.Vacuum(context.Background()) {
			}
			fmt.Println("the vacuum failed") // is noticed as a line that is no acknowledgement
		}()
	}
	for i := 0; ; i++ {
		ref, err := s.PutBlob(context.Background(), strings.NewReader(fmt.Sprintln("content", i)), 100)
		if err != nil {
			return err
		}
		err = s.Update(context.Background(), func(tx kv.Tx) error {
			return tx.Put("entries", []byte(strconv.Itoa(i)), []byte(ref.Hash))
		})
		if err != nil {
			return err
		}
		fmt.Println(i, ref.Hash)
	}
}

// TestInvariant7AcknowledgedSurvivesKill: a second process finds the ledger locked;
// after kill -9 the ledger opens at once and holds everything that was acknowledged.
func TestInvariant7AcknowledgedSurvivesKill(t *testing.T) {
	dir, acked := t.TempDir(), map[string]string{}
	for round := range 5 {
		killAfter(t, dir, 1+17*round, acked)
		checkAcked(t, dir, acked)
	}
}

// TestInvariant7AcknowledgedSurvivesKillDuringVacuum: also while the file is being replaced, of
// which nothing is left behind.
func TestInvariant7AcknowledgedSurvivesKillDuringVacuum(t *testing.T) {
	dir, acked := t.TempDir(), map[string]string{}
	unfinished, kills := 0, 20
	if testing.Short() {
		kills = 4
	}
	for round := range kills {
		killAfter(t, dir, 1+3*round, acked, "-childvacuum")
		left, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
		must(t, err)
		unfinished += len(left)
		checkAcked(t, dir, acked)
		entries, err := os.ReadDir(dir)
		must(t, err)
		if len(entries) != 2 {
			t.Errorf("files %v", entries)
		}
	}
	t.Logf("%d of %d kills left an unfinished file", unfinished, kills)
}

// killAfter starts a writing child, kills it after so many acknowledgements, which it notes, and
// tries to open the ledger meanwhile.
func killAfter(t *testing.T, dir string, n int, acked map[string]string, args ...string) {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"-child", dir}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for range n {
		if !lines.Scan() {
			t.Fatalf("the child stopped: %v", lines.Err())
		}
		ack(t, acked, lines.Text())
		if _, err := Open(dir, kv.Options{}); !fault.Is(err, fault.Locked) {
			t.Errorf("opened while another process has it: %v", err)
		}
	}
	must(t, cmd.Process.Kill())
	for last := ""; lines.Scan(); last = lines.Text() { // what it printed before it died
		if last != "" {
			ack(t, acked, last)
		}
	}
	_ = cmd.Wait() // killed, as we wanted
}

// ack notes one line of the child.
func ack(t *testing.T, acked map[string]string, line string) {
	t.Helper()
	key, hash, ok := strings.Cut(line, " ")
	if !ok || len(hash) != 64 {
		t.Errorf("the child printed %q", line)
	}
	acked[key] = hash
}

// checkAcked opens the ledger and looks for every record and its blob.
func checkAcked(t *testing.T, dir string, acked map[string]string) {
	t.Helper()
	s := mustOpen(t, dir, kv.Options{})
	defer s.Close()
	for key, hash := range acked {
		must(t, s.View(context.Background(), func(tx kv.Tx) error {
			value, err := tx.Get("entries", []byte(key))
			if err == nil && string(value) != hash {
				t.Errorf("record %s = %q, acknowledged was %q", key, value, hash)
			}
			return err
		}))
		b, err := s.OpenBlob(context.Background(), hash)
		must(t, err)
		text, err := io.ReadAll(io.NewSectionReader(b, 0, b.Ref().Size))
		if err != nil || string(text) != "content "+key+"\n" {
			t.Errorf("blob of record %s = %q, %v", key, text, err)
		}
		must(t, b.Close())
	}
}
