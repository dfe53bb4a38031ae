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
	it := k.item(transcript.RoleUser, count(text))
	it.Prompt, it.Chars = true, len(text)
	k.part(transcript.Part{Kind: transcript.KindText, Text: text})
	return it
}

func (k *talk) say(text string) *Item {
	it := k.item(transcript.RoleAssistant, count(text))
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
	it.Results = []sessions.Result{{CallID: call, Failed: failed, Chars: tokens * 4, Tokens: tokens}}
	k.part(transcript.Part{Kind: transcript.KindResult, ID: call, Text: "result of " + call, IsError: failed})
	return it
}

func (k *talk) read(path string, tokens int, names ...string) {
	k.answer(k.ask("Read", intents.OpRead, path), tokens, false).Names = names
}

// do runs a tracked operation. end is "" for success, "pending", or what failed.
func (k *talk) do(op Operation, end string, names ...string) {
	call := k.ask(op.Name, op.Op, op.Target+op.Command)
	k.in.Items[len(k.in.Items)-1].Names = names
	op.Seq, op.Turn, op.CallID, op.Status = k.in.Position, k.turn, call, intents.Applied
	switch {
	case end == "pending":
		op.Status = "Pending"
	case end != "":
		op.Status, op.Error = intents.Failed, end
	}
	if end != "pending" {
		k.answer(call, 100, op.Status == intents.Failed)
	}
	k.in.Operations = append(k.in.Operations, op)
}

func (k *talk) edit(path, end string, names ...string) {
	k.do(Operation{Intent: intents.Intent{Name: "Edit", Op: intents.OpPatch, Target: path}}, end, names...)
}

func (k *talk) write(path string, names ...string) {
	k.do(Operation{Intent: intents.Intent{Name: "Write", Op: intents.OpWrite, Target: path}}, "", names...)
}

func (k *talk) run(command string, exit int, outcome string) {
	op := Operation{Intent: intents.Intent{Name: "Bash", Op: intents.OpShell, Command: command, Outcome: outcome}}
	end := ""
	if exit != 0 {
		op.ExitCode = &exit
		end = "Exit code " + strconv.Itoa(exit) + "\n" + outcome
	}
	k.do(op, end)
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

// play runs a script, one step a line, and returns the last proposal:
//
//	user TEXT        a request ("…" with Go escapes for several lines)
//	say TEXT         the agent speaks
//	read PATH N [NAME…]      a file of N tokens is read
//	edit|write|delete PATH [NAME…] [! ERROR | ! pending]
//	move FROM TO
//	run COMMAND [=> N OUTCOME]
//	artifact ID TOKENS LABEL of the newest result
//	compact {OPTIONS}        plan and accept
//	plan {OPTIONS}           plan alone
func (k *talk) play(script string) Proposal {
	k.t.Helper()
	var p Proposal
	for line := range strings.Lines(script) {
		line = strings.TrimRight(line, "\n")
		verb, rest, _ := strings.Cut(line, " ")
		if text, err := strconv.Unquote(rest); err == nil && rest != "" {
			rest = text
		}
		words := strings.Fields(rest)
		what, end, _ := strings.Cut(rest, " ! ")
		switch verb {
		case "", "#":
		case "user":
			k.user(rest)
		case "say":
			k.say(rest)
		case "read":
			n, _ := strconv.Atoi(words[1])
			k.read(words[0], n, words[2:]...)
		case "edit", "write", "delete":
			words = strings.Fields(what)
			op := map[string]string{"edit": intents.OpPatch, "write": intents.OpWrite, "delete": intents.OpDelete}[verb]
			k.do(Operation{Intent: intents.Intent{Name: verb, Op: op, Target: words[0]}}, end, words[1:]...)
		case "move":
			k.do(Operation{Intent: intents.Intent{Name: verb, Op: intents.OpMove, From: words[0], Target: words[1]}},
				"")
		case "run":
			command, ended, _ := strings.Cut(rest, " => ")
			code, outcome, _ := strings.Cut(ended, " ")
			n, _ := strconv.Atoi(code)
			k.run(command, n, outcome)
		case "artifact":
			n, _ := strconv.Atoi(words[1])
			k.in.Artifacts = append(k.in.Artifacts,
				ArtifactRef{ID: words[0], Tokens: n, Label: strings.Join(words[2:], " "), Seq: k.in.Position})
		case "compact", "plan":
			var o Options
			if err := json.Unmarshal([]byte(rest), &o); err != nil {
				k.t.Fatalf("%s: %v", line, err)
			}
			var err error
			if p, err = Plan(k.in, o); err != nil {
				k.t.Fatal(err)
			}
			if verb == "compact" {
				k.accept(p)
			}
		default:
			k.t.Fatalf("unknown step %q", line)
		}
	}
	return p
}
