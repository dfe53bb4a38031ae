package agentmatrix

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/lab/programtest"
	"ctxledger.dev/lab/sandbox"
	model "ctxledger.dev/lab/scriptedmodel"
	"ctxledger.dev/tokens"
)

// bin is the directory of the built programs; TestMain sets it.
var bin string

func TestMain(m *testing.M) {
	os.Exit(programtest.Run(m, func(dir string) error {
		bin = dir
		return programtest.Build(bin, programtest.Programs)
	}))
}

// recording is a session of Claude Code in another directory, see testdata/sessions/README.md.
const recording = "../../testdata/sessions/shop.jsonl"

// patience is for a whole conversation of an agent, which takes some seconds.
const patience = 3 * time.Minute

// shutdown is how long an agent's children may keep its output open after its end.
const shutdown = 5 * time.Second

// TestEveryRealAgentReadsWhatTheToolsSay lets each agent make all calls. What its model reads is compared with
// testdata/answers, and how large that is with docs/maintainers/answers.md.
func TestEveryRealAgentReadsWhatTheToolsSay(t *testing.T) {
	sizes := table{}
	for _, h := range hosts {
		t.Run(h.name, func(t *testing.T) {
			var golden strings.Builder
			s := programtest.NewBox(t, bin)
			for i, answer := range h.run(t, s, "--workspace="+s.Workspace) {
				c := calls[i]
				sizes.add(c.what, h.name, tokens.O200kBase.Count([]byte(answer)))
				want, varies := c.want, false
				if h.own && c.own != "" {
					want, varies = c.own, true
				}
				if !regexp.MustCompile(want).MatchString(answer) {
					t.Errorf("%s: no %q in: %s", c.what, want, answer)
				}
				if !varies {
					fmt.Fprintf(&golden, "## %s\n%s\n", c.what, stable(s, answer))
				}
			}
			compare(t, filepath.Join("testdata", "answers", h.name+".txt"), golden.String())
			if *update {
				for i, answer := range h.run(t, programtest.NewBox(t, bin), "--structured") {
					sizes.add(calls[i].what, h.name+structured, tokens.O200kBase.Count([]byte(answer)))
				}
			}
		})
	}
	sizes.compare(t)
}

// seed records what the calls are about, and returns its names.
func seed(t *testing.T, s *sandbox.Sandbox) model.Vars {
	t.Helper()
	run := func(arguments ...string) string {
		out, err := s.Run(t.Context(), arguments...)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return lines[len(lines)-1]
	}
	session, err := filepath.Abs(recording)
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for i := range 40 {
		fmt.Fprintf(&text, "line %d\n", i+1)
	}
	file := filepath.Join(s.Workspace, "list.txt")
	if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return model.Vars{"dir": s.Workspace, "session": run("import", session), "artifact": run("artifact", "save", file)}
}

// run lets the agent make the calls, and returns what its model read of each. flag is one of ctxmcp.
func (h host) run(t *testing.T, s *sandbox.Sandbox, flag string) []string {
	t.Helper()
	var out []string
	for _, x := range h.play(t, s, flag, script(), nil).Log() {
		if x.Step > 0 {
			out = append(out, x.Results...)
		}
	}
	if len(out) != len(calls) {
		t.Fatalf("%d calls have %d results", len(calls), len(out))
	}
	return out
}

// play lets the agent and its subagents follow scripts, and returns their model.
func (h host) play(t *testing.T, s *sandbox.Sandbox, flag string, main, subagents model.Script) *model.Server {
	t.Helper()
	program := model.Agent(t, h.name)
	vars := seed(t, s)
	server := model.New(main, vars)
	server.Subagents = subagents
	url := server.Start(t)
	all := model.Vars{"url": url, "ctxmcp": filepath.Join(bin, "ctxmcp"), "home": s.Home, "state": s.State,
		"flags": strconv.Quote(flag)}
	h.install(t, s, all)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var arguments []string
	for _, a := range append(h.arguments, "Make the calls.") {
		arguments = append(arguments, fill(all, a))
	}
	cmd := exec.CommandContext(ctx, program, arguments...)
	cmd.Dir, cmd.Env = s.Workspace, h.environment(t, s, all, program)
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.WaitDelay = &said, &said, shutdown
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, said.Bytes())
	}
	return server
}
