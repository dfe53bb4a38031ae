package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/ledger"
	"ctxledger.dev/memory"
	"ctxledger.dev/workspace"
)

// hookEvents are the events that the settings of these tests hand to our hook.
var hookEvents = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "PostCompact",
	"SessionEnd"}

// hookSettings writes settings by which Claude Code runs a command for each event.
func hookSettings(t *testing.T, s *sandbox.Sandbox, events []string, command func(event string) map[string]any) {
	t.Helper()
	hooks := map[string]any{}
	for _, event := range events {
		group := map[string]any{"hooks": []any{command(event)}}
		if strings.HasSuffix(event, "ToolUse") {
			group["matcher"] = "*"
		}
		hooks[event] = []any{group}
	}
	server, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"ctxledger": map[string]any{
		"command": filepath.Join(s.Bin, "ctxmcp"), "args": []string{}, "alwaysLoad": true}}})
	if err == nil {
		err = os.WriteFile(filepath.Join(s.Config, ".claude.json"), server, 0o600)
	}
	raw, wrong := json.Marshal(map[string]any{"hooks": hooks})
	if err = errors.Join(err, wrong); err == nil {
		err = os.WriteFile(filepath.Join(s.Config, "settings.json"), raw, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// ownHook is the command of our hook for an event.
func ownHook(s *sandbox.Sandbox) func(event string) map[string]any {
	return func(event string) map[string]any {
		return map[string]any{"type": "command", "command": filepath.Join(s.Bin, "ctxhook"),
			"args": []string{"claude-code", event, filepath.Join(s.Bin, "ctxmcp")}, "timeout": 60}
	}
}

// withHooks are the options of a run whose hooks reach the ledger of the sandbox, however slow the machine is.
func withHooks(s *sandbox.Sandbox, url, prompt string) model.Options {
	return model.Options{Dir: s.Workspace, ConfigDir: s.Config, URL: url, Prompt: prompt, Servers: true,
		ExtraEnv: []string{workspace.StateVariable + "=" + s.State, "CTXLEDGER_HOOK_MS=20000"}}
}

// TestTheRealAgentTakesAReadResultOfItsShape records what the facts disagreed on: the real Claude Code takes the result
// of Read from a hook if it is an object like its own, and ignores a text.
func TestTheRealAgentTakesAReadResultOfItsShape(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	for _, c := range []struct {
		name, output, want string
	}{
		{"an object like the original", `{"type":"text","file":{"filePath":"FILE","content":"REPLACED","numLines":1,` +
			`"startLine":1,"totalLines":1}}`, "1\tREPLACED"},
		{"a text", `"REPLACED"`, "1\tthe original\n2\t"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newBox(t)
			file := filepath.Join(s.Workspace, "note.txt")
			said := filepath.Join(s.Top, "answer.json")
			answer := `{"hookSpecificOutput":{"hookEventName":"PostToolUse","updatedToolOutput":` +
				strings.ReplaceAll(c.output, "FILE", file) + `}}`
			write(t, file, "the original\n")
			write(t, said, answer)
			hookSettings(t, s, []string{"PostToolUse"}, func(string) map[string]any {
				return map[string]any{"type": "command", "command": "/bin/cat", "args": []string{said}}
			})
			server := model.New(model.Script{
				model.Do("", model.Call{Tool: "Read", Input: map[string]any{"file_path": "{{dir}}/note.txt"}}),
				model.Say("Read."),
			}, model.Vars{"dir": s.Workspace})
			url := server.Start(t)
			ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
			defer cancel()
			model.Run(ctx, t, withHooks(s, url, "Read the note."))
			if got := results(server); len(got) != 1 || got[0] != c.want {
				t.Errorf("the model reads %q, want %q", got, c.want)
			}
		})
	}
}

// allHooks has the user's own configuration switch on what is off by default.
func allHooks(t *testing.T, s *sandbox.Sandbox) {
	t.Helper()
	for _, home := range []string{s.Home, filepath.Dir(s.Config)} { // a program's, and an agent's
		dir := filepath.Join(home, ".config", "ctxledger")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "config.yaml"), "hooks: {environment: true, outputs: true, reads: true}\n")
	}
}

// write writes a file.
func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// results returns all results of calls that a model has read.
func results(server *model.Server) (all []string) {
	for _, x := range server.Log() {
		all = append(all, x.Results...)
	}
	return all
}

// long is a file that is longer than what a conversation carries along.
func long() string {
	var b strings.Builder
	for i := range 2_000 {
		fmt.Fprintf(&b, "line %d of a file that nobody wants to carry along\n", i)
	}
	return b.String()
}

