package llm

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxledger.dev/compaction"
	"ctxledger.dev/config"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
)

// childRole is the argument by which this test's program becomes a summarizer.
const childRole = "__summarizer"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == childRole {
		os.Exit(child(os.Args[2], os.Args[3:]))
	}
	os.Exit(m.Run())
}

// child plays a program that somebody has configured.
func child(role string, args []string) int {
	switch role {
	case "count":
		in, err := io.ReadAll(os.Stdin)
		if err != nil {
			return 1
		}
		fmt.Printf("## Completed\n- read %d messages\n", strings.Count(string(in), "message-"))
	case "deaf": // never reads what it is given
		fmt.Println("## Completed\n- nothing was read")
	case "drawing": // while it thinks
		fmt.Print("\x1b[?25l⠙ \r⠹ \r\x1b[K## Completed\n- \x1b[32mdrawn\x1b[0m\n\x1b[?25h")
	case "silent":
	case "stall": // until it is killed
		<-time.After(time.Hour)
	case "chatter":
		fmt.Print("## Completed\n", strings.Repeat("- go test ./... fails in TestOven, and so on and on and on\n", 400))
	case "lie":
		fmt.Print(lies)
	case "fail":
		fmt.Fprintln(os.Stderr,
			"loading 10%\rloading the model\nno\x1b[1m memory left, token ghp_abcdefghijklmnopqrstuvwxyz0123456789")
		return 3
	case "verbose":
		fmt.Fprint(os.Stderr, strings.Repeat("a line that says nothing\n", 5000), "the disk is full\n")
		return 1
	case "overflow":
		fmt.Fprintln(os.Stderr, "error: prompt is too long")
		return 1
	case "flood":
		for block := strings.Repeat("x", 64<<10); ; {
			if _, err := fmt.Print(block); err != nil {
				return 1
			}
		}
	case "key":
		fmt.Println(theKey + "\nand a second line")
	case "wait": // as long as it lives, a request to a server is open
		resp, err := http.Get(args[0])
		if err != nil {
			return 1
		}
		_, _ = io.Copy(io.Discard, resp.Body)
	case "parent": // of one that waits; it waits too, or ends at once
		cmd := exec.Command(os.Args[0], childRole, "wait", args[0])
		cmd.Stdout = os.Stdout
		if cmd.Start() != nil {
			return 1
		}
		if args[1] == "stay" {
			_ = cmd.Wait()
		}
	}
	return 0
}

// program is a client of a program in one of the roles of child.
func program(t *testing.T, timeout time.Duration, role ...string) *Client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return newClient(t, config.Summarizer{Kind: config.KindCommand, Command: append([]string{self, childRole}, role...),
		Timeout: timeout})
}

func TestWhatProgramsDo(t *testing.T) {
	for _, c := range []struct {
		role   string
		status compaction.Status
		calls  int
		text   string // in the answer
		says   string // in the reason
	}{
		{"count", compaction.Accepted, 2, "- read 9 messages", ""},
		{"deaf", compaction.Accepted, 2, "- nothing was read", ""},
		{"drawing", compaction.Accepted, 2, "## Completed\n- drawn", ""},
		{"silent", compaction.Empty, 1, "", "answer was empty"},
		{"fail", compaction.Failed, 1, "", "failed (exit status 3): loading the model no memory left, token [masked:"},
		{"verbose", compaction.Failed, 1, "", "a line that says nothing the disk is full"},
		{"overflow", compaction.Failed, 5, "", "prompt is too long"},
		{"flood", compaction.Failed, 1, "", "more than 4194304 bytes"},
	} {
		t.Run(c.role, func(t *testing.T) {
			a, err := program(t, time.Minute, c.role).Author()(t.Context(), brief(9))
			if err != nil || a.Run.Status != c.status || a.Run.Calls != c.calls || !strings.Contains(a.Text, c.text) ||
				!strings.Contains(a.Run.Reason, c.says) {
				t.Errorf("%+v, %v", a, err)
			}
			if strings.Contains(a.Text, "\x1b") {
				t.Errorf("text %q", a.Text)
			}
			if strings.Contains(a.Run.Reason, "ghp_") || strings.Contains(a.Run.Reason, "\x1b") {
				t.Errorf("reason %q", a.Run.Reason)
			}
		})
	}
}

// Of a program that dies the last 40 lines are reported in addition to the error, which has space for a few words.
func TestTheLastLinesOfAProgramThatDiesAreTold(t *testing.T) {
	for role, want := range map[string]string{
		"fail":    "loading the model\nno memory left, token [masked:",
		"verbose": strings.Repeat("a line that says nothing\n", 39) + "the disk is full",
		"count":   "",
	} {
		cl, told := program(t, time.Minute, role), ""
		cl.Died = func(said string) { told += said }
		if _, err := cl.Author()(t.Context(), brief(9)); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(told, want) || (want == "") != (told == "") || strings.Contains(told, "ghp_") {
			t.Errorf("%s: told %q, want %q", role, told, want)
		}
	}
}

