// Package conformance holds the built ctxmcp against programs of the protocol's authors: their suite of conformance, and
// their client in JavaScript. The programs are installed by `make conformance`.
package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
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

// bridge returns the address of a door to a server on standard input, which the suite cannot start: it passes messages on, one
// after the other, and answers what comes back.
func bridge(t *testing.T) string {
	t.Helper()
	cmd := programtest.NewPlace(t).Command(t, binary, "--in-process")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	lines := bufio.NewReader(out)
	door := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		body, err := io.ReadAll(r.Body)
		var line bytes.Buffer
		if err != nil || r.Method != http.MethodPost || json.Compact(&line, body) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if _, err := in.Write(append(line.Bytes(), '\n')); err != nil {
			t.Error(err)
		}
		if !bytes.Contains(line.Bytes(), []byte(`"id":`)) || !bytes.Contains(line.Bytes(), []byte(`"method":`)) {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		answer, err := lines.ReadBytes('\n')
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(answer) // the suite may have left
	}))
	t.Cleanup(func() {
		door.Close()
		if err := errors.Join(in.Close(), cmd.Wait()); err != nil {
			t.Error(err)
		}
	})
	return door.URL
}

// TestRealConformance runs both suites over HTTP, and the stable one over standard input. What is expected to fail is in
// testdata, with reasons.
func TestRealConformance(t *testing.T) {
	dir := scripts(t)
	for name, c := range map[string]struct {
		door            func(t *testing.T) string
		suite, expected string
		arguments       []string
	}{
		"HTTP 2025-06-18":         {open, "stable", "stable.yml", []string{"--suite", "all", "--spec-version", "2025-06-18"}},
		"HTTP 2025-11-25":         {open, "stable", "stable.yml", []string{"--suite", "all", "--spec-version", "2025-11-25"}},
		"newest, HTTP 2026-07-28": {open, "newest", "newest.yml", []string{"--requirements", "2026-07-28"}},
		"stdio 2025-11-25": {bridge, "stable", "stdio.yml",
			[]string{"--suite", "all", "--spec-version", "2025-11-25"}},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := node(t, dir, append([]string{
				filepath.Join(c.suite, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js"), "server",
				"--url", c.door(t), "--expected-failures", absolute(t, c.expected), "-o", t.TempDir()}, c.arguments...)...)
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

// TestPythonClient has a client of Python's standard library, which shares no code with the server or its authors, greet in
// each revision, list and call tools, and make mistakes, over both transports.
func TestPythonClient(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	place := programtest.NewPlace(t)
	s, err := hosted.Start(t.Context(), place.Forever(binary, "--http", "127.0.0.1:0"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}()
	token, err := s.Token("shop", access.Write)
	if err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{s.MCP(), token}, {binary, "--in-process"}} {
		cmd := place.Command(t, "python3", append([]string{absolute(t, "client.py")}, arguments...)...)
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "OK ctxledger 5 tools") {
			t.Errorf("%s: %v: %s", arguments[0], err, out)
		}
	}
}

// absolute returns the path of a file of testdata.
func absolute(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return path
}
