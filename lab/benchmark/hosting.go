package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"ctxledger.dev/hosting/access"
	"ctxledger.dev/lab/hosted"
)

// hostingCalls is how many calls each server gets from all callers together, in each round.
const hostingCalls = 2048

// handleForm finds the handle of a long result in the text of a compaction.
var handleForm = regexp.MustCompile(`\b([0-9a-f]{12})  Bash `)

// webServer is a server over HTTP, and a call of it.
type webServer struct {
	url, token string
	client     *http.Client
	body       []byte
	least      int // bytes of a good answer
	mu         sync.Mutex
	took       times // guarded by mu
}

// measureHosting measures calls over HTTP of 1, 16 and 256 callers, compared with a tool that only returns as many bytes.
// Rounds alternate, so that other load on the machine affects both.
func measureHosting(ctx context.Context, b *bench) (err error) {
	ours := exec.CommandContext(ctx, filepath.Join(b.bin, "ctxmcp"), "--http", "127.0.0.1:0")
	ours.Env = []string{"HOME=" + b.temp, "CTXLEDGER_STATE=" + filepath.Join(b.temp, "hosted")}
	server, err := hosted.Start(ctx, ours)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bare := exec.CommandContext(ctx, self, echoFlag, "http")
	out, err := bare.StdoutPipe()
	if err != nil {
		return err
	}
	if err := bare.Start(); err != nil {
		return err
	}
	defer func() { _, _ = bare.Process.Kill(), bare.Wait() }()
	var address string
	if _, err := fmt.Fscanln(out, &address); err != nil {
		return err
	}
	token, err := server.Token("bench", access.Write)
	if err != nil {
		return err
	}
	if err := b.hostedIdle(ctx, server, token); err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 256}}
	hosting := &webServer{url: server.MCP(), token: token, client: client}
	handle, err := hosting.fill(ctx)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name, tool string
		args       map[string]any
		size       int // of the answer
	}{
		{"`memory` (get)", "memory", map[string]any{"action": "get", "name": "fact 7"}, 150},
		{"`memory` (recall from 20)", "memory", map[string]any{"action": "recall", "query": "tests"}, 200},
		{"`read_artifact` of 8 KB", "read_artifact", map[string]any{"id": handle, "bytes": "0-8191", "limit": readPage}, readSize},
	} {
		for _, callers := range []int{1, 16, 256} {
			echo := &webServer{url: address, client: client, least: c.size, body: toolCall("echo",
				map[string]any{"bytes": fmt.Sprintf("0-%d", c.size-1)})}
			hosting.body, hosting.least, hosting.took = toolCall(c.tool, c.args), c.size, nil
			for range 2*b.runs + 1 {
				for _, s := range []*webServer{hosting, echo} {
					if err := s.round(ctx, callers); err != nil {
						return err
					}
				}
			}
			for _, q := range quantiles {
				x, y := hosting.took.at(q.at), echo.took.at(q.at)
				b.report.add(fmt.Sprintf("%s over HTTP, %d callers, %s", c.name, callers, q.name), millis(x),
					"a bare echo tool of mcp-go: "+millis(y), ratio(x, y), fmt.Sprint(len(hosting.took)))
			}
		}
	}
	for _, rate := range []int{10, 20, 30, 50} {
		if err := b.hostedCompactions(ctx, hosting, rate); err != nil {
			return err
		}
	}
	return nil
}

// idleClients is how many programs keep a connection that they do not use.
const idleClients = 1000

// hostedIdle measures what connections cost that are not used.
func (b *bench) hostedIdle(ctx context.Context, server *hosted.Server, token string) error {
	before := memoryOf(server.PID)
	all := &webServer{url: server.MCP(), token: token, body: toolCall("memory", map[string]any{"action": "list"})}
	for range idleClients {
		all.client = &http.Client{Transport: &http.Transport{}} // of its own connection
		defer all.client.CloseIdleConnections()
		if _, err := all.call(ctx); err != nil {
			return err
		}
	}
	after := memoryOf(server.PID)
	b.report.add("a hosting server with 1,000 idle clients, resident", megabytes(after), "without them: "+megabytes(before),
		megabytes(after-before)+" more", "1")
	return nil
}

