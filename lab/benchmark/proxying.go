package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/sandbox"
	"ctxledger.dev/ledger"
)

// upstreamFlag makes this program a provider, and bareFlag a proxy for the provider at the address behind it.
const (
	upstreamFlag = "-provider"
	bareFlag     = "-bare"
)

const (
	streams   = 64 // at once
	pulses    = 40 // events of each
	pulse     = 25 * time.Millisecond
	settle    = 60 * time.Millisecond // in which an exchange is recorded that the next one is not to meet
	talkers   = 10                    // sessions of 1 MB
	perTalker = 5                     // requests of each
)

// serveModel serves as a provider or as a bare proxy, prints its address, and ends with standard input.
func serveModel(args []string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	var h http.Handler = http.HandlerFunc(provide)
	if args[0] == bareFlag {
		to, err := url.Parse(args[1])
		if err != nil {
			return err
		}
		h = &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to) },
			Transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: streams}}
	}
	fmt.Println("http://" + l.Addr().String())
	go func() { _ = http.Serve(l, h) }() // ends with the process
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// provide reads a request and answers with a stream: at once, or where "pulses" is asked for, with so many events in time, each
// with the time at which it was written.
func provide(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(format string, args ...any) {
		fmt.Fprintf(w, "data: "+format+"\n\n", args...)
		w.(http.Flusher).Flush()
	}
	say(`{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":9}}}`)
	for range count(r.Header.Get("Pulses")) {
		env.Sleep(r.Context(), pulse)
		say("at %d", time.Now().UnixNano())
	}
	say(`{"type":"message_stop"}`)
}

func count(text string) int { n, _ := strconv.Atoi(text); return n }

// child starts a program that prints JSON or a line when it serves, and returns its first line or value, and its process.
func child(cmd *exec.Cmd, into any) (stop func() error, err error) {
	in, err := cmd.StdinPipe()
	out, wrong := cmd.StdoutPipe()
	if err = errors.Join(err, wrong); err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	if line, ok := into.(*string); ok {
		_, err = fmt.Fscanln(out, line)
	} else {
		err = json.NewDecoder(out).Decode(into)
	}
	return func() error {
		_ = in.Close()
		_ = cmd.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait() // by the signal
		return nil
	}, err
}

