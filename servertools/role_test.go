package servertools

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/servertools/asking"
	"ctxledger.dev/trust"
)

// caller is the variable that makes this program one that has the first server of a workspace asked by a process.
const caller = "SERVERTOOLS_TEST_CALLER"

// askAndEnd is that program.
func askAndEnd(e env.Env, root string) (exit int) {
	approved, err := approveIn(e, root)
	if err == nil {
		_, err = byProcess(context.Background(), approved)
	}
	if err != nil {
		return 1
	}
	return 0
}

// byProcess has a server asked by this program, in the role of ctxmcp.
func byProcess(ctx context.Context, approved trust.ApprovedServer) (asking.Answer, error) {
	self, err := os.Executable()
	if err != nil {
		return asking.Answer{}, err
	}
	return asking.By(ctx, self, approved)
}

// TestAProcessAsks: what comes out is what Ask returns, secrets in errors are masked, and nothing goes on.
func TestAProcessAsks(t *testing.T) {
	for _, c := range []struct {
		how, code, says string
		processes       int
	}{
		{"good", "", "", 1},
		{"child", "", "", 2},
		{"dies", "unavailable", "the server exited without answering: cannot connect: password=[masked", 1},
		{"flood", "limited", "answered with more than 8 MiB", 1},
		{"nameless", "invalid", "names an invalid tool", 1},
	} {
		t.Run(c.how, func(t *testing.T) {
			approved, file := program(t, c.how)
			a, err := byProcess(t.Context(), approved)
			if c.code == "" {
				honest(t, a, err)
			} else if string(fault.CodeOf(err)) != c.code || !strings.Contains(err.Error(), c.says) ||
				strings.Contains(err.Error(), "hunter2") {
				t.Errorf("the error is %v", err)
			}
			allEnded(t, file, c.processes)
		})
	}
}

// TestAProcessAsksOnlyWhatWasApproved: what has changed by the time that it looks is not started.
func TestAProcessAsksOnlyWhatWasApproved(t *testing.T) {
	for text, code := range map[string]fault.Code{
		`{"mcpServers": {"docs": {"command": "sh", "args": ["-c", "touch ran"]}}}`: fault.Denied,
		`{"mcpServers": {"docs": {"command": "gone"}}}`:                            fault.NotFound,
		`{"mcpServers": {}}`: fault.NotFound,
		`{`:                  fault.NotFound,
	} {
		approved, file := program(t, "good")
		root := approved.Ask().Root
		if err := os.WriteFile(filepath.Join(root, ".mcp.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if a, err := byProcess(t.Context(), approved); !fault.Is(err, code) {
			t.Errorf("%s: %+v, %v", text, a, err)
		}
		for _, ran := range []string{file, filepath.Join(root, "ran")} {
			if _, err := os.Stat(ran); err == nil {
				t.Errorf("%s: something was started", text)
			}
		}
	}
	if _, err := byProcess(t.Context(), trust.ApprovedServer{}); !fault.Is(err, fault.Denied) {
		t.Errorf("nothing: %v", err)
	}
}

// TestWhatAProcessStartedEndsWithItsCaller: when the person stops waiting, and when the caller is killed.
func TestWhatAProcessStartedEndsWithItsCaller(t *testing.T) {
	t.Run("stops waiting", func(t *testing.T) {
		approved, file := program(t, "hang")
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := byProcess(ctx, approved)
			ended <- err
		}()
		untilItRuns(t, file)
		stop()
		if err := <-ended; !fault.Is(err, fault.Unavailable) {
			t.Errorf("%v", err)
		}
		allEnded(t, file, 1)
	})
	t.Run("is killed", func(t *testing.T) {
		approved, file := program(t, "hang")
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), caller+"="+approved.Ask().Root)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		untilItRuns(t, file)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil {
			t.Error("the caller ended by itself")
		}
		allEnded(t, file, 1)
	})
}

// TestProgramsThatDoNotAsk: whatever is there in the place of ctxmcp, there is an error with the way out, in time.
func TestProgramsThatDoNotAsk(t *testing.T) {
	approved, file := program(t, "good")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(t.TempDir(), "ctxmcp")
	if _, err := asking.By(t.Context(), gone, approved); !fault.Is(err, fault.Unavailable) ||
		!strings.Contains(err.Error(), gone+" is missing") || fault.HintOf(err) == "" {
		t.Errorf("%v, %q", err, fault.HintOf(err))
	}
	if _, err := asking.Ask(t.Context(), approved); !fault.Is(err, fault.Unavailable) ||
		!strings.Contains(err.Error(), filepath.Join(filepath.Dir(self), "ctxmcp")) {
		t.Errorf("there is none in the folder of the tests: %v", err)
	}
	t.Setenv(pids, filepath.Join(t.TempDir(), "pids"))
	for how, says := range map[string]string{"dies": "does not answer this program",
		"flood": "the answer has more than 1024 KiB"} {
		t.Setenv(mode, how)
		if _, err := asking.By(t.Context(), self, approved); !strings.Contains(fmt.Sprint(err), says) {
			t.Errorf("%s: %v", how, err)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the server was started")
	}
}

// TestARoleIsForPackageAskingAlone: other arguments are not taken, and what is no request starts nothing.
func TestARoleIsForPackageAskingAlone(t *testing.T) {
	for _, args := range [][]string{nil, {"ctxmcp"}, {"ctxmcp", "--version"}, {"ctxmcp", "--x", asking.Role}} {
		if handled, _ := Main(args, env.System(), nil, nil); handled {
			t.Errorf("%q is handled", args)
		}
	}
	for _, in := range []string{"", "\n", "{}", "7\n", strings.Repeat("x", 2*asking.MaxRequest) + "\n"} {
		var out strings.Builder
		handled, exit := Main([]string{"ctxmcp", asking.Role}, env.System(), strings.NewReader(in), &out)
		if !handled || exit != 0 || !strings.Contains(out.String(), `"error":{"code":"invalid"`) {
			t.Errorf("%.20q: %v, %d, %s", in, handled, exit, out.String())
		}
	}
	if _, exit := Main([]string{"ctxmcp", asking.Role, "x"}, env.System(), nil, nil); exit != 2 {
		t.Errorf("with another argument it ends with %d", exit)
	}
}
