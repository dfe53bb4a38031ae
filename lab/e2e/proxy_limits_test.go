package e2e

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
)

// TestRealAgentsStopAtALimit: the first request passes, the second one is over the limit. Each agent shows our words to the
// person and ends, and the model is not asked again.
func TestRealAgentsStopAtALimit(t *testing.T) {
	const limits = "limits:\n  session: {tokens: 10}\n"
	check := func(t *testing.T, s *sandbox.Sandbox, server *model.Server, out string, most int) {
		t.Helper()
		if !strings.Contains(out, "limits.session.tokens in ctxledger.yaml:2 allows") ||
			!strings.Contains(out, "--beyond-limits") || strings.Contains(out, "Seen.") {
			t.Errorf("%s", out)
		}
		if n := len(server.Log()); n == 0 || n > most {
			t.Errorf("%d requests reached the model", n)
		}
		status, err := s.Run(t.Context(), "status")
		if err != nil || !strings.Contains(string(status), "reached    this session has used") {
			t.Errorf("%v: %s", err, status)
		}
	}
	t.Run(model.Claude, func(t *testing.T) {
		claude := model.Agent(t, model.Claude)
		s := newBox(t)
		write(t, filepath.Join(s.Workspace, "ctxledger.yaml"), limits)
		server := model.New(errand("Bash", "command"), nil)
		ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
		defer cancel()
		result, err := model.Exec(ctx, started(t, s, "with", claude), model.Options{Dir: s.Workspace, ConfigDir: s.Config,
			URL: server.Start(t), Prompt: "Look.", ExtraEnv: []string{"CTXLEDGER_STATE=" + s.State}})
		if err == nil || ctx.Err() != nil {
			t.Errorf("it did not fail by itself: %s, %v", result.Raw, ctx.Err())
		}
		check(t, s, server, result.Text, 3) // one for a title
	})
	for _, a := range proxied {
		t.Run(a.name, func(t *testing.T) {
			program := model.Agent(t, a.name)
			s := newBox(t)
			write(t, filepath.Join(s.Workspace, "ctxledger.yaml"), limits)
			server := model.New(errand(a.tool, a.argument), nil)
			variables, args := a.prepare(t, s, server.Start(t))
			ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
			defer cancel()
			cmd := s.Command(ctx, append([]string{"with", "--", program}, args...)...)
			cmd.Env = append(cmd.Env, "PATH="+model.Node(t)+":/usr/local/bin:/usr/bin:/bin", "TERM=dumb")
			cmd.Env = append(cmd.Env, variables...)
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			err := cmd.Run()
			if ctx.Err() != nil {
				t.Errorf("it did not end: %v", err)
			}
			check(t, s, server, out.String(), 3)
		})
	}
}
