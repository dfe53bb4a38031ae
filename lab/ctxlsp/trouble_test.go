package ctxlsp

import (
	wire "encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"ctxledger.dev/engine"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/kv"
	"ctxledger.dev/ledger"
)

// trouble is something that keeps a ledger from being used.
type trouble struct {
	name string
	// begin makes it, before a server starts, and returns what ends it.
	begin         func(t *testing.T, p *place) (end func())
	problem, hint string // parts of the line that the editor shows
}

// troubles are those that need nothing but files and a neighbour.
func troubles() []trouble {
	return []trouble{
		{"a state directory that is a file", func(t *testing.T, p *place) func() {
			must(t, os.WriteFile(p.State, nil, 0o644))
			return func() { must(t, os.Remove(p.State)) }
		}, "not a directory", "set CTXLEDGER_STATE to a directory of your own"},
		{"a text in the place of the ledger", spoiled([]byte(strings.Repeat("no ledger ", 1000))), "not a ledger file",
			"`ctxledger ledger repair`"},
		{"an empty ledger", spoiled(nil), "is empty", "`ctxledger ledger repair`"},
		{"a ledger that is cut off", func(t *testing.T, p *place) func() {
			file, raw := p.ledger(t)
			must(t, os.Truncate(file, int64(3*os.Getpagesize())))
			return func() { must(t, os.WriteFile(file, raw, 0o600)) }
		}, "cut off", "`ctxledger ledger repair`"},
		{"a ledger of a newer format", func(t *testing.T, p *place) func() {
			file, raw := p.ledger(t)
			setFormat(t, file, "99")
			return func() { must(t, os.WriteFile(file, raw, 0o600)) }
		}, "format 99", "upgrade ctxledger"},
		{"a state directory that others can enter, with files of theirs", func(t *testing.T, p *place) func() {
			state := p.Workspace(t).State
			must(t, os.MkdirAll(state, 0o755))
			theirs := filepath.Join(state, "theirs")
			must(t, errors.Join(os.Chmod(state, 0o777), os.WriteFile(theirs, nil, 0o644)))
			return func() { must(t, os.Remove(theirs)) }
		}, "open to others", "chmod 700"},
		{"a process that keeps the ledger to itself", func(t *testing.T, p *place) func() {
			other := serve(t, p.Command(t, binary, "--stdio", "--in-process"))
			other.inWorkspace(t, *p, map[string]any{"status": true})
			for !owned(p.Workspace(t).State) && other.ctx.Err() == nil {
				other.sync(t)
			}
			return func() { other.leave(t) }
		}, "has exclusive use of the ledger", "stop that process"},
		{"an owner of a newer version", newerOwner, "no longer serves", "update this program"},
	}
}

// TestAConfigurationThatCannotBeUsedIsSaid: the ledger is there all the same, and the editor says what is in effect.
func TestAConfigurationThatCannotBeUsedIsSaid(t *testing.T) {
	p := newPlace(t)
	p.StopDaemons(t)
	p.put(t, "ctxledger.yaml", "\nfollow: perhaps\n")
	s := p.start(t, "CLAUDE_CONFIG_DIR="+t.TempDir())
	s.inWorkspace(t, p, map[string]any{"status": true})
	st := s.awaitStatus(t, func(st status) bool { return st.Problem != "" })
	if !strings.HasPrefix(st.Problem, "ctxledger.yaml:2:9: follow: ") ||
		!strings.HasSuffix(st.Problem, "the defaults are in effect instead") || st.Hint == "" {
		t.Errorf("%+v", st)
	}
	if c, err := s.context(t, ""); err != nil || c.Turns == nil {
		t.Errorf("%+v, %v", c, err)
	}
	p.put(t, "ctxledger.yaml", "follow: true\n") // corrected by another program
	s.awaitStatusNow(t, func(st status) bool { return !strings.Contains(st.Problem, "ctxledger.yaml") })
	s.leave(t)
}

// owned reports whether an owner has said that it is there.
func owned(state string) bool {
	_, err := os.Stat(filepath.Join(state, "owner.json"))
	return err == nil
}

// spoiled is something in the place of the ledger.
func spoiled(content []byte) func(*testing.T, *place) func() {
	return func(t *testing.T, p *place) func() {
		file := filepath.Join(p.Workspace(t).State, "ledger.db")
		must(t, errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, content, 0o600)))
		return func() { must(t, os.Remove(file)) }
	}
}

// ledger makes a real one, and returns its file and what is in it.
func (p *place) ledger(t *testing.T) (file string, content []byte) {
	t.Helper()
	ws := p.Workspace(t)
	local, err := engine.Open(t.Context(), engine.Options{State: ws.State, Workspace: ws.Root, Env: env.System()})
	must(t, err)
	for range 20 {
		_, err := local.AppendMessages(
			t.Context(), ledger.AppendMessagesRequest{Host: "test", Format: "anthropic", Messages: [][]byte{
				[]byte(`{"role":"user","content":"` + strings.Repeat("word ", 1000) + `"}`)}})
		must(t, err)
	}
	must(t, local.Close())
	file = filepath.Join(ws.State, "ledger.db")
	content, err = os.ReadFile(file)
	must(t, err)
	return file, content
}

// setFormat has a ledger say that it is of another format.
func setFormat(t *testing.T, file, format string) {
	t.Helper()
	const bucket, key = kv.Bucket("\x00ctxledger"), "format"
	db, err := bbolt.Open(file, 0o600, &bbolt.Options{NoFreelistSync: true})
	must(t, err)
	must(t, db.Update(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(bucket)).Put([]byte(key), kv.Seal(bucket, []byte(key), []byte(format)))
	}))
	must(t, db.Close())
}