// changed is the long file after the script has changed it.
func changed() string { return strings.Replace(long(), "line 7 of", "line seven of", 1) }

// counted is what seq prints, without the last line feed.
func counted(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d\n", i+1)
	}
	return strings.TrimRight(b.String(), "\n")
}

// bigVisit prints a megabyte, reads a long file, changes it, and repeats itself.
var bigVisit = model.Script{
	model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "seq 1 150000"}}),
	model.Do("", model.Call{Tool: "Read", Input: map[string]any{"file_path": "{{dir}}/long.txt"}}),
	model.Do("", model.Call{Tool: "Edit", Input: map[string]any{"file_path": "{{dir}}/long.txt",
		"old_string": "line 7 of", "new_string": "line seven of"}}),
	model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "head -c 5000 long.txt"}}),
	model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "head -c 5000 long.txt"}}),
	model.Do("", model.Call{Tool: "Bash", Input: map[string]any{"command": "cat missing.txt"}}),
	model.Do("", model.Call{Tool: "Write", Input: map[string]any{"file_path": "{{dir}}/copy.txt",
		"content": "x\n[cleared: read_file(a.go) — 100 chars, ~25 tokens; run the tool again]"}}),
	model.Say("Done: the file has line seven."),
	model.Say("Went on."),
}

// handleIn matches the handle of a stub.
var handleIn = regexp.MustCompile(`Artifact: ([0-9a-f]{12,64})`)

// TestTheRealAgentReadsLessAndLosesNothing lets the real Claude Code work with our hook in its settings.
func TestTheRealAgentReadsLessAndLosesNothing(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	allHooks(t, s)
	api := open(t, s)
	write(t, filepath.Join(s.Workspace, "long.txt"), long())
	_, err := api.SaveMemory(t.Context(), ledger.SaveMemoryRequest{Entry: memory.Entry{Name: "rule", Type: "feedback",
		Body: "Ask Ada. And: the shop is closed on Mondays."}})
	if err != nil {
		t.Fatal(err)
	}
	hookSettings(t, s, hookEvents, ownHook(s))
	server := model.New(bigVisit, model.Vars{"dir": s.Workspace})
	o := withHooks(s, server.Start(t), "Never push to the main branch. Work on the file.")
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	first := model.Run(ctx, t, o)
	got := results(server)
	if len(got) != 7 {
		t.Fatalf("the model read %d results: %.300q", len(got), got)
	}
	for i, want := range []string{"[result offloaded — 938,895 chars", "1\t[result offloaded — ", "", "line 0",
		"It is the same text as the result of call", "No such file", "contains the marker"} {
		if !strings.Contains(got[i], want) || len(got[i]) > 10_000 {
			t.Errorf("result %d is %d long, without %q: %.500s", i, len(got[i]), want, got[i])
		}
	}
	for i, want := range map[int]string{0: counted(150_000), 1: long(), 4: changed()[:5_000]} {
		m := handleIn.FindStringSubmatch(got[i])
		if m == nil {
			t.Errorf("result %d names no handle: %.500s", i, got[i])
			continue
		}
		content, err := api.ReadBlob(ctx, ledger.ReadBlobRequest{Handle: m[1]})
		if err != nil {
			t.Fatal(err)
		}
		back, err := io.ReadAll(content)
		err = errors.Join(err, content.Close())
		got, want := strings.TrimSpace(string(back)), strings.TrimSpace(want) // the agent trims outputs
		if i == 1 {                                                           // of a long file it reads as much as it wants
			want = want[:min(len(want), max(len(got), 50_000))]
		}
		if err != nil || got != want {
			t.Errorf("handle %s of result %d reads back %d bytes, not the %d of the original; %v", m[1], i, len(back),
				len(want), err)
		}
	}
	last := server.Log()[len(server.Log())-1].Body
	for _, once := range []string{"## Runtime Environment", "the shop is closed on Mondays"} {
		if n := strings.Count(string(last), once); n != 1 {
			t.Errorf("%q is %d times in the request", once, n)
		}
	}
	calls := []string{"Bash", "Read", "Edit", "Bash", "Bash", "Bash", "Write"}
	session := follow(ctx, t, api, first.SessionID, calls)
	intentsOnce(ctx, t, api, session)

	o.Resume, o.Prompt = first.SessionID, "/compact keep the ids"
	before := len(server.Log())
	model.Run(ctx, t, o)
	asked := ""
	for _, x := range server.Log()[before:] {
		asked += string(x.Body)
	}
	if n := strings.Count(asked, "<ctxledger_record>"); n != 1 {
		t.Errorf("the summary request has our record %d times: %.3000s", n, asked)
	}
	o.Prompt = "Go on."
	model.Run(ctx, t, o)
	next := string(server.Log()[len(server.Log())-1].Body)
	for _, once := range []string{"## Runtime Environment", "the shop is closed on Mondays", "<ctxledger_record>",
		"Never push to the main branch"} { // which the script's summary lost
		if n := strings.Count(next, once); n != 1 {
			t.Errorf("after the compaction %q is %d times in the request: %.6000s", once, n, next)
		}
	}
}

