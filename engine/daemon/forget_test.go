package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/engine/daemon/link"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/kv"
	"ctxledger.dev/kv/stores"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/transcript"
)

// secret is what the tests plant and forget. JSON writes it in another way.
const secret = `hunter"2/<7>é-xyzzy`

// inJSON returns a text as JSON writes it inside a string.
func inJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b[1 : len(b)-1])
}

// planted is a conversation with the secret in a request, an answer, a call's arguments and path, and
// in results in the record, in a blob and in an artifact. The messages between them hold none of it.
func planted() (messages [][]byte) {
	q, n := inJSON(secret), 0
	add := func(format string, args ...any) { messages = append(messages, fmt.Appendf(nil, format, args...)) }
	call := func(name, args, result string) {
		n++
		add(`{"role":"assistant","content":[{"type":"tool_use","id":"c%d","name":%q,"input":%s}]}`, n, name, args)
		add(`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c%d","is_error":%t,"content":"%s"}]}`, n,
			n == 1, inJSON(result))
	}
	add(`{"role":"user","content":"Deploy with %s, please."}`, q)
	call("Bash", `{"command":"deploy --key '`+q+`'"}`, "Exit code 1\nerror: bad key "+secret)
	call("Write", `{"file_path":"/w/`+q+`.txt","content":"x"}`, "File created successfully")
	call("Bash", `{"command":"show"}`, strings.Repeat("a line of output\n", 2000)+secret)
	call("Bash", `{"command":"show --all"}`, strings.Repeat("a line of much output\n", 4000)+secret)
	add(`{"role":"assistant","content":"With %s it is done."}`, q)
	for i := range 30 {
		add(`{"role":"user","content":"Request %d."}`, i)
		call("Bash", fmt.Sprintf(`{"command":"go test ./p%d"}`, i), strings.Repeat(fmt.Sprintf("ok p%d\n", i), 20*i))
		add(`{"role":"assistant","content":"Done %d."}`, i)
	}
	return messages
}

// plant records the conversation, a summary of it, a memory with an earlier version, and two artifacts.
// It returns the session.
func plant(t *testing.T, api ledger.API) string {
	t.Helper()
	ctx := deadlined(t)
	r, err := api.AppendMessages(ctx, ledger.AppendMessagesRequest{Format: transcript.Anthropic, Messages: planted()})
	if err != nil {
		t.Fatal(err)
	}
	plan := ledger.PlanCompactionRequest{Session: r.Session,
		Options: compaction.Options{Keep: 2, Notes: "the key is " + secret}}
	if p, err := ledger.Compact(ctx, api, plan, "", false); err != nil || !strings.Contains(p.Summary.Text, secret) {
		t.Fatalf("the summary does not quote it: %v", err)
	}
	for _, body := range []string{"old " + secret, "new " + secret} {
		_, err := api.SaveMemory(ctx,
			ledger.SaveMemoryRequest{Entry: memory.Entry{Name: "the key " + secret, Body: body, Source: "user"}})
		if err != nil {
			t.Fatal(err)
		}
	}
	for title, content := range map[string]string{"titled " + secret: "harmless", "harmless": "it is " + secret} {
		ref, err := api.PutBlob(ctx, strings.NewReader(content))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := api.PutArtifact(ctx, ledger.PutArtifactRequest{Blob: ref.Hash, Title: title}); err != nil {
			t.Fatal(err)
		}
	}
	return r.Session
}

// received returns every original of a session, a line each.
func received(t *testing.T, api ledger.API, session string) [][]byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := ledger.WriteOriginals(deadlined(t), api, &b, session, 0, 0); err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(b.Bytes()), []byte("\n"))
}

// holds reports whether bytes hold the secret, as it is or as JSON writes it once or twice.
func holds(b []byte) bool {
	for _, form := range []string{secret, inJSON(secret), inJSON(inJSON(secret))} {
		if bytes.Contains(b, []byte(form)) ||
			bytes.Contains(b, []byte(strings.NewReplacer(`\u003c`, "<", `\u003e`, ">").Replace(form))) {
			return true
		}
	}
	return false
}

var kills = flag.Int("kills", 8, "how many owners are killed while they forget")

