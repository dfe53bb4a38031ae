package main

import (
	"context"
	"fmt"
	"os/exec"
	"strings"

	"ctxledger.dev/lab/sandbox"
)

// measureHook measures what an agent's hook costs: a whole process that connects to the daemon, writes
// one durable record and ends. It is compared with the same program printing its version.
func measureHook(ctx context.Context, b *bench) error {
	calls := 80 * b.runs
	return b.inSandbox(ctx, func(s *sandbox.Sandbox) error {
		var hook, bare times
		for i := range calls {
			add := s.Command(ctx, "memory", "add", fmt.Sprintf("fact-%d", i%20), "--overwrite", "--description", "a fact", "--body", fmt.Sprintf("number %d", i))
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
		for _, q := range quantiles {
			x, y := hook.at(q.at), bare.at(q.at)
			b.report.add("a hook's call: start, connect, one durable record, end; "+q.name, millis(x), "the program printing its version: "+millis(y), ratio(x, y), fmt.Sprint(calls))
		}
		return nil
	})
}

// answered are the events whose answers are measured, each as the members of its input: a call that is about to run, which
// is one durable record, its small result, a session that begins, and words of the user when nothing is owed.
var answered = []struct{ event, what, members string }{
	{"PreToolUse", "before a call", `"tool_name":"Bash","tool_use_id":"toolu_%d","tool_input":{"command":"make"}`},
	{"PostToolUse", "after a call", `"tool_name":"Bash","tool_use_id":"toolu_%d","tool_input":{"command":"make"},` +
		`"tool_response":{"stdout":"done","stderr":"","interrupted":false,"isImage":false}`},
	{"SessionStart", "at a session's start", `"source":"startup","number":%d`},
	{"UserPromptSubmit", "at the user's words", `"prompt":"Go on.","number":%d`},
}

// measureEvent measures events of an agent's hooks from the start of the process to its end, in turns with the command line
// that does the same, with that printing its version, and with a program that does nothing.
func measureEvent(ctx context.Context, b *bench, s *sandbox.Sandbox) error {
	calls := 100 * b.runs
	for _, e := range answered {
		var own, cli, bare, nothing times
		for i := range calls {
			input := fmt.Sprintf(`{"session_id":"bench","cwd":%q,"hook_event_name":%q,`+e.members+"}", s.Workspace, e.event, i)
			hook, same := s.Program(ctx, "ctxhook", "claude-code", e.event), s.Command(ctx, "hook", "claude-code", e.event)
			hook.Stdin, same.Stdin = strings.NewReader(input), strings.NewReader(input)
			for _, run := range []struct {
				times *times
				cmd   *exec.Cmd
			}{{&own, hook}, {&cli, same}, {&bare, s.Command(ctx, "--version")}, {&nothing, exec.CommandContext(ctx, "true")}} {
				if err := run.times.clock(run.cmd.Run); err != nil {
					return err
				}
			}
		}
		for _, q := range quantiles {
			x, y := own.at(q.at), bare.at(q.at)
			b.report.add("`ctxhook` "+e.what+", with a daemon; "+q.name, millis(x),
				fmt.Sprintf("`ctxledger --version`: %s, `ctxledger hook`: %s, `true`: %s", millis(y), millis(cli.at(q.at)),
					millis(nothing.at(q.at))), ratio(x, y), fmt.Sprint(calls))
		}
	}
	return nil
}

// quantiles are shown for measurements in which slow calls matter.
var quantiles = []struct {
	name string
	at   float64
}{{"p50", 0.5}, {"p99", 0.99}}
