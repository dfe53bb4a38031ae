package sharetest

import (
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"ctxledger.dev/engine/daemon"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/sessions"
)

// workerArgument makes the test binary a worker process.
const workerArgument = "__worker"

// theEnd is the memory that is saved when all histories are complete.
const theEnd = "the end"

// assignment is what a worker process reads from its standard input.
type assignment struct {
	State, Workspace, Bin string
	Process, Clients      int
	Operations            int // of each client
	Keys                  int // registers; there are a quarter as many imports
	Seed                  uint64
}

// done is the first thing that a worker writes to its standard output.
type done struct{ History []record }

// watched is the second: what it saw of the events, from the first to theEnd.
type watched struct {
	Events int64
	Digest string
}

// work is a worker process.
func work(in io.Reader, out io.Writer) error {
	var a assignment
	if err := gob.NewDecoder(in).Decode(&a); err != nil {
		return err
	}
	var (
		work      sync.WaitGroup
		seen      watched
		missed    error
		histories = make([][]record, a.Clients)
		failures  = make([]error, a.Clients+1)
	)
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		seen, missed = watch(a)
	}()
	for i := range a.Clients {
		work.Go(func() { histories[i], failures[i] = history(a, i) })
	}
	work.Wait()
	var d done
	for _, h := range histories {
		d.History = append(d.History, h...)
	}
	to := gob.NewEncoder(out)
	if err := errors.Join(append(failures, to.Encode(d))...); err != nil {
		return err
	}
	<-watching
	return errors.Join(missed, to.Encode(seen))
}

// open opens the ledger of an assignment.
func (a assignment) open() (ledger.API, error) {
	return daemon.Open(context.Background(), daemon.Options{
		State: a.State, Workspace: a.Workspace, Env: env.System(), Version: "worker",
		Binary: []string{filepath.Join(a.Bin, "ctxledger")},
	})
}

// watch follows the events, which have to come one by one in order.
func watch(a assignment) (seen watched, err error) {
	api, err := a.open()
	if err != nil {
		return seen, err
	}
	defer func() { err = errors.Join(err, api.Close()) }()
	digest := sha256.New()
	for {
		got, err := api.WaitEvents(context.Background(),
			ledger.WaitEventsRequest{After: seen.Events, Limit: 1000, WaitMS: 30_000})
		if err != nil || got.Missed {
			return seen, fmt.Errorf("after event %d: missed %v, %w", seen.Events, got.Missed, err)
		}
		for _, e := range got.Events {
			if e.Seq != seen.Events+1 {
				return seen, fmt.Errorf("event %d came after event %d", e.Seq, seen.Events)
			}
			seen.Events = e.Seq
			fmt.Fprintln(digest, e)
			if e.ID == theEnd {
				seen.Digest = hex.EncodeToString(digest.Sum(nil))
				return seen, nil
			}
		}
	}
}

// client is one client of a worker, with a connection of its own.
type client struct {
	a     assignment
	id    int
	api   ledger.API
	dice  *rand.Rand
	known map[string]string // the offset of each import, as last heard
	past  []record
}

// history makes the operations of one client.
func history(a assignment, i int) (_ []record, err error) {
	api, err := a.open()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, api.Close()) }()
	c := &client{a: a, id: a.Process*a.Clients + i, api: api, known: map[string]string{}}
	c.dice = rand.New(rand.NewPCG(a.Seed, uint64(c.id)))
	for n := range a.Operations {
		if err := c.step(n); err != nil {
			return nil, fmt.Errorf("client %d, operation %d: %w", c.id, n, err)
		}
	}
	return c.past, nil
}

// step makes one operation and records it.
func (c *client) step(n int) error {
	r := record{Client: c.id, Key: fmt.Sprintf("key-%d", c.dice.IntN(c.a.Keys))}
	switch x := c.dice.IntN(100); {
	case x < 40:
		r.Do = get
	case x < 75:
		r.Do, r.Value = put, fmt.Sprintf("%d of %d", n, c.id)
	case x < 85:
		r.Do = remove
	default:
		r.Key = fmt.Sprintf("import-%d", c.dice.IntN(max(1, c.a.Keys/4)))
		if at, ok := c.known[r.Key]; ok {
			r.Do, r.Value = appending, at
		} else {
			r.Do = offset
		}
	}
	var err error
	r.Called = time.Now().UnixNano()
	r.Result, err = c.do(r)
	r.Done = time.Now().UnixNano()
	c.past = append(c.past, r)
	return err
}

// do makes an operation through the API. An answer that the model knows is no error.
func (c *client) do(r record) (result string, err error) {
	ctx := context.Background()
	switch r.Do {
	case put:
		e := memory.Entry{Name: r.Key, Description: "a register", Body: r.Value, Source: "user"}
		_, err = c.api.SaveMemory(ctx, ledger.SaveMemoryRequest{Entry: e, Overwrite: true})
		return nothing, err
	case get:
		e, err := c.api.Memory(ctx, ledger.MemoryRequest{Name: r.Key})
		return content(e, err)
	case remove:
		e, err := c.api.DeleteMemory(ctx, ledger.DeleteMemoryRequest{Name: r.Key})
		return content(e, err)
	case offset:
		st, err := c.api.ImportState(ctx, ledger.ImportStateRequest{Import: r.Key})
		result = strconv.FormatInt(st.Offset, 10)
		c.known[r.Key] = result
		return result, err
	default:
		return c.append(ctx, r)
	}
}

// content returns the value of a register.
func content(e memory.Entry, err error) (string, error) {
	if fault.Is(err, fault.NotFound) {
		return nothing, nil
	}
	return e.Body, err
}

// append appends one entry to an import.
func (c *client) append(ctx context.Context, r record) (string, error) {
	at, err := strconv.ParseInt(r.Value, 10, 64)
	if err != nil {
		return "", err
	}
	original := fmt.Appendf(nil, `{"client":%d,"at":%d}`, c.id, at)
	next := at + int64(len(original))
	_, err = c.api.AppendEntries(ctx, ledger.AppendEntriesRequest{
		Import: r.Key, Session: sessions.Session{Host: "sharetest", HostID: r.Key},
		Offset: at, Next: next, Done: true,
		Entries: []sessions.NewEntry{{Kind: sessions.KindNote, Original: original}},
	})
	if fault.Is(err, fault.Conflict) {
		delete(c.known, r.Key)
		return refused, nil
	}
	c.known[r.Key] = strconv.FormatInt(next, 10)
	return c.known[r.Key], err
}
