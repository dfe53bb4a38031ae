package deployment

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ctxledger.dev/lab/hosted"
	"ctxledger.dev/lab/installed"
	"ctxledger.dev/lab/programtest"
)

// name is by what requests come. It ends so that the proxy asks nobody for a certificate.
const name = "ledger.localhost"

// insideVariable is set for the process that a test runs in name spaces of its own.
const insideVariable = "CTXLEDGER_TEST_INSIDE"

// programs is the directory of what is installed.
func programs(t *testing.T) string {
	return installed.Directory(t, "CTXLEDGER_DEPLOYMENT", "deployment")
}

// inside reports whether this process has mounts and a network of its own. If not, it runs the test in one that has.
func inside(t *testing.T) bool {
	t.Helper()
	if os.Getenv(insideVariable) != "" {
		prepare(t)
		return true
	}
	if os.Getuid() != 0 {
		t.Skip("it needs root, to run a server as another user")
	}
	if out, err := exec.Command("unshare", "-mn", "true").CombinedOutput(); err != nil {
		t.Skipf("name spaces are not to be had here: %v: %s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), "unshare", "-mn", os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), insideVariable+"=yes")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("%v", err)
	}
	t.Logf("%s", out)
	return false
}

// prepare switches the loopback device on, and makes the names known by which the parts find each other.
func prepare(t *testing.T) {
	t.Helper()
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(socket) }()
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		t.Fatal(err)
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, lo); err != nil {
		t.Fatal(err)
	}
	hosts := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(hosts, []byte("127.0.0.1 localhost ledger "+name+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	mount(t, hosts, "/etc/hosts", "", syscall.MS_BIND)
}

func mount(t *testing.T, source, target, kind string, flags uintptr) {
	t.Helper()
	if err := syscall.Mount(source, target, kind, flags, ""); err != nil {
		t.Fatalf("mount %s: %v", target, err)
	}
	if flags&syscall.MS_REMOUNT == 0 {
		t.Cleanup(func() {
			if err := syscall.Unmount(target, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
	}
}

// box is where a server runs: a root directory that cannot be written to, but for its state, and a user without rights.
type box struct {
	root, state string // state: as seen from here
	environment []string
	user        uint32
	server      []string // the command, and its arguments
	admin       string   // the program that makes tokens
}

// seal lets nothing be written below the root but in the state directory, which has a path there.
func (b *box) seal(t *testing.T, state string) {
	t.Helper()
	b.state = filepath.Join(t.TempDir(), "state")
	run(t, "install", "-d", "-m", "0700", "-o", strconv.Itoa(int(b.user)), b.state)
	run(t, "mkdir", "-p", filepath.Join(b.root, state))
	mount(t, b.state, filepath.Join(b.root, state), "", syscall.MS_BIND)
	mount(t, "", b.root, "", syscall.MS_REMOUNT|syscall.MS_BIND|syscall.MS_RDONLY)
}

// command returns a program of the box, which is the first process that it sees, as in a container.
func (b *box) command(program string, arguments ...string) *exec.Cmd {
	return &exec.Cmd{Path: program, Args: append([]string{program}, arguments...), Dir: "/", Env: b.environment,
		SysProcAttr: &syscall.SysProcAttr{Chroot: b.root, Cloneflags: syscall.CLONE_NEWPID,
			Credential: &syscall.Credential{Uid: b.user, Gid: b.user}}}
}

// run runs a program of this machine.
func run(t *testing.T, program string, arguments ...string) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), program, arguments...).CombinedOutput(); err != nil {
		t.Fatalf("%s %v: %v: %s", program, arguments, err, out)
	}
}

// build runs the first stage of the image, and returns where /image and /volume are then.
func build(t *testing.T, i image) string {
	t.Helper()
	dir := t.TempDir()
	for _, line := range i.build {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", strings.NewReplacer(" /image", " "+dir+"/image", " /volume",
			" "+dir+"/volume").Replace(line))
		cmd.Dir = repository
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", line, err, out)
		}
	}
	return dir
}

