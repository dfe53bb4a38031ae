package trust_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/agents/registry"
	"ctxledger.dev/carried"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/redact"
	"ctxledger.dev/internal/terminaltest"
	"ctxledger.dev/ledger"
	"ctxledger.dev/tokens"
	"ctxledger.dev/trust"
)

// server configures a server of Claude Code in the workspace and finds what asking it would do.
func (p place) server(t *testing.T, entry string) (trust.ServerAsk, error) {
	t.Helper()
	put(t, filepath.Join(p.ws.Root, ".mcp.json"), `{"mcpServers": {"docs": `+entry+`}}`)
	r := carried.Find(t.Context(), carried.Options{Agents: registry.Carried(), Root: p.ws.Root, Env: p.e,
		Meter: carried.For(ledger.Meter{Counter: tokens.O200kBase.Counter()})})
	for _, h := range r.Hosts {
		for _, part := range h.Parts {
			if part.Kind == carried.Server {
				return trust.FindServer(p.e, p.ws.Root, h, part)
			}
		}
	}
	t.Fatal("there is no server")
	return trust.ServerAsk{}, nil
}

func same(text string) string { return text }

// TestWhatAskingAServerWouldRunIsShown: the program that would really run, with its digest, and nothing of the values of
// variables and headers.
func TestWhatAskingAServerWouldRunIsShown(t *testing.T) {
	mask := redact.New([]byte("k")).String
	for _, c := range []struct {
		name, entry string
		shows       []string
	}{
		{"a program of PATH", `{"command": "writer", "args": ["a b", "tools/sum.py"], "env": {"KEY": "hunter2"}}`,
			[]string{"docs, of \"Claude Code\"", "/root/.mcp.json", `bin/writer "a b" tools/sum.py`, "SHA-256 ",
				"root/tools/sum.py\n", "sets        the variables KEY: their values are not shown"}},
		{"a program of the workspace", `{"command": "./writer", "cwd": "."}`, []string{"root/writer\n"}},
		{"variables", `{"command": "writer", "args": ["${SECRET}", "${NONE:-x}", "${workspaceFolder}"],
			"env": {"TOKEN": "${GITHUB_TOKEN}"}}`, []string{"bin/writer ${SECRET} ${NONE:-x} ${workspaceFolder}\n",
			"gives it    the values of your variables GITHUB_TOKEN, NONE, SECRET\n"}},
		{"an address", `{"type": "http", "url": "https://mcp.example/x?key=hunter2", "headers": {"X-Key": "hunter2"}}`,
			[]string{"connects to mcp.example:443  (https://mcp.example/x?...)", "the headers X-Key: their values"}},
		{"a secret argument", `{"command": "writer",
			"args": ["--token=ghp_0123456789abcdefghijABCDEFGHIJ012345", "postgres://me:hunter2@db.example/x"]}`,
			[]string{"[masked:"}},
		{"what could drive a terminal", `{"command": "writer", "args": ["\u001b[2J", "\u202eevil"]}`,
			[]string{`"\x1b[2J" "\u202eevil"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPlace(t)
			ask, err := p.server(t, c.entry)
			if err != nil {
				t.Fatal(err)
			}
			text := p.unquoted(ask.Text(mask))
			for _, want := range c.shows {
				if !strings.Contains(text, want) {
					t.Errorf("%q is not in\n%s", want, text)
				}
			}
			for _, secret := range []string{"hunter2", "ghp_x", "0123456789abcdefghij"} {
				if strings.Contains(text, secret) {
					t.Errorf("%s is shown in\n%s", secret, text)
				}
			}
		})
	}
}

func TestServersThatCannotBeAsked(t *testing.T) {
	for _, c := range []struct {
		name, entry string
		code        fault.Code
	}{
		{"no entry", `7`, fault.Invalid},
		{"neither", `{"type": "http"}`, fault.Invalid},
		{"both", `{"command": "writer", "url": "https://x"}`, fault.Invalid},
		{"no such program", `{"command": "gone"}`, fault.NotFound},
		{"a program of a variable", `{"command": "${SECRET}"}`, fault.Invalid},
		{"a directory of a variable", `{"command": "writer", "cwd": "${SECRET}"}`, fault.Invalid},
		{"a server of a variable", `{"url": "https://${SECRET}.example/x"}`, fault.Invalid},
		{"what the editor asks for", `{"command": "writer", "env": {"K": "${input:key}"}}`, fault.Invalid},
		{"no address", `{"url": "file:///etc/passwd"}`, fault.Invalid},
		{"a password in the address", `{"url": "https://me:hunter2@x"}`, fault.Invalid},
		{"a header that is not encrypted", `{"url": "http://x.example", "headers": {"K": "v"}}`, fault.Denied},
		{"a variable that is not encrypted", `{"url": "http://x.example/${SECRET}"}`, fault.Denied},
		{"too many arguments", `{"command": "writer", "args": [` + strings.Repeat(`"a",`, 99) + `"a"]}`, fault.Invalid},
		{"too long to be read", `{"command": "writer", "args": ["` + strings.Repeat("a", 5000) + `"]}`, fault.TooLarge},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := newPlace(t).server(t, c.entry)
			if !fault.Is(err, c.code) || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestAChangeOfAServerIsNotApproved: an approval holds for exactly what was shown, and until the program starts.
func TestAChangeOfAServerIsNotApproved(t *testing.T) {
	p := newPlace(t)
	const entry = `{"command": "./writer", "args": ["tools/sum.py"], "env": {"A": "1"}}`
	shown, err := p.server(t, entry)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{
		`{"command": "writer", "args": ["tools/sum.py"], "env": {"A": "1"}}`,
		`{"command": "./writer", "args": ["tools/sum.py", "-x"], "env": {"A": "1"}}`,
		`{"command": "./writer", "args": ["tools/sum.py"], "env": {"A": "2"}}`,
		`{"command": "./writer", "args": ["tools/sum.py"], "env": {"A": "1"}, "cwd": "tools/.."}`,
	} {
		ask, err := p.server(t, other)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := trust.ApproveServer(ask, shown.Digest()); !fault.Is(err, fault.Denied) {
			t.Errorf("%s: %v", other, err)
		}
	}
	for _, digest := range []string{"", "x"} {
		if _, err := trust.ApproveServer(shown, digest); !fault.Is(err, fault.Denied) {
			t.Errorf("%q: %v", digest, err)
		}
	}
	approved, err := trust.ApproveServer(shown, shown.Digest())
	if err != nil {
		t.Fatal(err)
	}
	x, err := approved.Program()
	if err != nil || !slices.Contains(x.Env, "A=1") || slices.ContainsFunc(x.Env, func(v string) bool {
		return strings.HasPrefix(v, "GITHUB_TOKEN=") || strings.HasPrefix(v, "SECRET=")
	}) || x.Dir != p.ws.Root || !slices.Equal(x.Args, []string{"tools/sum.py"}) {
		t.Errorf("%+v, %v", x, err)
	}
	for _, file := range []string{"tools/sum.py", "writer"} {
		path := filepath.Join(p.ws.Root, filepath.FromSlash(file))
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		put(t, path, "changed")
		if _, err := approved.Program(); !fault.Is(err, fault.Denied) {
			t.Errorf("after a change of %s: %v", file, err)
		}
		put(t, path, string(before))
	}
	if _, err := approved.Program(); err != nil {
		t.Errorf("as it was: %v", err)
	}
}

// TestVariablesAreReadOnceTheyAreConfirmed, and one that is not set has its default, or is an error.
func TestVariablesAreReadOnceTheyAreConfirmed(t *testing.T) {
	p := newPlace(t)
	var read []string
	lookup := p.e.Lookup
	p.e.Lookup = func(name string) string {
		read = append(read, name)
		return lookup(name)
	}
	for _, c := range []struct {
		entry string
		args  []string
	}{
		{`{"command": "writer", "args": ["a${SECRET}b", "${NONE:-x}", "${env:SECRET}"]}`, []string{"asb", "x", "s"}},
		{`{"command": "writer", "args": ["${NONE}"]}`, nil},
	} {
		read = nil
		ask, err := p.server(t, c.entry)
		if err != nil {
			t.Fatal(err)
		}
		ask.Text(same)
		if slices.Contains(read, "SECRET") || slices.Contains(read, "NONE") {
			t.Errorf("before: %q were read", read)
		}
		approved, err := trust.ApproveServer(ask, ask.Digest())
		if err != nil {
			t.Fatal(err)
		}
		x, err := approved.Program()
		if fault.Is(err, fault.NotFound) != (c.args == nil) || !slices.Equal(x.Args, c.args) {
			t.Errorf("%s: %q, %v", c.entry, x.Args, err)
		}
	}
	for address, want := range map[string]string{
		"https://x.example/${SECRET}?k=${NONE:-y}": "https://x.example/s?k=y", "https://x.example:1${SECRET}/a": "",
	} {
		ask, err := p.server(t, `{"url": "`+address+`", "headers": {"K": "${GITHUB_TOKEN}"}}`)
		if err != nil && want == "" {
			continue
		}
		approved, _ := trust.ApproveServer(ask, ask.Digest())
		r, err := approved.Remote()
		if r.URL != want || (err == nil) != (want != "") || want != "" && r.Headers["K"] != "ghp_x" {
			t.Errorf("%s: %+v, %v", address, r, err)
		}
	}
}

// TestAServerIsConfirmedByAPersonAtATerminal: nothing else is an answer, and no answer is kept.
func TestAServerIsConfirmedByAPersonAtATerminal(t *testing.T) {
	p := newPlace(t)
	ask, err := p.server(t, `{"command": "./writer"}`)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := trust.ConfirmServer(ask, strings.NewReader("yes\n"), &out, same); !fault.Is(err, fault.Denied) ||
		!strings.Contains(out.String(), "root/writer") { // so that --yes can be given knowingly
		t.Errorf("%v, %q", err, out.String())
	}
	for answer, allowed := range map[string]bool{"yes\n": true, "y\n": false, "\n": false, "no\n": false} {
		person, program := terminaltest.Open(t)
		shown := terminaltest.Answer(t, person, program, "exactly this, once: ", answer)
		_, err := trust.ConfirmServer(ask, program, program, same)
		if text := shown(); (err == nil) != allowed || !strings.Contains(text, "root/writer") {
			t.Errorf("%q: %v\n%s", answer, err, text)
		}
	}
	if list, err := trust.List(p.ws); err != nil || len(list) > 0 {
		t.Errorf("kept: %+v, %v", list, err)
	}
}