// compactedMessages are in each conversation.
const compactedMessages = 200

// hostedCompactions measures compactions of conversations that are handed in, so many a second, whatever each takes.
func (b *bench) hostedCompactions(ctx context.Context, s *webServer, rate int) error {
	n := 100 * b.runs
	s.took, s.least = nil, 0
	var work sync.WaitGroup
	failed := make(chan error, n)
	tick := time.NewTicker(time.Second / time.Duration(rate))
	defer tick.Stop()
	for i := range n {
		var messages []any
		for j := range compactedMessages / 2 {
			messages = append(messages, map[string]any{"role": "user", "content": fmt.Sprintf("conversation %d.%d: question %d", rate, i, j)},
				map[string]any{"role": "assistant", "content": fmt.Sprintf("answer %d: %s", j, sample(400))})
		}
		one := &webServer{url: s.url, token: s.token, client: s.client,
			body: toolCall("compact_conversation", map[string]any{"messages": messages, "return": "messages"})}
		<-tick.C
		work.Go(func() {
			began := time.Now()
			if _, err := one.call(ctx); err != nil {
				failed <- err
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.took = append(s.took, time.Since(began))
		})
	}
	work.Wait()
	close(failed)
	for _, q := range quantiles {
		b.report.add(fmt.Sprintf("`compact_conversation` of 200 messages over HTTP at %d a second, %s", rate, q.name),
			millis(s.took.at(q.at)), "", "", fmt.Sprint(n))
	}
	return <-failed // nil: none did
}

// toolCall returns the message that calls a tool.
func toolCall(tool string, arguments map[string]any) []byte {
	raw, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": arguments}}) // plain values
	return raw
}

// fill stores memories and a conversation, and returns the handle of a long result.
func (s *webServer) fill(ctx context.Context) (string, error) {
	for i := range 20 {
		s.body = toolCall("memory", map[string]any{"action": "save", "name": fmt.Sprint("fact ", i),
			"body": "how to run the tests: make test, then look at the report"})
		if _, err := s.call(ctx); err != nil {
			return "", err
		}
	}
	messages := []any{map[string]any{"role": "user", "content": "read the log"},
		map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": "toolu_1", "name": "Bash",
			"input": map[string]any{"command": "cat log"}}}},
		map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": "toolu_1",
			"content": string(sample(readWhole))}}}}
	for i := range 6 {
		messages = append(messages, map[string]any{"role": "assistant", "content": fmt.Sprint("done ", i)},
			map[string]any{"role": "user", "content": fmt.Sprint("next ", i)})
	}
	s.body = toolCall("compact_conversation", map[string]any{"messages": messages, "keep_turns": 1, "return": "messages"})
	text, err := s.call(ctx)
	if err != nil {
		return "", err
	}
	handle := handleForm.FindSubmatch(text)
	if handle == nil {
		return "", fmt.Errorf("no handle in %.2000s", text)
	}
	return string(handle[1]), nil
}

// call sends the body and returns the answer.
func (s *webServer) call(ctx context.Context) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(s.body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+s.token)
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(answer.Body)
	if err = errors.Join(err, answer.Body.Close()); err == nil && (answer.StatusCode != http.StatusOK || len(text) < s.least ||
		bytes.Contains(text, []byte(`"isError":true`))) {
		err = fmt.Errorf("%s: %s: %.300s", s.url, answer.Status, text)
	}
	return text, err
}

// round makes the calls of a round.
func (s *webServer) round(ctx context.Context, callers int) error {
	var work sync.WaitGroup
	failed := make(chan error, callers)
	for range callers {
		work.Go(func() {
			for range hostingCalls / callers {
				began := time.Now()
				if _, err := s.call(ctx); err != nil {
					failed <- err
					return
				}
				took := time.Since(began)
				s.mu.Lock()
				s.took = append(s.took, took)
				s.mu.Unlock()
			}
		})
	}
	work.Wait()
	close(failed)
	return <-failed // nil: none did
}