// A program that does not end in time dies with everything that it started; so does what a program leaves
// behind that holds its output.
func TestNoProgramIsLeftRunning(t *testing.T) {
	for _, c := range []struct {
		name    string
		role    []string
		timeout time.Duration
		says    string
	}{
		{"itself", []string{"wait"}, 300 * time.Millisecond, "did not answer within "},
		{"what it started", []string{"parent", "stay"}, 300 * time.Millisecond, "did not answer within "},
		{"what it left", []string{"parent", "go"}, time.Minute, "exited with children running"},
	} {
		t.Run(c.name, func(t *testing.T) {
			began, gone := make(chan struct{}, 1), make(chan struct{}, 1)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.(http.Flusher).Flush()
				began <- struct{}{}
				<-r.Context().Done()
				gone <- struct{}{}
			}))
			defer s.Close()
			role := append([]string{c.role[0], s.URL}, c.role[1:]...)
			var a compaction.Answer
			var err error
			// a busy machine may not get as far as the request in time
			for timeout := c.timeout; len(began) == 0 && timeout < 10*time.Minute; timeout *= 2 {
				a, err = program(t, timeout, role...).Author()(t.Context(), brief(2))
			}
			if err != nil || a.Run.Status != compaction.Failed || !strings.Contains(a.Run.Reason, c.says) {
				t.Errorf("%+v, %v", a.Run, err)
			}
			<-began
			<-gone // the test's own deadline is the limit
		})
	}
}

func TestAProgramThatIsGone(t *testing.T) {
	cl := newClient(t, config.Summarizer{Kind: config.KindCommand,
		Command: []string{filepath.Join(t.TempDir(), "gone")}, Timeout: time.Minute})
	if _, err := cl.Summarize(t.Context(), compaction.Prompt{Text: "x"}); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

func TestKeys(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		set  config.Summarizer
		want string // the header's key
		says string
	}{
		{"of a variable", config.Summarizer{KeyEnv: "THE_KEY"}, theKey, ""},
		{"of a program", config.Summarizer{KeyCommand: []string{self, childRole, "key"}}, theKey, ""},
		{"of a variable that is not set", config.Summarizer{KeyEnv: "NO_KEY"}, "", "no key for"},
		{"of a program that fails", config.Summarizer{KeyCommand: []string{self, childRole, "fail"}}, "",
			"prints the key failed"},
		{"of a program that prints nothing", config.Summarizer{KeyCommand: []string{self, childRole, "silent"}}, "",
			"no key for"},
		{"of a program that prints too much", config.Summarizer{KeyCommand: []string{self, childRole, "flood"}}, "",
			"prints the key failed"},
		{"none", config.Summarizer{}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := dialects[0]
			p := serve(t, d, func(_ int, w http.ResponseWriter, _ *http.Request) {
				reply(w, 200, d.okay("x", 1, 1, 0))
			})
			cl := p.client(t, func(s *config.Summarizer) { s.KeyEnv, s.KeyCommand = c.set.KeyEnv, c.set.KeyCommand })
			_, err := cl.Summarize(t.Context(), compaction.Prompt{Text: "x"})
			if c.says != "" {
				if !fault.Is(err, fault.Denied) || !strings.Contains(err.Error(), c.says) ||
					strings.Contains(err.Error()+fault.HintOf(err), theKey) || len(p.requests()) > 0 {
					t.Errorf("%v after %d requests", err, len(p.requests()))
				}
				return
			}
			if err != nil || p.requests()[0].header.Get("X-Api-Key") != c.want {
				t.Errorf("%v, sent %q", err, p.requests()[0].header.Get("X-Api-Key"))
			}
		})
	}
}

func TestClientsThatCannotBe(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	e := env.System()
	for _, c := range []struct {
		name  string
		set   config.Summarizer
		model string
		says  string // "": it can be
	}{
		{"a key in the clear",
			config.Summarizer{Kind: config.KindOpenAI, URL: "http://models.example.org", Model: "m", KeyEnv: "THE_KEY"},
			"", "in the clear"},
		{"a name that looks like this machine",
			config.Summarizer{Kind: config.KindOpenAI, URL: "http://127.0.0.1.example.org", Model: "m",
				KeyEnv: "THE_KEY"}, "", "in the clear"},
		{"no key in the clear",
			config.Summarizer{Kind: config.KindOpenAI, URL: "http://models.example.org", Model: "m"}, "", ""},
		{"a key to this machine",
			config.Summarizer{Kind: config.KindOpenAI, URL: "http://[::1]:8080", Model: "m", KeyEnv: "THE_KEY"},
			"", ""},
		{"another model for a program", config.Summarizer{Kind: config.KindCommand, Command: []string{self}}, "m",
			"names its own model"},
	} {
		_, err := New(approved(t, c.set), e, c.model)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	cl, err := New(approved(t, config.Summarizer{Kind: config.KindAnthropic, Model: "claude-opus-4-8"}), e,
		"claude-haiku-4-5")
	if err != nil || cl.c.URL != config.AnthropicURL || cl.c.KeyEnv != config.AnthropicKey ||
		cl.c.Model != "claude-haiku-4-5" {
		t.Errorf("%+v, %v", cl.c, err)
	}
	if window, output := cl.Limits(); window != 200_000 || output <= 0 {
		t.Errorf("window %d, output %d", window, output)
	}
}
