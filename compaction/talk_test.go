package compaction

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"ctxledger.dev/compaction/layout"
	"ctxledger.dev/intents"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/sessions"
	"ctxledger.dev/transcript"
)

var update = flag.Bool("update", false, "rewrite golden files")

// talk builds an input step by step, as a log would grow.
type talk struct {
	t        testing.TB
	in       Input
	messages map[int64]*transcript.Message
	loaded   int // bytes of texts asked for
	turn     int
}

func newTalk(t testing.TB) *talk {
	k := &talk{t: t, messages: map[int64]*transcript.Message{}}
	k.in.Session = sessions.Session{ID: "a1b2c3d4", Dir: "/w"}
	k.in.Message = func(seq int64) (transcript.Message, error) {
		m, ok := k.messages[seq]
		if !ok {
			return transcript.Message{}, fault.New(fault.NotFound, "test", "no text of entry %d", seq)
		}
		for _, p := range m.Parts {
			k.loaded += len(p.Text) + len(p.Args)
		}
		return *m, nil
	}
	return k
}

// part adds a part to the newest message.
func (k *talk) part(p transcript.Part) {
	m := k.messages[k.in.Position]
	m.Parts = append(m.Parts, p)
}

func (k *talk) item(role transcript.Role, tokens int) *Item {
	k.in.Position++
	id := sha256.Sum256([]byte(strconv.FormatInt(k.in.Position, 10)))
	k.in.Items = append(k.in.Items, Item{
		Seqs: []int64{k.in.Position}, Role: role, Turn: k.turn, Tokens: tokens, ID: hex.EncodeToString(id[:16]),
	})
	k.messages[k.in.Position] = &transcript.Message{Role: role}
	return &k.in.Items[len(k.in.Items)-1]
}

func (k *talk) user(text string) *Item {
	k.turn++
	it := k.item(transcript.RoleUser, layout.Count(text))
	it.Prompt, it.Chars = true, len(text)
	k.part(transcript.Part{Kind: transcript.KindText, Text: text})
	return it
}

// load has the host put a text into the conversation.
func (k *talk) load(text string) {
	it := k.item(transcript.RoleUser, layout.Count(text))
	it.Loaded, it.Chars = true, len(text)
	k.part(transcript.Part{Kind: transcript.KindText, Text: text})
}

// steer has the user say something while the agent works: it is in no item.
func (k *talk) steer(text string) {
	k.item(transcript.RoleUser, 0)
	k.part(transcript.Part{Kind: transcript.KindText, Text: text})
	it := k.in.Items[len(k.in.Items)-1]
	k.in.Items = k.in.Items[:len(k.in.Items)-1]
	k.in.Steering = append(k.in.Steering, Steering{Seq: it.first(), After: it.first(), Turn: it.Turn, ID: it.ID})
}

func (k *talk) say(text string) *Item {
	it := k.item(transcript.RoleAssistant, layout.Count(text))
	it.Chars = len(text)
	k.part(transcript.Part{Kind: transcript.KindText, Text: text})
	return it
}

// ask makes a call and returns its id; answer gives the result.
func (k *talk) ask(name, op, target string) string {
	return k.addCall(k.item(transcript.RoleAssistant, 30), name, op, target)
}

func (k *talk) addCall(it *Item, name, op, target string) string {
	id := fmt.Sprintf("call_%d_%d", it.first(), len(it.Calls))
	it.Calls = append(it.Calls, sessions.Call{ID: id, Name: name, Op: op, Target: target, Tokens: 30})
	k.part(transcript.Part{Kind: transcript.KindCall, ID: id, Name: name})
	return id
}

// args sets the arguments of the newest call.
func (k *talk) args(raw string) {
	m := k.messages[k.in.Position]
	m.Parts[len(m.Parts)-1].Args = json.RawMessage(raw)
}

func (k *talk) answer(call string, tokens int, failed bool) *Item {
	it := k.item(transcript.RoleTool, tokens)
	it.Results = []Result{{sessions.Result{CallID: call, Failed: failed, Chars: tokens * 4, Tokens: tokens},
		handleOf(it.ID)}}
	k.part(transcript.Part{Kind: transcript.KindResult, ID: call, Text: "result of " + call, IsError: failed})
	return it
}

func (k *talk) read(path string, tokens int, names ...string) {
	k.answer(k.ask("Read", intents.OpRead, path), tokens, false).Names = names
}

// do runs a tracked operation. end is "" for success, "pending", or what failed.
func (k *talk) do(op Operation, end string, names ...string) {
	k.doWith(op, "", end, names...)
}

// doWith runs a tracked operation with these arguments.
func (k *talk) doWith(op Operation, args, end string, names ...string) {
	call := k.ask(op.Name, op.Op, op.Target+op.Command)
	if args != "" {
		k.args(args)
	}
	k.in.Items[len(k.in.Items)-1].Names = names
	k.track(op, call, end)
	if end != "pending" {
		k.end(call, end)
	}
	if end == "" && op.Outcome != "" {
		k.messages[k.in.Position].Parts[0].Text = op.Outcome
	}
}