// newerOwner plays the daemon of a version that does not speak with ours any more.
func newerOwner(t *testing.T, p *place) func() {
	state := p.Workspace(t).State
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	who, err := json.Marshal(
		map[string]any{"protocol": 99, "pid": os.Getpid(), "address": "tcp:" + l.Addr().String(), "token": "x"})
	must(t, err)
	file := filepath.Join(state, "owner.json")
	must(t, errors.Join(os.MkdirAll(state, 0o700), os.WriteFile(file, who, 0o600)))
	refusal := `{"protocol":99,"pid":1,"error":{"code":"invalid","op":"daemon.greet",` +
		`"message":"the daemon no longer serves protocol 2","hint":"update this program"}}`
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			var length [4]byte
			if _, err := io.ReadFull(conn, length[:]); err == nil {
				_, _ = io.CopyN(io.Discard, conn, int64(wire.BigEndian.Uint32(length[:])))
			}
			_, _ = conn.Write(append(wire.BigEndian.AppendUint32(nil, uint32(len(refusal))), refusal...))
			_ = conn.Close() // who was refused reads it or has gone
		}
	}()
	return func() {
		must(t, errors.Join(l.Close(), os.Remove(file)))
		<-done
	}
}

// sync returns when the server has taken in what was sent.
func (s *server) sync(t *testing.T) {
	t.Helper()
	must(t, s.Call(s.ctx, "textDocument/foldingRange", scriptededitor.Document("untitled:none", nil), nil))
}

// TestALedgerInTroubleHurtsNobody has an editor work while the ledger cannot be used: it gets one line that says what
// to do, and a notification when the trouble has ended.
func TestALedgerInTroubleHurtsNobody(t *testing.T) {
	for _, c := range troubles() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			end := c.begin(t, &p)
			s := p.start(t)
			c.check(t, s, p, func() {
				if panel, err := s.context(t, ""); err == nil || !strings.Contains(err.Error(), c.problem) {
					t.Errorf("the panel is told %+v, %v", panel, err)
				}
				end()
			})
		})
	}
}

// check is the test of one trouble, with a server that meets it.
func (c trouble) check(t *testing.T, s *server, p place, end func()) {
	t.Helper()
	s.inWorkspace(t, p, map[string]any{"status": true, "lens": "always", "hover": "always"})
	const uri = "untitled:x"
	must(t, s.Open(uri, "markdown", guide))
	works := func() {
		t.Helper()
		if got := s.cost(t, uri); got != count(guide) {
			t.Errorf("the lens says %q", got)
		}
		hover := ask[json.RawMessage](t, s, "textDocument/hover", uri,
			map[string]any{"position": scriptededitor.Position{Character: 3}})
		if !strings.Contains(string(hover), "counted on its own") {
			t.Errorf("the hover says %s", hover)
		}
	}
	works()
	s.awaitStatus(t, func(st status) bool {
		return strings.Contains(st.Problem, c.problem) && strings.Contains(st.Hint, c.hint) && st.Session == ""
	})
	if got, err := s.context(t, ""); err == nil || !strings.Contains(err.Error(), c.problem) {
		t.Errorf("the panel is told %+v, %v", got, err)
	}
	for _, st := range s.statuses(t) {
		t.Logf("problem: %s · hint: %s", st.Problem, st.Hint)
		if line := st.Problem + st.Hint; strings.ContainsAny(line, "\n\r") || len(line) > 600 ||
			(st.Problem == "") != (st.Hint == "") {
			t.Errorf("no line for a status bar: %q", line)
		}
	}
	works()
	began := time.Now()
	end()
	s.awaitStatusNow(t, func(st status) bool { return st.Problem == "" })
	t.Logf("it was told %v after the end of the trouble", time.Since(began).Round(time.Millisecond))
	works()
	p.StopDaemons(t)
	s.leave(t)
}

// statuses returns what the server said of the live session.
func (s *server) statuses(t *testing.T) (list []status) {
	t.Helper()
	told, err := s.Until(s.ctx, func([]scriptededitor.Message) bool { return true })
	must(t, err)
	for _, m := range told {
		var st status
		if m.Method == "ctxledger/status" {
			must(t, json.Unmarshal(m.Params, &st))
			list = append(list, st)
		}
	}
	return list
}

// awaitStatusNow waits until the newest status is one.
func (s *server) awaitStatusNow(t *testing.T, ok func(status) bool) {
	t.Helper()
	_, err := s.Until(s.ctx, func([]scriptededitor.Message) bool {
		list := s.statuses(t)
		return len(list) > 0 && ok(list[len(list)-1])
	})
	if err != nil {
		t.Fatalf("%v; told %+v; standard error: %s", err, s.statuses(t), s.stderr)
	}
}

// TestWithoutALedgerNothingIsWrong opens folders that have none, and no folder.
func TestWithoutALedgerNothingIsWrong(t *testing.T) {
	for name, folders := range map[string]bool{"a folder": true, "no folder": false} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.StopDaemons(t)
			s := p.start(t)
			settings := map[string]any{"status": true, "lens": "always"}
			if folders {
				s.inWorkspace(t, p, settings)
			} else {
				_, err := s.Initialize(s.ctx, capable, settings, nil)
				must(t, err)
			}
			must(t, s.Open("untitled:x", "markdown", guide))
			if got := s.cost(t, "untitled:x"); got != count(guide) {
				t.Errorf("the lens says %q", got)
			}
			for folders && !owned(p.Workspace(t).State) && s.ctx.Err() == nil { // messages are sent by then
				s.sync(t)
			}
			s.leave(t) // pending notifications arrive before that
			for _, st := range s.statuses(t) {
				if st.Problem != "" {
					t.Errorf("the editor is told of %+v", st)
				}
			}
		})
	}
}
