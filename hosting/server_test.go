package hosting

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ctxledger.dev/engine"
	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/fault"
	"ctxledger.dev/internal/limits"
	"ctxledger.dev/internal/logtest"
	"ctxledger.dev/ledger"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture is a running server with tokens.
type fixture struct {
	*Server
	log                        *logtest.Buffer
	url                        string
	client                     *http.Client
	write, read, bank, figures string // tokens
	stop                       func() error
}

// newFixture starts a server that answers /echo with the workspace of the token, and what edit adds.
func newFixture(t *testing.T, edit func(*Config, *fixture)) *fixture {
	t.Helper()
	e, dir := env.System(), t.TempDir()
	e.Lookup = func(name string) string { return map[string]string{"CTXLEDGER_STATE": dir}[name] }
	store, err := access.Open(e)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{log: &logtest.Buffer{}, client: &http.Client{Transport: &http.Transport{}}}
	for token, as := range map[*string]access.Token{
		&f.write: {Workspace: "shop", Role: access.Write}, &f.read: {Workspace: "shop", Role: access.Read},
		&f.bank: {Workspace: "bank", Role: access.Admin, StorageMB: 1}, &f.figures: {Role: access.Metrics},
	} {
		as.Rate = access.MaxRate
		if _, *token, err = store.Add(as); err != nil {
			t.Fatal(err)
		}
	}
	c := Config{Env: e, Log: slog.New(slog.NewTextHandler(f.log, nil)), Store: store,
		Open: func(ctx context.Context, state string) (ledger.API, error) {
			return engine.Open(ctx, engine.Options{State: state, Hosted: true, Env: e, LockWait: time.Minute})
		}}
	scheme := "http://"
	if edit != nil {
		edit(&c, f)
	}
	if c.Cert != "" {
		scheme = "https://"
	}
	f.Server = New(c)
	f.Handle("/echo", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, _ := callerOf(r.Context())
		_, err := io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, who.Workspace)
		if err != nil {
			t.Error(err)
		}
	}))
	ctx, cancel := context.WithCancel(t.Context())
	address, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- f.Serve(ctx, "127.0.0.1:0", func(a string) { address <- a }) }()
	select {
	case a := <-address:
		f.url = scheme + a
	case err := <-ended:
		t.Fatal(err)
	}
	f.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		f.client.CloseIdleConnections()
		if err := f.stop(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// ask sends a request, with headers in pairs, and returns the status and the body.
func (f *fixture) ask(t *testing.T, method, path, token string, body io.Reader, headers ...string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, f.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Add(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	answer, err := f.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if answer.Header.Get("X-Request-Id") == "" {
		t.Error("an answer without the id of its request")
	}
	return answer.StatusCode, string(text)
}

func TestRequestsComeByTheServersNames(t *testing.T) {
	f := newFixture(t, func(c *Config, _ *fixture) { c.Hosts = []string{"Ledger.example"} })
	for _, c := range []struct {
		name   string
		status int
		origin []string // headers
		host   string
	}{
		{"its address", 200, nil, ""},
		{"this machine", 200, nil, "localhost:1"},
		{"this machine, IPv6", 200, nil, "[::1]:7801"},
		{"its name", 200, nil, "ledger.example"},
		{"its name, with a port", 200, nil, "LEDGER.example:443"},
		{"a rebound name", 403, nil, "evil.example"},
		{"a name that begins as its own", 403, nil, "ledger.example.evil.example"},
		{"a name that ends as its own", 403, nil, "xledger.example"},
		{"an address that is not this machine's", 403, nil, "10.0.0.1"},
		{"an address as a number", 403, nil, "2130706433"},
		{"a page of its own", 200, []string{"Origin", "https://ledger.example"}, ""},
		{"a page of this machine", 200, []string{"Origin", "http://localhost:3000"}, ""},
		{"a page of another server", 403, []string{"Origin", "https://evil.example"}, ""},
		{"a page without an origin", 403, []string{"Origin", "null"}, ""},
		{"a page that hides it", 403, []string{"Origin", "https://ledger.example@evil.example"}, ""},
		{"an empty origin", 403, []string{"Origin", ""}, ""},
		{"a file", 403, []string{"Origin", "file://"}, ""},
		{"two origins", 403, []string{"Origin", "https://ledger.example", "Origin", "https://evil.example"}, ""},
	} {
		headers := c.origin
		if c.host != "" {
			headers = append(headers, "Host", c.host)
		}
		if status, text := f.ask(t, "POST", "/echo", f.write, nil, headers...); status != c.status {
			t.Errorf("%s: %d %s, not %d", c.name, status, text, c.status)
		}
	}
}

func TestWithoutATokenOnlyHealthAnswers(t *testing.T) {
	f := newFixture(t, nil)
	paths := []string{"/", "/echo", "/mcp", "/v1/memory", "/readyz", "/metrics", "/healthz/x", "//healthz", "/Healthz",
		"/debug/pprof/", "/..", "/%2e%2e/echo"}
	never := strings.Repeat("0", 40)
	for _, path := range paths {
		for _, authorization := range [][]string{
			nil, {"Authorization", ""}, {"Authorization", "Bearer"}, {"Authorization", "Bearer "},
			{"Authorization", "Bearer ctxl_" + never}, {"Authorization", "Basic " + f.write},
			{"Authorization", f.write},
			{"Authorization", "Bearer  " + f.write}, {"Authorization", "Bearer " + strings.ToUpper(f.write)},
			{"Authorization", "Bearer " + f.write + ",Bearer " + f.write}, {"Authorization", "Bearer ../" + f.write},
			{"Authorization", "Bearer " + f.write, "Authorization", "Bearer " + f.read}, {"Cookie", "token=" + f.write},
		} {
			for _, method := range []string{"GET", "POST", "OPTIONS"} {
				if status, text := f.ask(t, method, path, "", nil, authorization...); status != 401 ||
					text != `{"error":{"code":"denied","message":"a valid bearer token is needed"}}`+"\n" {
					t.Errorf("%s %s with %q: %d %s", method, path, authorization, status, text)
				}
			}
		}
	}
	if status, text := f.ask(t, "GET", "/echo?token="+f.write, "", nil); status != 401 {
		t.Errorf("a token in the address: %d %s", status, text)
	}
	if status, text := f.ask(t, "GET", "/healthz", "", nil, "Host", "evil.example"); status != 200 || text != "ok\n" {
		t.Errorf("health: %d %s", status, text)
	}
	if strings.Contains(f.log.String(), f.write) {
		t.Error("the log has a token")
	}
}

func TestATokenReachesWhatItsRoleSays(t *testing.T) {
	f := newFixture(t, nil)
	for _, c := range []struct {
		path, token string
		status      int
		has         string
	}{
		{"/echo", f.write, 200, "shop"}, {"/echo", f.read, 200, "shop"}, {"/echo", f.bank, 200, "bank"},
		{"/echo", f.figures, 403, ""}, {"/mcp", f.figures, 403, ""}, {"/none", f.write, 404, ""},
		{"/metrics", f.figures, 200, "ctxledger_requests_total"}, {"/metrics", f.bank, 403, ""},
		{"/readyz", f.read, 200, "ready"}, {"/readyz", f.figures, 200, "ready"},
	} {
		if status, text := f.ask(t, "GET", c.path, c.token, nil); status != c.status || !strings.Contains(text, c.has) {
			t.Errorf("%s: %d %.300s, not %d", c.path, status, text, c.status)
		}
	}
	if _, figures := f.ask(t, "GET", "/metrics", f.figures, nil); strings.Contains(figures, "shop") ||
		!strings.Contains(figures, `ctxledger_refusals_total{reason="role"} 3`) {
		t.Errorf("%s", figures)
	}
	if n := strings.Count(f.log.String(), "reason=role"); n != 3 {
		t.Errorf("%d lines about refusals", n)
	}
}

func TestABodyIsBounded(t *testing.T) {
	f := newFixture(t, nil)
	long := strings.NewReader(strings.Repeat("x", limits.MCPMessage+1))
	if status, _ := f.ask(t, "POST", "/echo", f.write, long); status != 413 {
		t.Errorf("too long: %d", status)
	}
	short := strings.NewReader("x")
	if status, _ := f.ask(t, "POST", "/echo", f.write, short, "Content-Encoding", "gzip"); status != 415 {
		t.Errorf("packed: %d", status)
	}
	big := strings.Repeat("x", maxHeaders+8<<10)
	r, err := http.NewRequestWithContext(t.Context(), "GET", f.url+"/healthz", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X", big)
	if answer, err := f.client.Do(r); err != nil || answer.StatusCode != 431 {
		t.Errorf("long headers: %v %v", answer, err)
	} else if err := answer.Body.Close(); err != nil {
		t.Error(err)
	}
}

// TestRefusalsHaveOneForm: an error as the API has it, and a line that says who was refused, and what.
func TestRefusalsHaveOneForm(t *testing.T) {
	f := newFixture(t, nil)
	f.Handle("POST /posted", http.NotFoundHandler())
	for path, want := range map[string]struct {
		token, code string
		status      int
	}{
		"/echo": {"", "denied", 401}, "/metrics": {f.write, "denied", 403}, "/none": {f.write, "not_found", 404},
		"/posted": {f.write, "invalid", 405},
	} {
		status, text := f.ask(t, "GET", path, want.token, nil)
		if status != want.status || !strings.HasPrefix(text, `{"error":{"code":"`+want.code+`","message":"`) {
			t.Errorf("%s: %d %s", path, status, text)
		}
	}
	was, _ := f.c.Store.Find(f.read)
	if err := f.c.Store.Revoke(was.ID); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		f.ask(t, "GET", "/revoked?text=sensitive", f.read, nil)
	}
	log := f.log.String()
	if strings.Count(log, "by="+was.ID+" workspace=\"\" reason=token from=127.0.0.1:") != 2 ||
		!strings.Contains(log, "path=/revoked status=401") || strings.Contains(log, "sensitive") {
		t.Error(log)
	}
	if _, all := f.ask(t, "GET", "/metrics", f.figures, nil); !strings.Contains(all,
		`ctxledger_requests_total{route="refused",status="401"} 3`) {
		t.Error(all)
	}
}

func TestAPanicEndsOneRequest(t *testing.T) {
	f := newFixture(t, nil)
	f.Handle("/panic", http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("sensitive words") }))
	status, text := f.ask(t, "GET", "/panic", f.write, nil)
	if status != 500 || strings.Contains(text, "sensitive") || !strings.Contains(text, "incident") {
		t.Errorf("%d %s", status, text)
	}
	if status, _ := f.ask(t, "GET", "/echo", f.write, nil); status != 200 {
		t.Errorf("after it: %d", status)
	}
}

