// Package conformance holds the built ctxmcp against programs of the protocol's authors: their suite of conformance, and
// their client in JavaScript. The programs are installed by `make conformance`.
package conformance

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxledger.dev/hosting"
	"ctxledger.dev/hosting/access"
	"ctxledger.dev/lab/hosted"
	"ctxledger.dev/lab/installed"
	"ctxledger.dev/lab/programtest"
)

// binary is the built program.
var binary string

func TestMain(m *testing.M) {
	os.Exit(programtest.Run(m, func(dir string) error {
		binary = filepath.Join(dir, "ctxmcp")
		return programtest.Build(dir, "ctxledger.dev/cmd/ctxmcp")
	}))
}

// scripts is the directory in which the programs are installed.
func scripts(t *testing.T) string {
	return installed.Directory(t, "CTXLEDGER_CONFORMANCE", "conformance")
}

// node runs a script and returns what it says.
func node(t *testing.T, dir string, arguments ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), programtest.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", arguments...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// open returns the address of a server over HTTP that adds the token, which the suite cannot, and passes all else on as it
// is.
func open(t *testing.T) string {
	t.Helper()
	s, err := hosted.Start(t.Context(), programtest.NewPlace(t).Forever(binary, "--http", "127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	token, err := s.Token("shop", access.Write)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	door := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host // the suite tries others
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}})
	t.Cleanup(door.Close)
	return door.URL + hosting.MCPPath
}

// TestRealConformanceOverHTTP runs both suites. What is expected to fail is in testdata, with reasons.
func TestRealConformanceOverHTTP(t *testing.T) {
	dir := scripts(t)
	for _, c := range []struct {
		suite, expected string
		arguments       []string
	}{
		{"stable", "stable.yml", []string{"--suite", "all", "--spec-version", "2025-06-18"}},
		{"stable", "stable.yml", []string{"--suite", "all", "--spec-version", "2025-11-25"}},
		{"newest", "newest.yml", []string{"--requirements", "2026-07-28"}},
	} {
		t.Run(strings.Join(c.arguments[1:], " "), func(t *testing.T) {
			expected, err := filepath.Abs(filepath.Join("testdata", c.expected))
			if err != nil {
				t.Fatal(err)
			}
			out, err := node(t, dir, append([]string{
				filepath.Join(c.suite, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"), "server", "--url", open(t),
				"--expected-failures", expected, "-o", t.TempDir()}, c.arguments...)...)
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			t.Log(out[max(0, len(out)-1500):])
		})
	}
}

// TestRealJavaScriptClient has the client of the protocol's authors list and call tools, over both transports.
func TestRealJavaScriptClient(t *testing.T) {
	dir := scripts(t)
	script, err := os.ReadFile(filepath.Join("testdata", "client.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "stable", "ctxledger-client.mjs") // beside what it imports
	if err := os.WriteFile(file, script, 0o600); err != nil {
		t.Fatal(err)
	}
	place := programtest.NewPlace(t)
	run := func(arguments ...string) error {
		cmd := place.Command(t, "node", append([]string{file}, arguments...)...)
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Run(); err != nil || !strings.Contains(out.String(), "OK ctxledger 5 tools") {
			return errors.Join(errors.New(out.String()), err)
		}
		return nil
	}
	if err := run(binary, "--in-process"); err != nil {
		t.Errorf("standard input: %v", err)
	}
	if err := run(open(t)); err != nil {
		t.Errorf("HTTP: %v", err)
	}
	if answer, err := http.Get(open(t)); err != nil || answer.StatusCode != http.StatusMethodNotAllowed || answer.Body.Close() != nil {
		t.Errorf("%v %v", answer, err)
	}
}
