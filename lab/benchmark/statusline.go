package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"strings"

	"ctxledger.dev/lab/sandbox"
)

// measureStatusLine measures a line for Claude Code's status line about the recorded session, from the start of the process to
// its end, with a running daemon. It is compared with the same program printing its version.
func measureStatusLine(ctx context.Context, b *bench, s *sandbox.Sandbox) error {
	if _, err := s.Run(ctx, "import", b.path); err != nil {
		return err
	}
	const input = `{"session_id":"05758ff7-b05d-45d5-a684-2d87d43ae644","context_window":{"used_percentage":45,` +
		`"context_window_size":200000}}`
	var out bytes.Buffer
	command := func(args ...string) *exec.Cmd {
		cmd := s.Command(ctx, append([]string{"statusline"}, args...)...)
		out.Reset()
		cmd.Stdin, cmd.Stdout = strings.NewReader(input), &out
		cmd.Env = append(cmd.Env, "CTXLEDGER_HOOK_MS=10000")
		return cmd
	}
	if err := command("--json").Run(); err != nil || !strings.Contains(out.String(), `"requests": 166`) {
		return fmt.Errorf("the daemon did not answer: %w, %.200q", err, out.String())
	}
	calls := 80 * b.runs
	var line, bare times
	for range calls {
		err := line.clock(command().Run)
		if err == nil {
			err = bare.clock(s.Command(ctx, "--version").Run)
		}
		if err != nil {
			return err
		}
	}
	for _, q := range quantiles {
		x, y := line.at(q.at), bare.at(q.at)
		b.report.add("`ctxledger statusline`; "+q.name, millis(x), "the program printing its version: "+millis(y), ratio(x, y),
			fmt.Sprint(calls))
	}
	return nil
}