// TestWhatIsUnderWayIsAnsweredAtTheEnd: and the ledgers are closed after it.
func TestWhatIsUnderWayIsAnsweredAtTheEnd(t *testing.T) {
	begun, leaving := make(chan struct{}), make(chan struct{})
	f := newFixture(t, nil)
	f.Handle("/slow", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		api, err := f.Ledger(r.Context())
		if err != nil {
			t.Error(err)
			return
		}
		close(begun)
		<-leaving
		_, err = api.SaveMemory(r.Context(), ledger.SaveMemoryRequest{})
		_, _ = io.WriteString(w, string(fault.CodeOf(err)))
		_ = api.Close()
	}))
	answered := make(chan string, 1)
	go func() {
		_, text := f.ask(t, "GET", "/slow", f.write, nil)
		answered <- text
	}()
	<-begun
	ended := make(chan error, 1)
	go func() { ended <- f.stop() }()
	<-f.leaving
	close(leaving)
	if text := <-answered; text != string(fault.Invalid) {
		t.Errorf("answered %q", text)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := f.workspaces.count(); n != 0 {
		t.Errorf("%d ledgers are open", n)
	}
}

// TestWhoLeavesCancelsWhatWasAsked: a closed connection is how a request is cancelled.
func TestWhoLeavesCancelsWhatWasAsked(t *testing.T) {
	begun, cancelled := make(chan struct{}), make(chan error, 1)
	f := newFixture(t, nil)
	f.Handle("/slow", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		cancelled <- r.Context().Err()
	}))
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, f.url+"/slow", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+f.write)
	go func() {
		<-begun
		leave()
	}()
	if answer, err := f.client.Do(r); err == nil {
		t.Error(answer.Status, answer.Body.Close())
	}
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestConnectionsCanBeEncrypted, with a certificate that is renewed while the server runs.
func TestConnectionsCanBeEncrypted(t *testing.T) {
	dir := t.TempDir()
	files := [2]string{filepath.Join(dir, "cert"), filepath.Join(dir, "key")}
	renew := func(serial int64) *x509.CertPool {
		key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		like := &x509.Certificate{SerialNumber: big.NewInt(serial), DNSNames: []string{"localhost"},
			NotAfter: env.System().Now().Add(time.Hour)}
		cert, err := x509.CreateCertificate(rand.Reader, like, like, &key.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		private, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		roots := x509.NewCertPool()
		for i, b := range []pem.Block{{Type: "CERTIFICATE", Bytes: cert}, {Type: "PRIVATE KEY", Bytes: private}} {
			if err := os.WriteFile(files[i], pem.EncodeToMemory(&b), 0o600); err != nil {
				t.Fatal(err)
			}
			at := time.Unix(serial, 0)
			if err := os.Chtimes(files[i], at, at); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				roots.AppendCertsFromPEM(pem.EncodeToMemory(&b))
			}
		}
		return roots
	}
	roots := renew(1)
	var later atomic.Int64
	f := newFixture(t, func(c *Config, _ *fixture) {
		c.Cert, c.Key = files[0], files[1]
		clock := c.Env.Now
		c.Env.Now = func() time.Time { return clock().Add(time.Duration(later.Load())) }
	})
	for serial := range int64(3) {
		f.client.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: "localhost"}}
		if status, text := f.ask(t, "GET", "/echo", f.write, nil); status != 200 || text != "shop" {
			t.Errorf("%d %s", status, text)
		}
		f.client.CloseIdleConnections()
		if serial == 1 { // half of the next one: that before it goes on
			if err := os.WriteFile(files[0], nil, 0o600); err != nil {
				t.Fatal(err)
			}
		} else {
			roots = renew(serial + 2)
		}
		later.Add(int64(lookEvery))
	}
}

