package main

import (
	"context"
	"fmt"
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

// measureEvent measures an event of an agent's hooks from the start of the process to its end: a call that is about to
// run, which is one durable record.
func measureEvent(ctx context.Context, b *bench, s *sandbox.Sandbox) error {
	calls := 100 * b.runs
	var hook, bare times
	for i := range calls {
		event := s.Command(ctx, "hook", "claude-code", "PreToolUse")
		event.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"bench","cwd":%q,"hook_event_name":"PreToolUse",`+
			`"tool_name":"Bash","tool_use_id":"toolu_%d","tool_input":{"command":"make"}}`, s.Workspace, i))
		err := hook.clock(event.Run)
		if err == nil {
			err = bare.clock(s.Command(ctx, "--version").Run)
		}
		if err != nil {
			return err
		}
	}
	for _, q := range quantiles {
		x, y := hook.at(q.at), bare.at(q.at)
		b.report.add("`ctxledger hook` before a call, with a daemon; "+q.name, millis(x),
			"the program printing its version: "+millis(y), ratio(x, y), fmt.Sprint(calls))
	}
	return nil
}

// quantiles are shown for measurements in which slow calls matter.
var quantiles = []struct {
	name string
	at   float64
}{{"p50", 0.5}, {"p99", 0.99}}
