// Package hosted runs a built ctxmcp that serves workspaces over HTTP, with the tokens for it.
//
// Start at Start. The package deliberately sends no requests: what is said to a server is the caller's business.
package hosted

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"

	"ctxledger.dev/hosting"
	"ctxledger.dev/hosting/access"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/lab/sandbox"
)

// Server is a running server.
type Server struct {
	URL   string
	PID   int
	Log   *sandbox.Tail
	store *access.Store
	cmd   *exec.Cmd
	end   error         // how it ended
	ended chan struct{} // closed then
}

// Start runs a server on a free port of this machine. cmd has --http 127.0.0.1:0, and CTXLEDGER_STATE in its environment.
func Start(ctx context.Context, cmd *exec.Cmd) (*Server, error) {
	e := env.System()
	e.Lookup = func(name string) (value string) {
		for _, v := range cmd.Env {
			if rest, ok := strings.CutPrefix(v, name+"="); ok {
				value = rest
			}
		}
		return value
	}
	store, err := access.Open(e)
	if err != nil {
		return nil, err
	}
	pipe, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &Server{PID: cmd.Process.Pid, Log: &sandbox.Tail{}, store: store, cmd: cmd, ended: make(chan struct{})}
	lines := bufio.NewReader(pipe)
	first, err := lines.ReadString('\n')
	if _, scan := fmt.Sscanf(first, "ctxmcp: serving on %s", &s.URL); scan != nil {
		rest, _ := io.ReadAll(lines)
		return nil, errors.Join(fmt.Errorf("it says %q%s", first, rest), err, cmd.Wait())
	}
	go func() {
		_, err := io.Copy(s.Log, lines)
		s.end = errors.Join(err, cmd.Wait())
		close(s.ended)
	}()
	return s, nil
}

// Token makes a token for a workspace, "" for one that reads the server's figures.
func (s *Server) Token(workspace string, role access.Role) (string, error) {
	_, secret, err := s.store.Add(access.Token{Workspace: workspace, Role: role, Rate: access.MaxRate})
	return secret, err
}

// MCP returns the address at which it speaks MCP.
func (s *Server) MCP() string { return s.URL + hosting.MCPPath }

// Kill ends the server as a crash does, unless it has ended.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.ended
}

// Stop ends the server as a person would, and returns how it ended.
func (s *Server) Stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	<-s.ended
	return s.end
}