// TestForgottenIsReallyGoneAfterKills kills the owner in the middle of forgetting, at instants spread
// over the whole of it, each time from the same beginning. Forgotten once more, the text is in no file,
// and everything else is as it was.
func TestForgottenIsReallyGoneAfterKills(t *testing.T) {
	kills := *kills
	if testing.Short() {
		kills = 3
	}
	beginning := stateDir(t)
	o := optionsFor(t, beginning)
	api := open(t, o)
	session := plant(t, api)
	before := received(t, api, session)
	if err := link.Stop(deadlined(t), beginning); err != nil {
		t.Fatal(err)
	}
	whole := forgetIn(t, o, beginning, 0) // how long it takes undisturbed
	for i := range kills {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			state := stateDir(t)
			copyDir(t, beginning, state)
			o := o
			o.State = state
			forgetIn(t, o, state, whole*time.Duration(i+1)/time.Duration(kills))
			forgottenIn(t, o, session, before)
		})
	}
}

// forgetIn forgets the secret in a copy of a ledger and kills the owner after a while, if that is not 0.
// It returns how long the forgetting took.
func forgetIn(t *testing.T, o Options, state string, kill9 time.Duration) time.Duration {
	t.Helper()
	if kill9 == 0 {
		o.State = stateDir(t)
		copyDir(t, state, o.State)
	}
	ctx, giveUp := context.WithCancel(deadlined(t))
	defer giveUp()
	api, err := Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer api.Close() // its owner is dead
	pid := published(t, o.State).PID
	start, done := time.Now(), make(chan error, 1)
	go func() {
		_, err := api.Forget(ctx, ledger.ForgetRequest{Text: secret})
		done <- err
	}()
	if kill9 == 0 {
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		return time.Since(start)
	}
	<-time.After(kill9)
	kill(t, pid)
	giveUp() // the request is not sent to the next owner
	<-done
	return time.Since(start)
}

// forgottenIn opens a ledger again, forgets again, and looks at everything.
func forgottenIn(t *testing.T, o Options, session string, before [][]byte) {
	t.Helper()
	api := open(t, o)
	f, err := api.Forget(deadlined(t), ledger.ForgetRequest{Text: secret})
	if err != nil || len(f.Left) != 0 {
		t.Fatalf("%+v, %v", f, err)
	}
	after := received(t, api, session)
	if len(after) != len(before) {
		t.Fatalf("%d originals of %d", len(after), len(before))
	}
	for i := range before {
		gone := bytes.Contains(after[i], []byte("[forgotten on "))
		if gone != holds(before[i]) || !gone && !bytes.Equal(before[i], after[i]) {
			t.Errorf("original %d was %.200s\nand is %.200s", i, before[i], after[i])
		}
	}
	v, err := ledger.Messages(deadlined(t), api, ledger.ViewRequest{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	var view [][]byte
	for _, m := range v.Messages {
		view = append(view, m.JSON)
	}
	if err := transcript.Valid(transcript.Anthropic, view); err != nil {
		t.Error(err)
	}
	if err := link.Stop(deadlined(t), o.State); err != nil {
		t.Fatal(err)
	}
	searchFiles(t, o.State)
}

// unowned opens a ledger whose owner has left. A daemon that was started while its predecessor was being
// killed may come late, and is sent away as well.
func unowned(t *testing.T, state string) kv.Store {
	t.Helper()
	ctx := deadlined(t)
	for {
		store, err := stores.All().Open("bolt:"+state, kv.Options{LockWait: time.Second})
		if err == nil {
			return store
		}
		if !fault.Is(err, fault.Locked) || ctx.Err() != nil {
			t.Fatal(err)
		}
		if err := link.Stop(ctx, state); err != nil {
			t.Fatal(err)
		}
	}
}

// searchFiles looks for the secret in every file and blob of a ledger without an owner.
func searchFiles(t *testing.T, state string) {
	t.Helper()
	err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if holds(content) {
			t.Errorf("it is in %s", path)
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil // a daemon that waited for the ledger has it now, and renamed its file
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	store := unowned(t, state)
	defer store.Close() // opened for reading
	n := 0
	for b, err := range store.Blobs(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		blob, err := store.OpenBlob(t.Context(), b.Hash)
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(io.NewSectionReader(blob, 0, blob.Ref().Size))
		if err = errors.Join(err, blob.Close()); err != nil || holds(content) {
			t.Errorf("blob %s holds it, or cannot be read: %v", b.Hash, err)
		}
		n++
	}
	if n == 0 {
		t.Error("no blob is left")
	}
}

// copyDir copies a state directory without an owner.
func copyDir(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
}
