package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// lineServer is an MCP server on standard input and output that answers one line at a time. A
// library's client takes four times as long for an answer as the servers measured here.
type lineServer struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	last int // the newest id
}

// greeting is a client's first messages.
var greeting = map[string]any{
	"protocolVersion": "2025-06-18", "capabilities": struct{}{}, "clientInfo": map[string]string{"name": "benchmark", "version": "1"},
}

// speakTo starts a server and initializes it.
func speakTo(cmd *exec.Cmd) (*lineServer, error) {
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &lineServer{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	if _, _, err = s.ask("initialize", greeting); err == nil {
		_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// ask sends a request, and returns the line that answers it and how long that took.
func (s *lineServer) ask(method string, params any) (answer []byte, took time.Duration, err error) {
	s.last++
	request, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.last, "method": method, "params": params})
	if err != nil {
		return nil, 0, err
	}
	began := time.Now()
	if _, err := s.in.Write(append(request, '\n')); err != nil {
		return nil, 0, err
	}
	answer, err = s.out.ReadSlice('\n')
	return answer, time.Since(began), err
}

// call calls a tool, decodes its structured answer into result, and returns how long the answer took.
func (s *lineServer) call(tool string, args, result any) (time.Duration, error) {
	line, took, err := s.ask("tools/call", map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return 0, err
	}
	var answer struct {
		ID     int `json:"id"`
		Result struct {
			Structured json.RawMessage `json:"structuredContent"`
		} `json:"result"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return 0, err
	}
	if answer.ID != s.last || answer.Result.Structured == nil {
		return 0, fmt.Errorf("%s answered with %.200s", tool, line)
	}
	return took, json.Unmarshal(answer.Result.Structured, result)
}

// close ends the server by closing its standard input, and waits for it.
func (s *lineServer) close() error { return errors.Join(s.in.Close(), s.cmd.Wait()) }
