package taint

import (
	"encoding/base64"
	"path/filepath"
	"strings"
	"testing"
)

// defects are the leaks that were found, each as text that was planted somewhere and the way by which a piece of it
// left. In a text, SECRET is replaced by random words, and KEY by the lines of a private key.
var defects = []struct {
	name, text, where, exit string
}{
	{"a bearer token as a name in resume", "curl -H 'Authorization: Bearer SECRET' https://api.example.com",
		"command", "resume"},
	{"a bearer token as a name in a summary", "curl -H 'Authorization: Bearer SECRET' https://api.example.com",
		"command", "summary"},
	{"a netrc entry in resume", "machine api.example.com login deploy password SECRET", "result", "resume"},
	{"a netrc entry in a summary", "machine api.example.com login deploy password SECRET", "result", "summary"},
	{"api_secret: in resume", "service:\n  api_secret: SECRET\n", "write", "resume"},
	{"api_secret: in a summary", "service:\n  api_secret: SECRET\n", "write", "summary"},
	{"Password= in resume", "Server=db;User Id=sa;Password=SECRET;", "failure", "resume"},
	{"Password= in a summary", "Server=db;User Id=sa;Password=SECRET;", "failure", "summary"},
	{"a private key cut by ArgsSummary", "cat > id_rsa <<'E'\nKEYE\n", "command", "exports"},
	{"a private key in a write, cut by ArgsSummary", "KEY", "write", "exports"},
	{"a numbered private key", "NUMBERED", "result", "exports"},
	{"a numbered private key in the error of a command", "NUMBERED", "failure", "exports"},
	{"compact prints a request", "Use Authorization: Bearer SECRET for it", "request", "compact"},
	{"compact prints a command", "psql 'Server=db;Password=SECRET;'", "command", "compact"},
	{"compact prints a failure", "login failed: api_secret: SECRET", "failure", "compact"},
	{"status prints a title", "Use Authorization: Bearer SECRET for it", "title", "status"},
	{"status prints the name of a file", "ghp_SECRET", "file", "status"},
	{"changes cuts the name of a file", "ghp_SECRET", "written file", "changes"},
	{"an unknown flag is cut at an equals sign",
		`{"auth":"` + base64.StdEncoding.EncodeToString([]byte("shop:"+words)) + `"}`, "nowhere", "flag"},
	{"a value before a colon, as grep prints it", "JSESSIONID=SECRET: match", "failure", "compact"},
	{"an escape in JSON in JSON", `{"log":"{\"m\":\"line\\nhvs.SECRET\"}"}`, "failure", "compact"},
	{"the errors of MCP echo a tool", "ghp_SECRET", "nowhere", "MCP tool"},
	{"the errors of MCP echo a method", "ghp_SECRET", "nowhere", "MCP method"},
	{"the errors of MCP echo a URI", "ctxledger://x/ghp_SECRET", "nowhere", "MCP URI"},
}

// words replace SECRET: as long as the rules for tokens want, and no word of a language.
const words = "q7Wd2kXv9TzL4mRb8NcY1pJs6HgF3aEu0oKi"

func TestWhatLeakedOnceLeaksNoMore(t *testing.T) {
	var key strings.Builder
	key.WriteString("-----BEGIN RSA PRIVATE " + "KEY-----\n")
	for i := range 8 {
		key.WriteString(words[4*i:] + words[:28] + words[:4*i] + "\n")
	}
	key.WriteString("-----END RSA PRIVATE " + "KEY-----\n")
	fill := strings.NewReplacer("SECRET", words, "NUMBERED", numberedLines(key.String()), "KEY", key.String())
	known := piecesOf([]canary{{kind: "planted", random: []string{words, words + words[:28]}}})
	for _, d := range defects {
		t.Run(d.name, func(t *testing.T) {
			text := fill.Replace(d.text)
			out := leave(t, newPlace(t), d.where, text, d.exit)
			if len(out) < 100 {
				t.Fatalf("%s gave only %q", d.exit, out)
			}
			for _, around := range known.find(out) {
				t.Errorf("a piece leaves: …%q…", around)
			}
		})
	}
}

// leave records a session with a text somewhere, and returns what an exit says then.
func leave(t *testing.T, p *place, where, text, exit string) string {
	t.Helper()
	p.record(plantedAt(p.root, where, text))
	switch exit {
	case "compact":
		out, errs := p.run("compact", "--keep", "1", p.session)
		return out + errs
	case "summary":
		out, errs := p.run("compact", "--json", "--keep", "1", p.session)
		return out + errs
	case "status":
		out, errs := p.run("status", "--json", p.session)
		return out + errs
	case "changes":
		out, errs := p.run("changes", "--limit", "100")
		return out + errs
	case "flag":
		out, errs := p.run("--" + text)
		return out + errs
	case "exports":
		return p.exported()
	}
	ask, closed := p.serve()
	defer closed()
	switch exit {
	case "resume":
		return ask("prompts/get",
			map[string]any{"name": "resume", "arguments": map[string]string{"session": p.session}})
	case "MCP tool":
		return ask("tools/call", map[string]any{"name": text, "arguments": map[string]any{}})
	case "MCP method":
		return ask(text, map[string]any{})
	case "MCP URI":
		return ask("resources/read", map[string]any{"uri": text})
	}
	t.Fatalf("no exit %s", exit)
	return ""
}

// plantedAt returns a session with a text at one place.
func plantedAt(root, where, text string) *writer {
	w, config := &writer{cwd: root}, filepath.Join(root, "config.txt")
	if where == "title" {
		w.user(text)
	} else {
		w.user("Please look after the deploy.")
	}
	switch where {
	case "request":
		w.user(text)
	case "command":
		w.call("Bash", map[string]any{"command": text}, "ok", false)
	case "result":
		w.call("Bash", map[string]any{"command": "cat -n " + config}, text, false)
	case "failure":
		w.call("Bash", map[string]any{"command": "make deploy"}, text, true)
	case "write":
		w.call("Write", map[string]any{"file_path": config, "content": text}, "File created", false)
	case "written file":
		w.call("Write", map[string]any{"file_path": filepath.Join(root, strings.Repeat("d", 60), text), "content": "x"},
			"File created", false)
	case "file":
		w.call("Read", map[string]any{"file_path": filepath.Join(root, text)}, strings.Repeat("a line\n", 400), false)
	}
	for range 30 {
		w.call("Bash", map[string]any{"command": "make check"}, strings.Repeat("a line of a log\n", 100), false)
	}
	w.last(model)
	return w
}
