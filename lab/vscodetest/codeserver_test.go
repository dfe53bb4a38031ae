//go:build linux

package vscodetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// codeServer is a running VS Code whose window is a page.
type codeServer struct {
	*scene
	dir  string // where make vscode has put it
	host string // address with its port
	data string // its settings and logs
	env  []string
}

// quiet are the settings of VS Code under which nothing happens that no test asked for.
var quiet = map[string]any{
	"chat.disableAIFeatures":                           true,
	"editor.inlayHints.enabled":                        "on",
	"extensions.autoCheckUpdates":                      false,
	"files.autoSave":                                   "off",
	"git.openRepositoryInParentFolders":                "never",
	"remote.autoForwardPorts":                          false,
	"security.workspace.trust.enabled":                 false,
	"security.workspace.trust.startupPrompt":           "never",
	"telemetry.telemetryLevel":                         "off",
	"update.mode":                                      "none",
	"workbench.secondarySideBar.defaultVisibility":     "hidden",
	"workbench.startupEditor":                          "none",
	"workbench.tips.enabled":                           false,
	"window.commandCenter":                             false,
	"workbench.layoutControl.enabled":                  false,
	"workbench.editor.empty.hint":                      "hidden",
	"workbench.editor.useModal":                        "off", // settings are a tab
	"workbench.welcomePage.walkthroughs.openOnInstall": false,
}

// idle is how many seconds without a page end a code-server whose test was killed. It takes no less than 61.
const idle = "300"

// startCodeServer starts a VS Code on the scene. Everything of it ends with the test.
func startCodeServer(t *testing.T, s *scene) *codeServer {
	t.Helper()
	dir := os.Getenv(vscode)
	c := &codeServer{scene: s, dir: dir, host: freeAddress(t), data: filepath.Join(s.Top, "vscode")}
	// VSCODE_CLI makes VS Code use this environment instead of that of a login shell.
	c.env = append(s.Env(), "CTX_TEST_SESSION="+s.session, "CTX_TEST_SERVERS="+s.servers,
		"CTX_TEST_AGENT="+s.agent(),
		"PATH="+s.Bin+":"+os.Getenv("PATH"),
		"VSCODE_CLI=1", "EXTENSIONS_GALLERY={}", "NODE_PATH="+filepath.Join(dir, "node_modules"))
	c.configure(t, nil)
	c.install(t)
	cmd := exec.Command(c.node(t), filepath.Join(dir, "node_modules/code-server/out/node/entry.js"),
		"--auth", "none", "--bind-addr", c.host, "--reconnection-grace-time", "1", "--idle-timeout-seconds", idle,
		"--disable-telemetry", "--disable-update-check",
		"--disable-getting-started-override", "--user-data-dir", c.data, "--extensions-dir", c.extensions())
	cmd.Env, cmd.Dir, cmd.SysProcAttr = c.env, s.Workspace, &syscall.SysProcAttr{Setpgid: true}
	said, err := os.Create(filepath.Join(s.Top, "code-server.log"))
	must(t, err)
	cmd.Stdout, cmd.Stderr = said, said
	must(t, cmd.Start())
	ended := make(chan error, 1) // closed after that
	go func() { ended <- cmd.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // it may have ended
		<-ended
		must(t, said.Close())
		if t.Failed() {
			c.showLogs(t)
		}
	})
	c.awaitReady(t, ended)
	return c
}

// install lays the extension out as VS Code does when a person installs it. One that is under development would not do:
// VS Code runs it in every workspace, trusted or not.
func (c *codeServer) install(t *testing.T) {
	t.Helper()
	dir := filepath.Join(c.extensions(), "ctxledger.ctxledger-0.0.0")
	for _, part := range []string{"dist", "media", "snippets"} {
		must(t, os.CopyFS(filepath.Join(dir, part), os.DirFS(filepath.Join(built.extension, part))))
	}
	for _, file := range []string{"package.json", "build/README.md"} {
		content, err := os.ReadFile(filepath.Join(built.extension, file))
		must(t, err)
		must(t, os.WriteFile(filepath.Join(dir, filepath.Base(file)), content, 0o600))
	}
}

func (c *codeServer) extensions() string { return filepath.Join(c.data, "extensions") }

// freeAddress returns an address on which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer l.Close() // nothing was sent
	return l.Addr().String()
}

// node returns the Node that code-server wants.
func (c *codeServer) node(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(c.dir, "node_modules/node-linux-*/bin/node"))
	if err != nil || len(found) != 1 {
		t.Fatalf("there is not one Node below %s: %v, %v", c.dir, found, err)
	}
	return found[0]
}

// awaitReady waits until the server answers.
func (c *codeServer) awaitReady(t *testing.T, ended <-chan error) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	asking := http.Client{Timeout: time.Second}
	for {
		select {
		case err := <-ended:
			t.Fatalf("code-server has ended: %v", err)
		case <-deadline:
			t.Fatal("code-server does not answer")
		case <-tick.C:
		}
		if resp, err := asking.Get("http://" + c.host + "/healthz"); err == nil {
			must(t, resp.Body.Close())
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
	}
}

// configure writes the settings that the next page has. Where the language server is, is a setting of the machine.
func (c *codeServer) configure(t *testing.T, settings map[string]any) {
	t.Helper()
	all := maps.Clone(quiet)
	maps.Copy(all, settings)
	for file, settings := range map[string]map[string]any{
		"User/settings.json": all, "Machine/settings.json": {"ctxledger.server.path": c.server},
	} {
		raw, err := json.MarshalIndent(settings, "", "\t")
		must(t, err)
		c.put(t, filepath.Join(c.data, file), raw)
	}
}

// drive runs a script of testdata in a browser on this VS Code, and returns what it says. It fails when the script does.
func (c *codeServer) drive(t *testing.T, script string, args ...string) string {
	t.Helper()
	return c.driveIn(t, c.Workspace, script, args...)
}

// driveIn is drive in another folder, or in the folders of a workspace's file.
func (c *codeServer) driveIn(t *testing.T, place, script string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), scriptPatience)
	defer cancel()
	chromium, err := exec.LookPath("chromium")
	must(t, err)
	cmd := exec.CommandContext(
		ctx, "node", append([]string{filepath.Join("testdata", script), c.host, place}, args...)...)
	cmd.Env = append(c.env, "CHROMIUM="+chromium)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it closes its browser
	cmd.WaitDelay = 10 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	t.Logf("%s", strings.TrimSpace(string(out)))
	return string(out)
}

// showLogs shows what VS Code has written down.
func (c *codeServer) showLogs(t *testing.T) {
	t.Helper()
	const most = 16 << 10
	logs := []string{filepath.Join(c.Top, "code-server.log")}
	_ = filepath.WalkDir(filepath.Join(c.data, "logs"), func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil: // the rest can be shown
		case d.IsDir() && strings.HasPrefix(d.Name(), "vscode."): // of an extension that VS Code brings along
			return fs.SkipDir
		case !d.IsDir():
			logs = append(logs, path)
		}
		return nil
	})
	for _, path := range logs {
		raw, err := os.ReadFile(path)
		if err != nil {
			raw = fmt.Append(nil, err)
		}
		if len(raw) > 0 {
			t.Logf("%s:\n%s", strings.TrimPrefix(path, c.Top), raw[max(0, len(raw)-most):])
		}
	}
}
