package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/lab/wayback"
)

// measureHook measures what an agent's hook costs: a whole process that connects to the daemon, writes
// one durable record and ends. It is compared with the same program printing its version.
func measureHook(ctx context.Context, b *bench) error {
	calls := 80 * b.runs
	return b.inSandbox(ctx, func(s *sandbox.Sandbox) error {
		var hook, bare times
		for i := range calls {
			add := s.Command(ctx, "memory", "save", fmt.Sprintf("fact-%d", i%20), "--overwrite", "--description", "a fact", "--body", fmt.Sprintf("number %d", i))
			err := hook.clock(add.Run)
			if err == nil {
				err = bare.clock(s.Command(ctx, "--version").Run)
			}
			if err != nil {
				return err
			}
		}
		if err := measureEvent(ctx, b, s); err != nil {
			return err
		}
		if err := measureStatusLine(ctx, b, s); err != nil {
			return err
		}
		for _, q := range quantiles {
			x, y := hook.at(q.at), bare.at(q.at)
			b.report.add("a hook's call: start, connect, one durable record, end; "+q.name, millis(x), "the program printing its version: "+millis(y), ratio(x, y), fmt.Sprint(calls))
		}
		return nil
	})
}

// answered are the events whose answers are measured, each as the members of its input with its number twice, and whether
// there is an answer.
var answered = []struct {
	event, what, members string
	prints               bool
}{
	{"Stop", "nothing to do", `"session_id":"bench","number":%d%[1]d`, false},
	{"PreToolUse", "before a call: one durable record",
		`"session_id":"bench","tool_name":"Bash","tool_use_id":"toolu_%d","tool_input":{"command":"make %[1]d"}`, false},
	{"PostToolUse", "after a call, a small result",
		`"session_id":"bench","tool_name":"Bash","tool_use_id":"toolu_%d","tool_input":{"command":"make %[1]d"},` +
			`"tool_response":{"stdout":"done","stderr":"","interrupted":false,"isImage":false}`, false},
	{"PostToolUse", "after a call, a result of 600 KB that becomes a stub",
		`"session_id":"bench","tool_name":"mcp__db__query","tool_use_id":"large_%d","tool_input":{"number":%[1]d},` +
			`"tool_response":[{"type":"text","text":"%[1]d ` + strings.Repeat("0123456789 a row of a table, ", 600_000/29) + `"}]`, true},
	{"SessionStart", "at a session's start, with memories", `"session_id":"bench-%d","source":"startup","number":%[1]d`, true},
	{"UserPromptSubmit", "at the user's words, nothing owed", `"session_id":"bench","prompt":"Go on.","number":%d%[1]d`, false},
}

// measureEvent measures events of an agent's hooks from the start of the process to its end, in turns with a Go program that
// does nothing. Nothing is cut off by the time that a hook has.
func measureEvent(ctx context.Context, b *bench, s *sandbox.Sandbox) error {
	empty, err := b.emptyProgram(ctx)
	if err != nil {
		return err
	}
	file, err := wayback.Make(s.Home, wayback.Server)
	if err != nil {
		return err
	}
	calls := 100 * b.runs
	for _, e := range answered {
		var own, nothing times
		for i := range calls + 1 { // the first one, which tells what the start of the session did not, does not count
			input := fmt.Sprintf(`{"cwd":%q,"transcript_path":%q,"hook_event_name":%q,`, s.Workspace, file, e.event) + fmt.Sprintf(e.members, i+1) + "}"
			hook := s.Program(ctx, "ctxhook", "claude-code", e.event, wayback.Server)
			hook.Env = append(hook.Env, "CTXLEDGER_HOOK_MS=10000")
			var out bytes.Buffer
			hook.Stdin, hook.Stdout = strings.NewReader(input), &out
			err := own.clock(hook.Run)
			if err == nil {
				err = nothing.clock(exec.CommandContext(ctx, empty).Run)
			}
			if i == 0 {
				own, nothing = times{}, times{}
			} else if err == nil && e.prints != (out.Len() > 0) {
				err = fmt.Errorf("%s: it prints %.200q", e.what, out.String())
			}
			if err != nil {
				return err
			}
		}
		for _, q := range quantiles {
			x, y := own.at(q.at), nothing.at(q.at)
			b.report.add("`ctxhook` "+e.what+"; "+q.name, millis(x), "an empty Go program: "+millis(y), ratio(x, y), fmt.Sprint(calls))
		}
	}
	return nil
}

// emptyProgram builds a Go program that does nothing, as the others are built.
func (b *bench) emptyProgram(ctx context.Context) (string, error) {
	source, program := filepath.Join(b.temp, "empty.go"), filepath.Join(b.temp, "empty")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, source)
	build.Env = append(build.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
}

// quantiles are shown for measurements in which slow calls matter.
var quantiles = []struct {
	name string
	at   float64
}{{"p50", 0.5}, {"p99", 0.99}}
