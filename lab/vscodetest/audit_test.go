//go:build linux

package vscodetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ctxledger.dev/lab/shown"
)

// auditPicture is the picture of docs/audit.md.
const auditPicture = "../../docs/images/audit.png"

// TestScreenshotsOfTheAudit takes the picture of docs/audit.md, of the recorded session at the prices of the README, and
// notes in it what is to be read there: lab/e2e compares that with the programs.
func TestScreenshotsOfTheAudit(t *testing.T) {
	if *screenshots == "" {
		t.Skip("-screenshots says that pictures are taken: make screenshots does")
	}
	s := newBox(t)
	raw, err := os.ReadFile(recording)
	must(t, err)
	session, page := filepath.Join(s.Workspace, "shop.jsonl"), filepath.Join(s.Top, "audit.html")
	must(t, os.WriteFile(session, shown.Priced(raw), 0o600))
	_, err = s.Run(t.Context(), "audit", "--html", page, session)
	must(t, err)
	picture := filepath.Join(s.Top, "audit.png")
	photograph(t, "audit.cjs", page, picture)
	html, err := os.ReadFile(page)
	must(t, err)
	words, err := shown.Words(html, "Models")
	must(t, err)
	png, err := os.ReadFile(picture)
	must(t, err)
	png, err = shown.Noted(png, words)
	must(t, err)
	must(t, os.WriteFile(auditPicture, png, 0o644))
}

// photograph runs a script of testdata in Node, which opens a browser of its own.
func photograph(t *testing.T, script string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	chromium, err := exec.LookPath("chromium")
	must(t, err)
	cmd := exec.CommandContext(ctx, "node", append([]string{filepath.Join("testdata", script)}, args...)...)
	cmd.Env = append(os.Environ(), "CHROMIUM="+chromium,
		"NODE_PATH="+filepath.Join(os.Getenv(vscode), "node_modules"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}