func TestWrongAddressesAreRefused(t *testing.T) {
	for _, c := range []struct {
		listen, cert string
		hosts        []string
	}{
		{"7801", "", nil}, {"0.0.0.0:0", "", nil}, {"[::]:0", "", nil}, {"example.com:0", "", nil},
		{"127.0.0.1:0", "/none", nil},
	} {
		s := New(Config{Env: env.System(), Store: &access.Store{}, Cert: c.cert, Key: c.cert, Hosts: c.hosts})
		err := s.Serve(t.Context(), c.listen, func(string) { t.Errorf("%+v: it serves", c) })
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestStorageIsBounded(t *testing.T) {
	f := newFixture(t, nil)
	kept := make(chan error, 1)
	f.Handle("/put", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		kept <- f.put(r)
	}))
	noise := make([]byte, 2<<20)
	if _, err := rand.Read(noise); err != nil {
		t.Fatal(err)
	}
	for i, want := range []fault.Code{"", fault.Full} { // at once: the second one is not measured a while later
		f.ask(t, "POST", "/put", f.bank, bytes.NewReader(noise))
		if err := <-kept; fault.CodeOf(err) != want {
			t.Errorf("%d: %v, not %q", i, err, want)
		}
	}
	f.Handle("/forget", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		kept <- f.Permit(r.Context(), "forget", access.Admin)
	}))
	f.ask(t, "POST", "/forget", f.bank, nil)
	if err := <-kept; err != nil {
		t.Errorf("what makes room is refused: %v", err)
	}
	if !strings.Contains(f.log.String(), "reason=storage") {
		t.Error("no line about it")
	}
}

