package bolt

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"ctxledger.dev/kv"
)

// childDir makes this test binary a process that writes to a ledger until it is killed.
var childDir = flag.String("child", "", "for the tests' own use: write to the ledger in this directory")

func TestMain(m *testing.M) {
	flag.Parse()
	if *childDir == "" {
		goleak.VerifyTestMain(m)
		return
	}
	if err := writeForEver(*childDir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// writeForEver stores one record and one blob after the other and prints the number and the
// blob's name once both are acknowledged.
func writeForEver(dir string) error {
	s, err := Open(dir, Options{})
	if err != nil {
		return err
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

// TestInvariant7AcknowledgedSurvivesKill: a second process is told that the ledger is locked;
// after kill -9 the ledger opens at once and holds everything that was acknowledged.
func TestInvariant7AcknowledgedSurvivesKill(t *testing.T) {
	dir := t.TempDir()
	acked := map[string]string{}
	for round := range 5 {
		cmd := exec.Command(os.Args[0], "-child", dir)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		must(t, err)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for range 1 + 17*round {
			if !lines.Scan() {
				t.Fatalf("the child stopped: %v", lines.Err())
			}
			ack(acked, lines.Text())
		}
		if _, err := Open(dir, Options{}); !IsLocked(err) {
			t.Errorf("opened beside another process: %v", err)
		}
		must(t, cmd.Process.Kill())
		for lines.Scan() { // what it printed before it died
			ack(acked, lines.Text())
		}
		_ = cmd.Wait() // killed, as we wanted
		checkAcked(t, dir, acked)
	}
}

// ack notes one whole line of the child.
func ack(acked map[string]string, line string) {
	if key, hash, ok := strings.Cut(line, " "); ok && len(hash) == 64 {
		acked[key] = hash
	}
}

// checkAcked opens the ledger and looks for every record and its blob.
func checkAcked(t *testing.T, dir string, acked map[string]string) {
	t.Helper()
	s := mustOpen(t, dir, Options{})
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
