package tokens

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"testing"
	"time"
)

// The oracle is the reference itself: npm `tiktoken`, OpenAI's own core, in a process of Node that
// runs testdata/oracle.mjs for one encoding. `make reference` installs it and sets the variable; without
// that these tests are left out, and counts are compared with the committed ones of testdata alone.
const (
	// oracleVariable names the environment variable with the directory where tiktoken is installed.
	oracleVariable = "CTXLEDGER_ORACLE"
	// oracleDeadline is how long one process may take for everything it is asked.
	oracleDeadline = 30 * time.Minute
	// batchBytes is about how much is asked at a time.
	batchBytes = 64 << 10
	// wantsIDs in the length of a text asks for the ids.
	wantsIDs = 1 << 31
)

// oracle is a running process of the reference for one encoding.
type oracle struct {
	e   *Encoding
	in  io.Writer
	out *bufio.Reader
}

// answer is what the reference says of a text: the number of its ids and the start of their SHA-256.
type answer struct {
	n    uint32
	hash [8]byte
}

// oracleDirectory returns where tiktoken is installed, or skips the test.
func oracleDirectory(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: nothing is compared with npm tiktoken")
	}
	dir := os.Getenv(oracleVariable)
	if dir == "" {
		t.Skipf("%s is not set: `make reference` installs npm tiktoken, and compares with it", oracleVariable)
	}
	return dir
}

// startOracle starts a process that is killed when the test ends.
func startOracle(t testing.TB, e *Encoding) *oracle {
	t.Helper()
	dir := oracleDirectory(t)
	ctx, kill := context.WithTimeout(t.Context(), oracleDeadline)
	cmd := exec.CommandContext(ctx, "node", "testdata/oracle.mjs", dir, e.String())
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		kill()
		_ = cmd.Wait() // it was killed
	})
	return &oracle{e, in, bufio.NewReaderSize(out, 1<<20)}
}

// withOracle runs check for every encoding with an oracle of its own, all of them at once.
func withOracle(t *testing.T, check func(t *testing.T, o *oracle)) {
	for _, e := range Encodings() {
		t.Run(e.String(), func(t *testing.T) {
			t.Parallel()
			check(t, startOracle(t, e))
		})
	}
}

// compare asks about every text and fails the test where the package says something else. The next
// texts are on their way while the answers to the last ones are read. It returns how many there were.
func (o *oracle) compare(t *testing.T, texts iter.Seq[string]) (n int) {
	t.Helper()
	asked := make(chan []string, 2)
	written := make(chan error, 1)
	go func() {
		defer close(asked)
		written <- o.ask(texts, asked)
	}()
	n, differing, err := o.check(asked)
	for range asked { // after an error, until the writer meets it too
	}
	if err := errors.Join(err, <-written); err != nil {
		t.Fatalf("%s: the reference left after %d texts: %v", o.e, n, err)
	}
	for _, text := range differing {
		o.explain(t, text)
	}
	return n
}

// ask writes the texts in batches. Each is handed to asked before it is written, so that its answers
// are read while they come.
func (o *oracle) ask(texts iter.Seq[string], asked chan<- []string) error {
	var batch []string
	var raw []byte
	for text := range texts {
		batch = append(batch, text)
		raw = binary.LittleEndian.AppendUint32(raw, uint32(len(text)))
		raw = append(raw, text...)
		if len(raw) < batchBytes {
			continue
		}
		asked <- batch
		if _, err := o.in.Write(raw); err != nil {
			return err
		}
		batch, raw = nil, raw[:0]
	}
	asked <- batch
	_, err := o.in.Write(raw)
	return err
}

// check reads the answers to what was asked. It returns how many there were, and some of the texts of
// which the package says something else.
func (o *oracle) check(asked <-chan []string) (n int, differing []string, err error) {
	var ids []uint32
	for batch := range asked {
		for _, text := range batch {
			want, err := o.readAnswer()
			if err != nil {
				return n, differing, fmt.Errorf("on %.100q (%d bytes): %w", text, len(text), err)
			}
			n++
			ids = o.e.encode(ids[:0], []byte(text))
			same := answerOf(ids) == want && counts(o.e, text) == [...]int{int(want.n), int(want.n), int(want.n)}
			if !same && len(differing) < 10 {
				differing = append(differing, text)
			}
		}
	}
	return n, differing, nil
}

// explain fails the test and shows where the ids of text part from the reference's.
func (o *oracle) explain(t *testing.T, text string) {
	t.Helper()
	want, err := o.encode(text)
	if err != nil {
		t.Fatal(err)
	}
	got := o.e.encode(nil, []byte(text))
	i := 0
	for i < len(got) && i < len(want) && got[i] == want[i] {
		i++
	}
	t.Errorf("%s: %.300q (%d bytes): %d ids, counts %d; the reference has %d ids; from id %d on %v, the reference has %v",
		o.e, text, len(text), len(got), counts(o.e, text), len(want), i, some(got[i:]), some(want[i:]))
}

// counts returns what all ways of counting a text come to.
func counts(e *Encoding, text string) [3]int {
	raw := []byte(text)
	return [...]int{e.Count(raw), e.CountString(text), e.CountParallel(raw, 3)}
}

// some returns the first ids.
func some(ids []uint32) []uint32 { return ids[:min(len(ids), 10)] }

// encode returns the ids that the reference gives text.
func (o *oracle) encode(text string) ([]uint32, error) {
	question := append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))|wantsIDs), text...)
	if _, err := o.in.Write(question); err != nil {
		return nil, err
	}
	n, err := o.readUint32()
	if err != nil {
		return nil, err
	}
	ids := make([]uint32, n)
	return ids, binary.Read(o.out, binary.LittleEndian, ids)
}

// readAnswer reads the answer to a question that did not ask for the ids.
func (o *oracle) readAnswer() (a answer, err error) {
	if a.n, err = o.readUint32(); err == nil {
		_, err = io.ReadFull(o.out, a.hash[:])
	}
	return a, err
}

func (o *oracle) readUint32() (uint32, error) {
	var raw [4]byte
	_, err := io.ReadFull(o.out, raw[:])
	return binary.LittleEndian.Uint32(raw[:]), err
}

// answerOf returns what the reference would say of a text with these ids.
func answerOf(ids []uint32) answer {
	raw := make([]byte, 0, 4*len(ids))
	for _, id := range ids {
		raw = binary.LittleEndian.AppendUint32(raw, id)
	}
	sum := sha256.Sum256(raw)
	return answer{uint32(len(ids)), [8]byte(sum[:])}
}
