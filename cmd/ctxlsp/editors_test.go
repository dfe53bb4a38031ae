package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/tokens"
)

// editors is the environment variable that says where `make editors` has put real editors. make test sets it;
// without it, the tests with them are left out.
const editors = "CTXLEDGER_EDITORS"

// TestNeovimShowsWhatThereIs runs the real editor, without a screen.
func TestNeovimShowsWhatThereIs(t *testing.T) {
	dir := os.Getenv(editors)
	if dir == "" {
		t.Skip(editors + " is not set: make test has it")
	}
	p := newPlace(t)
	p.put(t, "guide.md", guide+strings.Repeat("z", 2500)+"\n")
	file := filepath.Join(p.root, "guide.md")
	script, err := filepath.Abs("testdata/neovim.lua")
	must(t, err)
	cmd := exec.Command(filepath.Join(dir, "nvim"), "--headless", "-u", "NONE", "-n", "-i", "NONE", "-c", "luafile "+script)
	cmd.Dir = p.root
	cmd.Env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "CTXLEDGER_STATE=" + p.state, "CTXLSP=" + binary, "CTX_FILE=" + file, "LANG=C.UTF-8"}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s\n%s", err, &out, &errs)
	}
	var got struct{ Version, Encoding, Diagnostic, Hint, Hover, Symbol, Lens string }
	must(t, json.Unmarshal(bytes.TrimSpace(out.Bytes()), &got))
	saved, err := os.ReadFile(file)
	must(t, err)
	want := tokens.Count{N: tokens.O200kBase.CountString(string(saved)), Exact: true}.String() + " tokens"
	if got.Encoding != "utf-16" || got.Diagnostic != "long-lines" || got.Symbol != "Guide" || got.Lens != want ||
		!strings.HasSuffix(got.Hint, " tokens") || !strings.Contains(got.Hover, "counted alone") {
		t.Errorf("Neovim shows %+v; %s are saved", got, want)
	}
	t.Logf("Neovim %s shows %q", got.Version, got.Lens)
}

// TestTheClientOfVSCodeUnderstandsEveryAnswer talks to the server with the library of VS Code's clients.
func TestTheClientOfVSCodeUnderstandsEveryAnswer(t *testing.T) {
	dir := os.Getenv(editors)
	if dir == "" {
		t.Skip(editors + " is not set: make test has it")
	}
	p := newPlace(t)
	text := guide + strings.Repeat("z", 2500) + "\n"
	p.put(t, "a (1).md", text)
	script, err := filepath.Abs("testdata/client.cjs")
	must(t, err)
	cmd := exec.Command("node", script, binary, "a (1).md")
	cmd.Dir = p.root
	cmd.Env = []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + os.TempDir(), "CTXLEDGER_STATE=" + p.state, "NODE_PATH=" + filepath.Join(dir, "node_modules")}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s\n%s", err, out, &errs)
	}
	var got struct {
		Lens, Hover, Symbol, Hint, Diagnostic string
		Folds, Files, Status                  int
		Progress                              []string
	}
	must(t, json.Unmarshal(out, &got))
	want := tokens.Count{N: tokens.O200kBase.CountString("# 😀 New\n" + text), Exact: true}.String() + " tokens"
	if got.Lens != want || !strings.Contains(got.Hover, "counted alone") || got.Symbol != "😀 New" || !strings.HasSuffix(got.Hint, " tokens") ||
		got.Diagnostic != "long-lines" || got.Folds == 0 || got.Files != 1 || got.Status != 0 || len(got.Progress) < 2 {
		t.Errorf("the client has %+v, not %s", got, want)
	}
}
