package link

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"ctxledger.dev/internal/fault"
)

const (
	// DaemonArgument is the first argument that starts a daemon; state directory and workspace follow it.
	DaemonArgument = "__daemon"
	// ProcessName is the name of a daemon in lists of processes.
	ProcessName = "ctxledger-daemon"
	// endWait is how long a daemon may take to end after it has closed its output.
	endWait = time.Second
	// reportSize bounds the output of a starting daemon, in bytes.
	reportSize = 64 << 10
)

// Report is the one line that a starting daemon writes to its standard output.
type Report struct {
	Error *fault.Error `json:"error,omitempty"` // why it cannot be the owner; nil: it is
}

// crashed says that a daemon ended before it could report.
type crashed struct{ said string } // the reason from its output, if any

func (c *crashed) Error() string { return "the daemon exited while starting: " + c.said }

// starting is a started daemon that has not reported yet.
type starting struct {
	process *os.Process
	result  chan error // receives exactly one value; *fault.Error, *crashed or nil
	pipe    *os.File
	work    sync.WaitGroup
}

// spawn starts a daemon for the ledger in o.State: a child process that outlives this one. It inherits the
// environment, but not terminal, directory and files.
func spawn(o Options) (*starting, error) {
	command, err := daemonCommand(o)
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, Unstarted(o.Binary, err)
	}
	command.Stdout, command.Stderr = w, w // the runtime reports a crash there
	err = command.Start()
	closed := w.Close()
	if err = errors.Join(err, closed); err != nil {
		return nil, errors.Join(Unstarted(o.Binary, err), r.Close())
	}
	s := &starting{process: command.Process, result: make(chan error, 1), pipe: r}
	s.work.Go(func() { s.result <- readReport(r) })
	return s, nil
}

// daemonCommand returns the command that starts a daemon.
func daemonCommand(o Options) (*exec.Cmd, error) {
	own, err := Command(o.Binary, DaemonArgument, o.State, o.Workspace)
	if err != nil {
		return nil, err
	}
	command := exec.Command(own[0], own[1:]...)
	command.Args[0] = ProcessName
	// Not the state directory: a working directory cannot be removed on Windows.
	command.Dir = filepath.VolumeName(o.State) + string(filepath.Separator)
	detach(command)
	return command, nil
}

// readReport reads the report of a starting daemon. Without one, its output is that of a crash.
func readReport(r io.Reader) error {
	in := bufio.NewReader(io.LimitReader(r, reportSize))
	var other []byte
	for {
		line, err := in.ReadBytes('\n')
		var said Report
		switch {
		case err == nil && json.Unmarshal(line, &said) == nil && said.Error != nil:
			return said.Error
		case err == nil && json.Unmarshal(line, &said) == nil:
			return nil
		}
		other = append(other, line...)
		if err != nil {
			return &crashed{crashLine(other)}
		}
	}
}

// reported returns the channel of the report, which blocks for ever when nothing was started.
func (s *starting) reported() <-chan error {
	if s == nil {
		return nil
	}
	return s.result
}

// abandon stops reading from the daemon, which keeps running. Its pid is for reap.
func (s *starting) abandon() (pid int) {
	pid = s.process.Pid
	_ = s.pipe.Close() // only read from
	s.work.Wait()
	_ = s.process.Release() // reap needs no handle
	return pid
}

// dismiss ends a daemon that is not needed: at once while it waits for the ledger, or by a clean shutdown
// if it has become the owner meanwhile. It reports whether the process still has to be reaped.
func (s *starting) dismiss() (lives bool) {
	_ = sendAway(s.process) // it may have ended by itself
	if <-s.result == nil {
		return true
	}
	s.discard()
	return false
}

// discard kills a daemon that has reported that it is not the owner, and waits for its end.
func (s *starting) discard() {
	_ = s.process.Kill() // it may have ended by itself
	_ = s.ended()        // its exit status does not matter
}

// ended waits for the end of a daemon that has closed its output, kills it after endWait, and returns its
// exit status.
func (s *starting) ended() *os.ProcessState {
	_ = s.pipe.Close() // only read from
	s.work.Wait()
	defer time.AfterFunc(endWait, func() { _ = s.process.Kill() }).Stop()
	state, err := s.process.Wait()
	if err != nil {
		return nil // another goroutine has reaped it
	}
	return state
}

// death returns why a daemon ended without a report: its output, else its exit status. killed says that
// another process ended it.
func (c *crashed) death(state *os.ProcessState) (cause string, killed bool) {
	switch {
	case endedFromOutside(state):
		return "", true
	case c.said != "":
		return c.said, false
	default:
		return state.String(), false
	}
}