// track notes the operation of the newest message's call.
func (k *talk) track(op Operation, call, end string) {
	op.Seq, op.Turn, op.CallID, op.Status = k.in.Position, k.turn, call, intents.Applied
	switch {
	case end == "pending":
		op.Status = intents.Pending
	case end != "":
		op.Status, op.Error = intents.Failed, end
	}
	k.in.Operations = append(k.in.Operations, op)
}

// end gives the result of a call, which failed unless the text is empty.
func (k *talk) end(call, failure string) {
	k.answer(call, 100, failure != "")
	if failure != "" {
		k.messages[k.in.Position].Parts[0].Text = failure
	}
}

// edit replaces a line of a file by declarations of these names.
func (k *talk) edit(path, end string, names ...string) {
	k.change(path, fmt.Sprintf("line %d\n", k.in.Position), declaring(names, k.in.Position), end, names...)
}

// change replaces one text of a file by another.
func (k *talk) change(path, from, to, end string, names ...string) {
	k.doWith(Operation{Intent: intents.Intent{Name: "Edit", Op: intents.OpPatch, Target: path}},
		editArgs(path, from, to), end, names...)
}

func editArgs(path, from, to string) string {
	raw, _ := json.Marshal(map[string]string{"file_path": path, "old_string": from, "new_string": to})
	return string(raw)
}

// write writes a file that declares these names.
func (k *talk) write(path string, names ...string) {
	k.create(path, declaring(names, 0), names...)
}

// create writes a file.
func (k *talk) create(path, text string, names ...string) {
	raw, _ := json.Marshal(map[string]string{"file_path": path, "content": text})
	k.doWith(Operation{Intent: intents.Intent{Name: "Write", Op: intents.OpWrite, Target: path}}, string(raw), "",
		names...)
}

// declaring is Go code that declares names, "Cart.Add" as a method, or a short line without any.
func declaring(names []string, n int64) string {
	if len(names) == 0 {
		return fmt.Sprintf("text %d\n", n)
	}
	var b strings.Builder
	for _, name := range names {
		if of, method, dotted := strings.Cut(name, "."); dotted {
			fmt.Fprintf(&b, "func (x *%s) %s() {}\n\n", of, method)
		} else {
			fmt.Fprintf(&b, "func %s() {}\n\n", name)
		}
	}
	return b.String()
}

func (k *talk) run(command string, exit int, outcome string) {
	op := Operation{Intent: intents.Intent{Name: "Bash", Op: intents.OpShell, Command: command,
		Outcome: intents.Outcome(outcome, exit != 0)}}
	end := ""
	if exit != 0 {
		op.ExitCode = &exit
		end = "Exit code " + strconv.Itoa(exit) + "\n" + outcome
	}
	k.do(op, end)
	if exit == 0 && outcome != "" {
		k.messages[k.in.Position].Parts[0].Text = outcome
	}
}

// accept takes a proposal over, as the engine does.
func (k *talk) accept(p Proposal) {
	k.t.Helper()
	if p.Outcome != Compacted {
		k.t.Fatalf("not compacted: %s: %s", p.Outcome, p.Why)
	}
	k.in.Position++ // the record's own entry
	r := p.Record
	k.in.Previous, k.in.PreviousText, k.in.FirstKept = &r, p.Text, r.FirstKept
}

func mustPlan(t testing.TB, in Input, o Options) Proposal {
	t.Helper()
	p, err := Plan(in, o)
	if err != nil {
		t.Fatal(err)
	}
	if p.Outcome != Compacted {
		t.Fatalf("not compacted: %s: %s", p.Outcome, p.Why)
	}
	return p
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update and read the diff); got:\n%s", path, got)
	}
}

// TestTheNewestWordsStayWhereThereIsRoomForOne: the longer ones before them give way first.
func TestTheNewestWordsStayWhereThereIsRoomForOne(t *testing.T) {
	k := newTalk(t)
	k.play("user Make the import faster\nsay " + strings.Repeat("The reader opens the file for each row. ", 12) +
		"\nread import.go 4000\nsay It takes 2 s now, not 40 s.\nread export.go 9000\nuser go on")
	both, one := 0, 0
	for budget := 110; budget < 400; budget += 10 {
		p := mustPlan(t, k.in, Options{Keep: 1, Budget: budget})
		switch n := strings.Count(p.Text, "the agent's latest words"); {
		case p.Outcome != Compacted || n == 0:
		case !strings.Contains(p.Text, "It takes 2 s now"):
			t.Errorf("budget %d: the newest words are missing in\n%s", budget, p.Text)
		case n == 1:
			one++
		default:
			both++
		}
	}
	if both == 0 || one == 0 {
		t.Errorf("%d documents with both, %d with the newest words alone", both, one)
	}
}