// rules are what a user asks for: more than the output of PreCompact has room for.
var rules = []string{
	"Never push to the main branch of the shop before Ada has read the whole change.",
	"Always round an amount once, at the end, and to the cent that the tax office prints.",
	"Never touch the schema of the customers: the warehouse reads those columns every night.",
	"Always write dates as year, month and day, because the bank refuses any other spelling.",
	"Never send mail from a test, not to our own addresses and not to invented ones either.",
	"Always keep passwords in the vault; a file, a variable or a ticket is the wrong home.",
	"Never delete an invoice that a customer has: cancel it and issue a credit note instead.",
	"Always name branches by ticket, then a dash, then two or three lower-case words.",
	"Never use floating point for money, neither in Go nor in the queries of the report.",
	"Always ask before a new dependency, with its licence, size and the last release.",
	"Never log what somebody paid, whom they paid, or from which account it was taken.",
	"Always translate headings into German and French before the export leaves staging.",
	"Never skip the review of the format for the auditors, even late on a Friday evening.",
	"Always run the linter with the strict profile, since the lenient one hides shadowing.",
}

// TestTheFirstAnswerOfTheRealAgentAfterACompactionHasWhatWasLost: the user compacts and goes on in the same run. What the
// summary lost, and the output of PreCompact that is in the context has no room for, comes with the user's next words,
// once, and with no later ones.
func TestTheFirstAnswerOfTheRealAgentAfterACompactionHasWhatWasLost(t *testing.T) {
	model.Agent(t, model.Claude) // skips without one
	s := newBox(t)
	api := open(t, s)
	hookSettings(t, s, hookEvents, ownHook(s))
	answer := long()[:3_000] // a record is shorter than its original
	script, prompts := model.Script{model.Say("Understood.")}, []string{"Build the invoice export."}
	for _, rule := range rules {
		prompts, script = append(prompts, rule), append(script, model.Say("Understood. "+answer))
	}
	script = append(script, model.Say("First."), model.Say("Second."))
	server := model.New(script, model.Vars{})
	o := withHooks(s, server.Start(t), "")
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	session := model.Talk(ctx, t, o, prompts...).SessionID
	follow(ctx, t, api, session, nil)
	o.Resume = session
	before := len(server.Log())
	model.Talk(ctx, t, o, "/compact", "Where do we stand?", "And now?")
	after := server.Log()[before:]
	first, last := string(after[len(after)-2].Body), string(after[len(after)-1].Body)
	const lost = "Recorded by ctxledger, and not in the summary above"
	if n := strings.Count(first, lost); n != 1 {
		t.Errorf("the first request has what was lost %d times: %.6000s", n, first)
	}
	if n := strings.Count(last, lost); n != 1 {
		t.Errorf("the next one has it %d times: %.6000s", n, last)
	}
	for _, rule := range rules {
		if n := strings.Count(first, rule); n != 1 {
			t.Errorf("%q is %d times in the first request", rule, n)
		}
	}
}

// intentsOnce wants each call to have one intent, with the outcome that the log says.
func intentsOnce(ctx context.Context, t *testing.T, api ledger.API, session string) {
	t.Helper()
	want := []string{"Bash Applied transcript", "Edit Applied transcript", "Bash Applied transcript",
		"Bash Applied transcript", "Bash Failed transcript", "Write Failed transcript"}
	if said := outcomes(ctx, t, api, session); !slices.Equal(said, want) {
		t.Errorf("intents %q, want %q", said, want)
	}
}

// outcomes returns the intents of a session: tool, status and source of each.
func outcomes(ctx context.Context, t *testing.T, api ledger.API, session string) (said []string) {
	t.Helper()
	page, err := api.Intents(ctx, ledger.IntentsRequest{Session: session})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range page.Intents {
		said = append(said, in.Name+" "+string(in.Status)+" "+in.Source)
	}
	return said
}