// put keeps the body of a request, if its caller may.
func (f *fixture) put(r *http.Request) error {
	if err := f.Permit(r.Context(), "put", access.Write); err != nil {
		return err
	}
	api, err := f.Ledger(r.Context())
	if err != nil {
		return err
	}
	_, err = api.PutBlob(r.Context(), r.Body)
	return errors.Join(err, api.Close())
}

// TestStreamsEndWithWhatTheyAreOf: a token that is revoked, and a workspace that is removed, which waits for other requests alone.
func TestStreamsEndWithWhatTheyAreOf(t *testing.T) {
	f := newFixture(t, nil)
	held := func(wait func(*http.Request)) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			api, err := f.Ledger(r.Context())
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = api.Close() }()
			_, _ = io.WriteString(w, "open\n")
			_ = http.NewResponseController(w).Flush()
			wait(r)
		}
	}
	enough := make(chan struct{})
	f.Stream("/listen", held(func(r *http.Request) { <-r.Context().Done() }))
	f.Handle("/slow", held(func(*http.Request) { <-enough }))
	f.Handle("/remove", http.HandlerFunc(f.Remove))
	open := func(path, token string) (rest func()) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, f.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		answer, err := f.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(answer.Body, make([]byte, len("open\n"))); err != nil {
			t.Fatal(err)
		}
		return func() {
			t.Helper()
			if left, err := io.ReadAll(answer.Body); err != nil || len(left) > 0 {
				t.Errorf("%s: %q %v", path, left, err)
			}
			_ = answer.Body.Close()
		}
	}
	revoked := open("/listen", f.read)
	if err := f.c.Store.RevokeAll("shop"); err != nil {
		t.Fatal(err)
	}
	revoked()
	slow, listens := open("/slow", f.bank), open("/listen", f.bank)
	own, _ := f.c.Store.Find(f.bank)
	status, text := f.ask(t, "DELETE", "/remove", f.bank, nil)
	if status != 409 || !strings.Contains(text, "requests in progress: 1, of the tokens "+own.ID) {
		t.Errorf("while another request is at work: %d %s", status, text)
	}
	listens()
	close(enough)
	slow()
	listens = open("/listen", f.bank)
	if status, text := f.ask(t, "DELETE", "/remove", f.bank, nil); status != 200 {
		t.Errorf("with a stream: %d %s", status, text)
	}
	listens()
}