// megabyte writes a request of 1 MB in a session, of which the last message is another one each time.
func megabyte(session, n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"model":"m","tools":[{"name":"Bash","description":"runs"},{"name":"mcp__ctxledger__read_artifact"}],"messages":[`)
	for i := 0; b.Len() < 1<<20; i++ {
		role := []string{"user", "assistant"}[i%2]
		fmt.Fprintf(&b, `{"role":%q,"content":"session %d, message %d: %s"},`, role, session, i,
			strings.Repeat("a line of a file that was read, ", 150))
	}
	fmt.Fprintf(&b, `{"role":"user","content":"request %d"}]}`, n)
	return b.Bytes()
}

// ask sends a request and returns the time to the first byte of its answer, and how late its events came.
func ask(ctx context.Context, base string, body []byte, headers ...string) (first time.Duration, late times, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/v1/messages", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	began := time.Now()
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	buf := make([]byte, 4096)
	for err == nil {
		var n int
		n, err = resp.Body.Read(buf)
		now := time.Now()
		if first == 0 && n > 0 {
			first = now.Sub(began)
		}
		for line := range strings.Lines(string(buf[:n])) {
			if at, ok := strings.CutPrefix(line, "data: at "); ok {
				written, _ := strconv.ParseInt(strings.TrimSpace(at), 10, 64)
				late = append(late, now.Sub(time.Unix(0, written)))
			}
		}
	}
	if err != io.EOF || resp.StatusCode != http.StatusOK {
		return 0, nil, fmt.Errorf("%s answers with status %d: %w", base, resp.StatusCode, err)
	}
	return first, late, nil
}

// measureProxy measures what a proxy adds to requests of 1 MB and to parallel streams, beside a bare one of the standard
// library, and its memory.
func measureProxy(ctx context.Context, b *bench) error {
	own, err := os.Executable()
	if err != nil {
		return err
	}
	var provider, bare string
	end, err := child(exec.CommandContext(ctx, own, upstreamFlag), &provider)
	if err != nil {
		return err
	}
	defer end()
	end, err = child(exec.CommandContext(ctx, own, bareFlag, provider), &bare)
	if err != nil {
		return err
	}
	defer end()
	return b.inSandbox(ctx, func(s *sandbox.Sandbox) error {
		var bases []string
		var pid int
		for _, more := range [][]string{{"--reduce"}, nil} {
			var served struct {
				Providers []struct{ Name, Base_url string }
			}
			cmd := s.Command(ctx, append([]string{"proxy", "--json", "--upstream", "anthropic=" + provider}, more...)...)
			cmd.Stderr = os.Stderr
			end, err := child(cmd, &served)
			if err != nil {
				return err
			}
			defer end()
			bases, pid = append(bases, served.Providers[0].Base_url), cmd.Process.Pid
		}
		ours := bases[1]
		if err := firstBytes(ctx, b, provider, bare, ours, bases[0]); err != nil {
			return err
		}
		if err := parallel(ctx, b, bare, ours); err != nil {
			return err
		}
		return talk(ctx, b, s, pid, ours)
	})
}

// firstBytes measures the time to the first byte: directly, through a bare proxy, through ours and through one that may make
// requests smaller, in turns of changing order.
// The bare one breaks off an answer now and then, if the client of the provider looks whether a request has ended after
// the answer to it began.
func firstBytes(ctx context.Context, b *bench, provider, bare, ours, smaller string) error {
	bases := []string{provider, bare, ours, smaller}
	taken := make([]times, len(bases))
	runs, broken := 100*b.runs, 0
	for n := range runs {
		body := megabyte(0, n)
		for i := range bases {
			at := (n + i) % len(bases)
			first, _, err := ask(ctx, bases[at], body, "X-Claude-Code-Session-Id", "first")
			switch {
			case err == nil:
				taken[at] = append(taken[at], first)
			case bases[at] == bare:
				broken++
			default:
				return err
			}
			env.Sleep(ctx, settle)
		}
	}
	for _, q := range quantiles {
		d, l := taken[0].at(q.at), taken[1].at(q.at)
		for i, how := range []string{"the proxy", "the proxy with --reduce"} {
			p := taken[2+i].at(q.at)
			b.report.add("a request of 1 MB through "+how+", time to the first byte; "+q.name,
				millis(p)+", directly "+millis(d), fmt.Sprintf("`httputil.ReverseProxy`: %s (%d broke off)", millis(l), broken),
				"+"+millis(p-l), fmt.Sprint(runs))
		}
	}
	return nil
}

// parallel measures how late events come in streams at once.
func parallel(ctx context.Context, b *bench, bare, ours string) error {
	measure := func(base string) (all times, err error) {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for n := range streams {
			wg.Go(func() {
				_, late, wrong := ask(ctx, base, []byte(`{"model":"m","messages":[{"role":"user","content":"go"}]}`),
					"Pulses", strconv.Itoa(pulses), "X-Claude-Code-Session-Id", fmt.Sprint("stream", n))
				mu.Lock()
				defer mu.Unlock()
				all, err = append(all, late...), errors.Join(err, wrong)
			})
		}
		wg.Wait()
		return all, err
	}
	var library, proxied times
	for range b.runs {
		l, err := measure(bare)
		if err != nil {
			return err
		}
		p, err := measure(ours)
		if err != nil {
			return err
		}
		library, proxied = append(library, l...), append(proxied, p...)
	}
	if want := b.runs * streams * pulses; len(library) != want || len(proxied) != want {
		return fmt.Errorf("%d and %d events, not %d", len(library), len(proxied), want)
	}
	for _, q := range quantiles {
		l, p := library.at(q.at), proxied.at(q.at)
		b.report.add(fmt.Sprintf("%d parallel streams through the proxy, from an event being written to being read; %s", streams,
			q.name), millis(p), "`httputil.ReverseProxy`: "+millis(l), ratio(p, l), fmt.Sprint(len(proxied)))
	}
	return nil
}

// talk has sessions of 1 MB send requests in turns, checks that they are recorded, and reports the peak of the proxy's memory.
func talk(ctx context.Context, b *bench, s *sandbox.Sandbox, pid int, ours string) error {
	for n := range perTalker {
		for i := range talkers {
			if _, _, err := ask(ctx, ours, megabyte(i, n), "X-Claude-Code-Session-Id", fmt.Sprint("talker", i)); err != nil {
				return err
			}
		}
	}
	api, err := s.Open(ctx)
	if err != nil {
		return err
	}
	defer api.Close()
	late, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	recorded := 0
	for recorded < perTalker*talkers {
		recorded = 0
		for i := range talkers {
			found, err := api.Session(ctx, ledger.SessionRequest{HostID: fmt.Sprint("talker", i)})
			if err != nil {
				continue
			}
			page, err := api.Requests(ctx, ledger.RequestsRequest{Session: found.ID})
			if err != nil {
				return err
			}
			recorded += len(page.Requests)
		}
		if env.Sleep(late, settle); late.Err() != nil {
			return fmt.Errorf("%d of %d requests were recorded", recorded, perTalker*talkers)
		}
	}
	b.report.add(fmt.Sprintf("peak memory of the proxy (`VmHWM`) after all of this and %d sessions of 1 MB", talkers),
		megabytes(statusOf(pid, "VmHWM:")), "", "", "1")
	return nil
}