// TestRealImageBehindAProxy runs the image of the Dockerfile as the compose file has it.
func TestRealImageBehindAProxy(t *testing.T) {
	if !inside(t) {
		return
	}
	i := dockerfile(t)
	c := compose(t, programs(t)).Services["ledger"]
	if len(c.Volumes) != 1 || c.Volumes[0].Target != i.volume || !c.ReadOnly || filepath.Join(c.Build.Context, c.Build.Dockerfile) !=
		absolute(t, filepath.Join(folder, "Dockerfile")) {
		t.Fatalf("%+v is not for %+v", c, i)
	}
	built, user := build(t, i), uint64(0)
	if _, err := fmt.Sscanf(i.user, "%d:", &user); err != nil || user == 0 {
		t.Fatalf("the user is %q", i.user)
	}
	b := &box{root: filepath.Join(t.TempDir(), "root"), environment: i.environment, user: uint32(user), admin: "/ctxledger",
		server: append(i.command[:i.entry:i.entry], expanded(c.Command, []string{"LEDGER_HOST=" + name})...)}
	run(t, "mkdir", b.root)
	mount(t, "image", b.root, "tmpfs", 0)
	for _, l := range i.copies {
		run(t, "cp", "-r", "--preserve=mode", filepath.Join(built, l.from)+"/.", b.root)
		if info, err := os.Stat(filepath.Join(b.root, i.volume)); l.owner != "" && (l.owner != i.user || err != nil ||
			info.Mode().Perm() != 0o700) {
			t.Errorf("the volume is of %s: %v", l.owner, info)
		}
	}
	b.seal(t, i.volume)
	b.serves(t, nil)
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestRealUnitBehindAProxy runs the service as systemd would, and compares the system calls of the server with those that the
// unit allows: one that it does not allow ends a service that worked everywhere else.
func TestRealUnitBehindAProxy(t *testing.T) {
	if !inside(t) {
		return
	}
	u, state := service(t), filepath.Join("/var/lib", service(t)["StateDirectory"][0])
	b := &box{root: filepath.Join(t.TempDir(), "root"), user: 65533, environment: u["Environment"],
		admin: "/usr/local/bin/ctxledger"}
	b.environment = append(b.environment, "LEDGER_HOST="+name)
	b.server = expanded(strings.Fields(u["ExecStart"][0]), b.environment)
	built := build(t, dockerfile(t))
	run(t, "mkdir", b.root)
	mount(t, "/", b.root, "", syscall.MS_BIND)
	for _, dir := range []string{"/usr/local/bin", "/var/lib"} {
		mount(t, "above", filepath.Join(b.root, dir), "tmpfs", 0)
	}
	run(t, "cp", "-r", filepath.Join(built, "image")+"/.", filepath.Join(b.root, "usr/local/bin"))
	b.seal(t, state)
	mount(t, "proc", filepath.Join(b.root, "proc"), "proc", 0)
	trace := filepath.Join(state, "trace")
	b.server = append([]string{"/usr/bin/strace", "-D", "-f", "-qq", "-o", trace}, b.server...)
	b.serves(t, []string{"LEDGER_SERVER=127.0.0.1:7801"})
	raw, err := os.ReadFile(filepath.Join(b.state, "trace"))
	if err != nil {
		t.Fatal(err)
	}
	allowed, seen := map[string]bool{}, map[string]bool{}
	for _, filter := range u["SystemCallFilter"] {
		rest, denies := strings.CutPrefix(filter, "~")
		for set := range strings.FieldsSeq(rest) {
			for _, call := range callsOf(t, set) {
				allowed[call] = !denies
			}
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^\d+ +([a-z0-9_]+)\(`).FindAllStringSubmatch(string(raw), -1) {
		if seen[m[1]] = true; !allowed[m[1]] {
			allowed[m[1]] = true // it is said once
			t.Errorf("the unit does not allow the system call %s", m[1])
		}
	}
	if len(seen) < 20 || len(allowed) < 200 {
		t.Errorf("%d system calls, %d are allowed", len(seen), len(allowed))
	}
}

// callsOf returns the system calls of a set of systemd's.
func callsOf(t *testing.T, set string) (all []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "systemd-analyze", "syscall-filter", set).Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", set, err, said(err))
	}
	for line := range strings.Lines(string(out)) {
		switch call := strings.TrimSpace(line); {
		case call == set || call == "" || call[0] == '#':
		case call[0] == '@':
			all = append(all, callsOf(t, call)...)
		default:
			all = append(all, call)
		}
	}
	return all
}

// serves starts the server of a box and the proxy in front of it, and has both do what docs/hosting.md says.
func (b *box) serves(t *testing.T, proxy []string) {
	t.Helper()
	token := b.token(t)
	s := b.start(t)
	client := startProxy(t, proxy)
	ask := func(method, path, body, token string) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := client.Do(r)
		if err != nil {
			t.Fatalf("%v; the end of the log: %s", err, s.Log)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	url := "https://" + name
	var made struct{ Session string }
	messages := make([]string, 40)
	for i := range messages {
		messages[i] = fmt.Sprintf(`{"role":%q,"content":"message %d %s"}`, []string{"user", "assistant"}[i%2], i,
			strings.Repeat("and why ", 200))
	}
	status, text := ask("POST", url+"/v1/append_messages", `{"messages":[`+strings.Join(messages, ",")+`]}`, token)
	if err := json.Unmarshal([]byte(text), &made); err != nil || status != 200 || made.Session == "" {
		t.Fatalf("%d %s", status, text)
	}
	of := `{"session":"` + made.Session + `"}`
	for _, c := range []struct {
		method, url, body, token string
		status                   int
		has                      string
	}{
		{"POST", url + "/v1/compact_conversation", of, token, 200, `"compacted"`},
		{"POST", url + "/v1/view", of, token, 200, "message 39"},
		{"POST", url + "/mcp", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, token, 200, "compact_conversation"},
		{"GET", url + "/healthz", "", "", 200, "ok"},
		{"GET", url + "/readyz", "", token, 200, "ready"},
		{"POST", url + "/v1/view", of, "ctxl_" + strings.Repeat("0", 40), 401, "token"},
		{"POST", "http://" + name + "/v1/view", of, token, 308, ""},
		{"POST", "http://ledger.elsewhere:7801/v1/view", of, token, 403, "name"}, // past the proxy
		{"POST", url + "/v1/put_artifact", `{"content":"` + strings.Repeat("long ", 3<<20) + `"}`, token, 200, ""},
		{"POST", url + "/v1/put_artifact", `{"content":"` + strings.Repeat("long ", 4<<20) + `"}`, token, 413, ""},
	} {
		if status, text := ask(c.method, c.url, c.body, c.token); status != c.status || !strings.Contains(text, c.has) {
			t.Errorf("%s %s: %d %.300s", c.method, c.url, status, text)
		}
	}
	stream := b.listen(t, client, url, token)
	if err := s.Stop(); err != nil { // while somebody listens
		t.Errorf("%v; the end of the log: %s", err, s.Log)
	}
	if rest, err := io.ReadAll(stream); err != nil {
		t.Errorf("the stream ends with %v after %.300s", err, rest)
	}
	saved := filepath.Join(t.TempDir(), "saved")
	run(t, "cp", "-a", filepath.Join(b.state, "hosted"), saved)
	run(t, "rm", "-r", filepath.Join(b.state, "hosted"))
	s = b.start(t)
	if status, text := ask("POST", url+"/v1/view", of, token); status != 401 {
		t.Errorf("without its files: %d %.300s", status, text)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	run(t, "rm", "-rf", filepath.Join(b.state, "hosted"))
	run(t, "cp", "-a", saved, filepath.Join(b.state, "hosted"))
	s = b.start(t)
	if status, text := ask("POST", url+"/v1/view", of, token); status != 200 || !strings.Contains(text, "message 39") {
		t.Errorf("what was restored: %d %.300s", status, text)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// token makes a token, as the user of the server.
func (b *box) token(t *testing.T) string {
	t.Helper()
	var out, problems strings.Builder
	cmd := b.command(b.admin, "token", "add", "shop")
	cmd.Stdout, cmd.Stderr = &out, &problems
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, problems.String())
	}
	return strings.TrimSpace(out.String())
}

// start starts the server, which is told the address that its files have.
func (b *box) start(t *testing.T) *hosted.Server {
	t.Helper()
	s, err := hosted.Start(t.Context(), b.command(b.server[0], b.server[1:]...))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	return s
}

// listen opens a stream of events through the proxy, and reads the first one of it.
func (b *box) listen(t *testing.T, client *http.Client, url, token string) io.Reader {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = answer.Body.Close() })
	lines := bufio.NewReader(answer.Body)
	if first, err := lines.ReadString('\n'); err != nil || !strings.HasPrefix(first, "id: ") {
		t.Errorf("%q %v", first, err)
	}
	return lines
}

// startProxy runs the proxy with its file, and returns a client that trusts it and goes to this machine for every name.
func startProxy(t *testing.T, environment []string) *http.Client {
	t.Helper()
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), programtest.Patience)
	cmd := exec.CommandContext(ctx, filepath.Join(programs(t), "caddy"), "run", "--adapter", "caddyfile", "--config",
		filepath.Join(folder, "Caddyfile"))
	cmd.Env = append([]string{"HOME=" + home, "XDG_DATA_HOME=" + home, "LEDGER_HOST=" + name}, environment...)
	pipe, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(pipe)
	t.Cleanup(func() {
		cancel()
		_, _ = io.Copy(io.Discard, lines) // it was killed
		_ = cmd.Wait()
	})
	for said := ""; !strings.Contains(said, "certificate obtained successfully"); {
		line, err := lines.ReadString('\n')
		if said += line; err != nil {
			t.Fatalf("the proxy does not serve: %v: %s", err, said)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	root, err := os.ReadFile(filepath.Join(home, "caddy", "pki", "authorities", "local", "root.crt"))
	if err != nil {
		t.Fatal(err)
	}
	trusted := x509.NewCertPool()
	trusted.AppendCertsFromPEM(root)
	here := func(ctx context.Context, network, address string) (net.Conn, error) {
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		var d net.Dialer
		return d.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	}
	config := &tls.Config{RootCAs: trusted, ServerName: name}
	for ctx.Err() == nil { // it takes the certificate into use a moment later
		if c, err := tls.Dial("tcp", "127.0.0.1:443", config); err == nil {
			_ = c.Close()
			break
		}
	}
	return &http.Client{Transport: &http.Transport{DialContext: here, TLSClientConfig: config},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}
