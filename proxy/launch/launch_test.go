package launch_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/process"
	"ctxledger.dev/proxy"
	"ctxledger.dev/proxy/launch"
)

// roles are what this program is when it is started with the name of one of them.
var roles = map[string]func() int{"-proxy": serve, "-agent": work, "-wait": wait, "-broken": func() int {
	fmt.Fprintln(os.Stderr, "out of order")
	return 3
}}

func TestMain(m *testing.M) {
	for _, arg := range os.Args[1:] {
		if role := roles[arg]; role != nil {
			os.Exit(role())
		}
	}
	goleak.VerifyTestMain(m)
}

// place is where the proxies of a test note what they are: the argument behind the role.
func place() string {
	i := slices.IndexFunc(os.Args, func(arg string) bool { return arg == "-proxy" || arg == "-agent" })
	return os.Args[i+1]
}

// serve is a proxy without a ledger. It notes its process id.
func serve() int {
	in := bufio.NewReader(os.Stdin)
	token, _ := in.ReadString('\n')
	ctx, end := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, in)
		end()
	}()
	to, _ := proxy.Upstreams(map[string]string{}, func(string) string { return "" })
	c := proxy.Config{Env: env.System(), Token: strings.TrimSpace(token), Upstreams: to, Say: func(string) {},
		Ledger: func(context.Context) (proxy.Ledger, error) { return nil, errors.New("there is none") }}
	err := proxy.Serve(ctx, c, os.Args[len(os.Args)-1], func(address string) error {
		pid := strconv.Itoa(os.Getpid())
		if err := os.WriteFile(filepath.Join(place(), "proxy."+pid), []byte(pid), 0o600); err != nil {
			return err
		}
		return json.NewEncoder(os.Stdout).Encode(launch.Started{Address: address})
	})
	fmt.Fprintln(os.Stderr, "the proxy ends:", err)
	return 0
}

// work is an agent. It asks its proxy, kills it, and asks again until another one answers.
func work() int {
	base := env.System().Lookup("ANTHROPIC_BASE_URL")
	pids := func() []string { all, _ := filepath.Glob(filepath.Join(place(), "proxy.*")); return all }
	alive := func() bool {
		r, err := http.Get(strings.TrimSuffix(base, "/anthropic") + "/nobody")
		if err == nil {
			defer r.Body.Close()
		}
		return err == nil && r.StatusCode == http.StatusNotFound // with this token, by this proxy
	}
	if !alive() || len(pids()) != 1 {
		return 1
	}
	variable := env.System().Lookup
	fmt.Println(variable("OPENAI_BASE_URL"), variable("NO_PROXY"), variable("ENABLE_TOOL_SEARCH"))
	pid, _ := strconv.Atoi(strings.TrimPrefix(filepath.Ext(pids()[0]), "."))
	p, err := os.FindProcess(pid)
	if err != nil || p.Kill() != nil {
		return 2
	}
	late, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for len(pids()) < 2 || !alive() {
		if env.Sleep(late, 5*time.Millisecond); late.Err() != nil {
			return 3
		}
	}
	return 42
}

// wait is an agent that works until it is ended.
func wait() int {
	fmt.Println("ready")
	env.Sleep(context.Background(), time.Hour)
	return 0
}

// TestAProxyThatDiesIsStartedAgain at the same address, while the agent works; nothing is left behind, and the status is the
// agent's.
func TestAProxyThatDiesIsStartedAgain(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	var out, errs bytes.Buffer
	status, err := launch.Run(t.Context(), launch.Options{Env: env.System(), Agent: []string{own, "-agent", dir},
		Proxy: []string{own, "-proxy", dir}, In: strings.NewReader(""), Out: &out, Err: &errs})
	if status != 42 || err != nil {
		t.Fatalf("status %d, %v: %s", status, err, &errs)
	}
	if got := out.String(); !strings.HasPrefix(got, "http://127.0.0.1:") || !strings.Contains(got, "/openai ") ||
		!strings.Contains(got, "127.0.0.1 true") {
		t.Errorf("the variables are %s", got)
	}
	if !strings.Contains(errs.String(), "the proxy ends: <nil>") {
		t.Errorf("what the proxy said is lost: %q", &errs)
	}
	pids, _ := filepath.Glob(filepath.Join(dir, "proxy.*"))
	for _, path := range pids {
		if pid, _ := strconv.Atoi(strings.TrimPrefix(filepath.Ext(path), ".")); process.Alive(pid) {
			t.Errorf("process %d is left", pid)
		}
	}
	if len(pids) != 2 {
		t.Errorf("%d proxies", len(pids))
	}
}

// TestWhatDoesNotStart: the agent is not started without a proxy, and what is missing is named.
func TestWhatDoesNotStart(t *testing.T) {
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name         string
		agent, proxy []string
		code         fault.Code
		want         string
	}{
		{"a directory", []string{"../launch"}, nil, fault.Invalid, "is a directory"},
		{"no program", []string{"./launch_test.go"}, nil, fault.Denied, "is not executable"},
		{"no agent", []string{"no-such-agent"}, []string{own, "-proxy", t.TempDir()}, fault.NotFound, "no-such-agent"},
		{"no proxy", []string{own, "-agent", "x"}, []string{own, "-broken", ""}, fault.Unavailable, "out of order"},
		{"no program of a proxy", []string{own, "-agent", "x"}, []string{own + "-gone"}, fault.Unavailable,
			"no such file"},
	} {
		var out bytes.Buffer
		_, err := launch.Run(t.Context(), launch.Options{Env: env.System(), Agent: c.agent, Proxy: c.proxy,
			In: strings.NewReader(""), Out: &out, Err: io.Discard})
		if fault.CodeOf(err) != c.code || !strings.Contains(fmt.Sprint(err), c.want) || out.Len() > 0 {
			t.Errorf("%s: %v, %s", c.name, err, &out)
		}
	}
}
