package daemon

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"

	"ctxledger.dev/engine"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/ledger"
)

// rawDial connects to a daemon without saying anything.
func rawDial(t *testing.T, state string) net.Conn {
	t.Helper()
	network, target, err := link.SplitAddress(published(t, state).Address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial(network, target)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	t.Cleanup(hangUp(conn))
	return conn
}

// hangUp bounds how long a test waits on a connection.
func hangUp(conn net.Conn) func() {
	stop := link.HangUpAfter(conn, patience)
	return func() { stop() }
}

// greeted connects and introduces itself.
func greeted(t *testing.T, state, want string) net.Conn {
	t.Helper()
	conn, _, err := link.Dial(deadlined(t), published(t, state), want, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	t.Cleanup(hangUp(conn))
	return conn
}

// ask sends one request and returns its answer.
func ask(t *testing.T, conn net.Conn, r link.Request) link.Response {
	t.Helper()
	if err := link.WriteJSON(conn, r); err != nil {
		t.Fatal(err)
	}
	return answer(t, conn)
}

func answer(t *testing.T, conn net.Conn) link.Response {
	t.Helper()
	var a link.Response
	if err := link.ReadJSON(conn, limits.Frame, &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// ended checks that the other side has hung up, after at most one frame.
func ended(t *testing.T, conn net.Conn) {
	t.Helper()
	for range 2 {
		if _, err := link.ReadFrame(conn, limits.Frame); err != nil {
			return
		}
	}
	t.Error("the connection is still open")
}

func TestGarbageEndsItsConnectionAlone(t *testing.T) {
	state := stateDir(t)
	run(t, Config{State: state})
	good := open(t, optionsFor(t, state))
	for _, c := range []struct {
		name string
		wire []byte
	}{
		{"http", []byte("GET / HTTP/1.1\r\nHost: x\r\n\r\n")},
		{"a length of four gigabytes", []byte{0xff, 0xff, 0xff, 0xff}},
		{"an empty frame", []byte{0, 0, 0, 0}},
		{"no json", []byte{0, 0, 0, 3, 'a', 'b', 'c'}},
		{"another json", []byte{0, 0, 0, 2, '[', ']'}},
		{"an introduction beyond its limit", binary.BigEndian.AppendUint32(nil, link.HelloFrame+1)},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := rawDial(t, state)
			if _, err := conn.Write(c.wire); err != nil {
				t.Fatal(err)
			}
			ended(t, conn)
		})
	}
	if _, err := good.Info(deadlined(t), ledger.InfoRequest{}); err != nil {
		t.Error(err)
	}
}

func TestWhoIsNotLetIn(t *testing.T) {
	state := stateDir(t)
	run(t, Config{State: state})
	token := published(t, state).Token
	for _, c := range []struct {
		name string
		h    link.Hello
		code fault.Code
	}{
		{"no token", link.Hello{Protocol: link.Protocol, Want: link.WantCalls}, fault.Denied},
		{"another token",
			link.Hello{Protocol: link.Protocol, Token: strings.Repeat("0", len(token)), Want: link.WantCalls},
			fault.Denied},
		{"another token to stop it",
			link.Hello{Protocol: link.Protocol, Token: "x", Want: link.WantLeave}, fault.Denied},
		{"a protocol too old",
			link.Hello{Protocol: link.OldestProtocol - 1, Token: token, Want: link.WantCalls}, fault.Invalid},
		{"an unknown wish", link.Hello{Protocol: link.Protocol, Token: token, Want: "x"}, fault.Invalid},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := link.Introduce(rawDial(t, state), c.h)
			if fault.CodeOf(err) != c.code {
				t.Errorf("error %v", err)
			}
		})
	}
	newer := link.Hello{Protocol: link.Protocol + 1, Token: token, Want: link.WantCalls}
	w, err := link.Introduce(rawDial(t, state), newer)
	if err != nil || w.Protocol != link.Protocol {
		t.Errorf("a newer client, who is to decide for itself: %+v, %v", w, err)
	}
}

func TestBadRequestsAreAnswered(t *testing.T) {
	state := stateDir(t)
	run(t, Config{State: state})
	conn := greeted(t, state, link.WantCalls)
	for i, c := range []struct {
		name, method, body string
		code               fault.Code
	}{
		{"unknown method", "Nothing", "{}", fault.Invalid},
		{"a stream as a call", "PutBlob", "{}", fault.Invalid},
		{"no body", "Info", "null", ""},
		{"wrong type", "Sessions", `{"limit":"x"}`, fault.Invalid},
		{"unknown field", "Sessions", `{"nothing":1}`, fault.Invalid},
		{"unknown thing", "Summary", `{"id":"000000000000"}`, fault.NotFound},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := ask(t, conn, link.Request{ID: uint64(i), Method: c.method, Body: json.RawMessage(c.body)})
			if _, err := a.Result(); a.ID != uint64(i) || fault.CodeOf(err) != c.code {
				t.Errorf("answer %d: %v", a.ID, err)
			}
		})
	}
}

// slow is a ledger whose Info waits for the end of its context, signals when it runs, and panics
// for those who ask for sessions.
type slow struct {
	ledger.API
	began, over chan struct{}
}

func (s slow) Info(ctx context.Context, _ ledger.InfoRequest) (ledger.Info, error) {
	s.began <- struct{}{}
	<-ctx.Done()
	s.over <- struct{}{}
	return ledger.Info{}, ctx.Err()
}

func (s slow) Sessions(context.Context, ledger.SessionsRequest) (ledger.SessionsResponse, error) {
	panic("the secret of the stack")
}

func (s slow) Artifacts(context.Context, ledger.ArtifactsRequest) (ledger.ArtifactsResponse, error) {
	return ledger.ArtifactsResponse{}, errors.New("a foreign error with a secret")
}

func (s slow) Summaries(context.Context, ledger.SummariesRequest) (ledger.SummariesResponse, error) {
	return ledger.SummariesResponse{Summaries: make([]ledger.Summary, limits.Frame/100)}, nil
}

// runSlow runs a daemon of a slow ledger, which is real otherwise.
func runSlow(t *testing.T, state string) (*running, slow) {
	t.Helper()
	s := slow{began: make(chan struct{}, 2*maxCalls), over: make(chan struct{}, 2*maxCalls)}
	r := run(t, Config{State: state, open: func(c Config) (ledger.API, error) {
		local, err := engine.Open(context.Background(), engine.Options{State: c.State, Env: env.System()})
		s.API = local
		return s, err
	}})
	return r, s
}

func TestCallsOfOneConnectionAreLimited(t *testing.T) {
	state := stateDir(t)
	_, s := runSlow(t, state)
	conn := greeted(t, state, link.WantCalls)
	for id := range maxCalls {
		r := link.Request{ID: uint64(id), Method: "Info", Body: json.RawMessage("{}")}
		if err := link.WriteJSON(conn, r); err != nil {
			t.Fatal(err)
		}
	}
	for range maxCalls {
		<-s.began
	}
	a := ask(t, conn, link.Request{ID: 7, Method: "Info", Body: json.RawMessage("{}")})
	if fault.CodeOf(a.Error) != fault.Invalid {
		t.Errorf("an id that is taken: %+v", a)
	}
	a = ask(t, conn, link.Request{ID: 999, Method: "Info", Body: json.RawMessage("{}")})
	if fault.CodeOf(a.Error) != fault.Limited {
		t.Errorf("one call too many: %+v", a)
	}
	if a := ask(t, conn, link.Request{ID: 7, Cancel: true}); a.ID != 7 || fault.CodeOf(a.Error) != fault.Unavailable {
		t.Errorf("a call taken back: %+v", a)
	}
	if a := ask(t, conn, link.Request{ID: 1000, Method: "Memories", Body: json.RawMessage("{}")}); a.Error != nil {
		t.Errorf("after one has ended: %+v", a)
	}
	_ = conn.Close()
	for range maxCalls {
		<-s.over // those of a client that is gone end as well
	}
}

func TestTheDeadlineOfACallReachesTheLedger(t *testing.T) {
	state := stateDir(t)
	_, s := runSlow(t, state)
	a := ask(t, greeted(t, state, link.WantCalls),
		link.Request{ID: 1, Method: "Info", Deadline: 20, Body: json.RawMessage("{}")})
	if fault.CodeOf(a.Error) != fault.Unavailable {
		t.Errorf("answer %+v", a)
	}
	<-s.began
	<-s.over
}

func TestACallThatIsGivenUpEndsInTheOwner(t *testing.T) {
	state := stateDir(t)
	_, s := runSlow(t, state)
	api := open(t, optionsFor(t, state))
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-s.began
		cancel()
	}()
	if _, err := api.Info(ctx, ledger.InfoRequest{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	<-s.over
}

func TestDefectsBecomeIncidents(t *testing.T) {
	state := stateDir(t)
	r, _ := runSlow(t, state)
	api := open(t, optionsFor(t, state))
	for _, c := range []struct {
		name, detail string
		call         func() error
	}{
		{"panic", "the secret of the stack", func() error {
			_, err := api.Sessions(deadlined(t), ledger.SessionsRequest{})
			return err
		}},
		{"foreign error", "a foreign error with a secret", func() error {
			_, err := api.Artifacts(deadlined(t), ledger.ArtifactsRequest{})
			return err
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.call()
			if !fault.Is(err, fault.Internal) || strings.Contains(err.Error(), "secret") {
				t.Fatalf("error %v", err)
			}
			fields := strings.Fields(err.Error())
			id := fields[len(fields)-1]
			log := contents(t, r.log)
			if !bytes.Contains(log, []byte(id)) || !bytes.Contains(log, []byte(c.detail)) {
				t.Errorf("incident %s is not explained in the log:\n%s", id, log)
			}
		})
	}
}

func TestAnswersAndRequestsBeyondAFrameAreRefused(t *testing.T) {
	state := stateDir(t)
	runSlow(t, state)
	api := open(t, optionsFor(t, state))
	if _, err := api.Summaries(deadlined(t), ledger.SummariesRequest{}); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a long answer: %v", err)
	}
	if _, err := api.SaveMemory(deadlined(t), fact(strings.Repeat("x", limits.Frame))); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a long request: %v", err)
	}
	save(t, api, "short")
}

// TestConnectionsOfADaemonAreLimited fills a daemon up: further clients get an error at once, and connect
// when somebody has left.
func TestConnectionsOfADaemonAreLimited(t *testing.T) {
	state := stateDir(t)
	run(t, Config{State: state})
	if n := link.Descriptors(); n > 0 && n < 3*maxClients {
		t.Skipf("the daemon and its clients are one process here, which may open %d files, and each connection takes two; "+
			"TestAnOwnerWithFewDescriptors fills such a daemon from outside", n)
	}
	for range maxClients - 1 {
		greeted(t, state, link.WantCalls)
	}
	last := greeted(t, state, link.WantCalls)
	_, err := Open(deadlined(t), optionsFor(t, state)) // a search that went on would end with another error
	if !fault.Is(err, fault.Limited) || fault.HintOf(err) == "" {
		t.Errorf("%v, hint %q", err, fault.HintOf(err))
	}
	if err := last.Close(); err != nil {
		t.Fatal(err)
	}
	until(t, "a connection is free again", func() bool {
		api, err := Open(deadlined(t), optionsFor(t, state))
		return err == nil && api.Close() == nil
	})
}
