//go:build linux

package authority

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/internal/testonly/scriptededitor"
	"ctxledger.dev/lab/wayback"
)

// driverRole is the argument by which this test's program calls everything, under strace.
const driverRole = "__drive"

// patience bounds one call.
const patience = 2 * time.Minute

// plan is what the driver does.
type plan struct {
	Bin, Dir string
	Home     string
	Env      []string
	Replace  []string // pairs, for strings.NewReplacer
	Rounds   []round
	Result   string // the file that gets the answers
}

// round is what is called with one configuration.
type round struct {
	Configuration string
	Commands      [][]string
	Servers       bool // all that these offer is called, too
}

// answers is what was called, by round and call, and what the servers say that they have.
type answers struct {
	Said      map[string]string
	Inventory map[string][]string
}

// driver calls things.
type driver struct {
	plan
	names *strings.Replacer
	answers
	round int
}

// drive runs the plan in a file.
func drive(path string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	d := &driver{answers: answers{map[string]string{}, map[string][]string{}}}
	if err := json.Unmarshal(raw, &d.plan); err != nil {
		return err
	}
	d.names = strings.NewReplacer(d.Replace...)
	for i, r := range d.Rounds {
		d.round = i
		if err := os.WriteFile(filepath.Join(d.Dir, "ctxledger.yaml"), []byte(r.Configuration), 0o600); err != nil {
			return err
		}
		for _, args := range r.Commands {
			d.command(args)
		}
		if r.Servers {
			for i, c := range hookCalls {
				d.hook(i, c.event, c.input)
			}
			if err := d.agent(); err != nil {
				return fmt.Errorf("round %d, ctxmcp: %w", i, err)
			}
			if err := d.editor(); err != nil {
				return fmt.Errorf("round %d, ctxlsp: %w", i, err)
			}
		}
		d.command([]string{"daemon", "stop"})
	}
	raw, err = json.Marshal(d.answers)
	if err != nil {
		return err
	}
	return os.WriteFile(d.Result, raw, 0o600)
}

// begin marks in the trace what comes.
func (d *driver) begin(call string) string {
	name := fmt.Sprintf("%d %s", d.round, call)
	_, _ = os.Readlink(mark + strings.ReplaceAll(name, "/", "|")) // it is not there
	return name
}

// program returns one of the programs, ready to be started.
func (d *driver) program(ctx context.Context, name string, args ...string) *exec.Cmd {
	for i, a := range args {
		args[i] = d.names.Replace(a)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(d.Bin, name), args...)
	cmd.Dir, cmd.Env = d.Dir, d.Env
	return cmd
}

// command runs a command of ctxledger. Many fail, which is no matter here.
func (d *driver) command(args []string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	name := d.begin("ctxledger " + strings.Join(args, " "))
	cmd := d.program(ctx, "ctxledger", append([]string{}, args...)...)
	cmd.Stdin = strings.NewReader("yes\n") // no answer to anything
	out, err := cmd.CombinedOutput()
	d.Said[name] = fmt.Sprintf("%v %s", err, out[:min(len(out), 2000)])
}

// hook runs our program for hooks, as an agent does.
func (d *driver) hook(n int, event, input string) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	name := d.begin(fmt.Sprintf("ctxhook %s %d", event, n))
	transcript, server := "$SHOP", filepath.Join(d.Bin, "ctxmcp") // as install has it
	if event == "PostToolUse" {                                   // a result is replaced where it can be read back
		file, err := wayback.Make(d.Home, server)
		if err != nil {
			d.Said[name] = err.Error()
			return
		}
		transcript = file
	}
	cmd := d.program(ctx, "ctxhook", "claude-code", event, server)
	cmd.Stdin = strings.NewReader(d.names.Replace(`{"session_id": "0b0e1f2a-1111-4222-8333-444455556666", ` +
		`"transcript_path": "` + transcript + `", "cwd": "` + d.Dir + `", "hook_event_name": "` + event + `", ` + input + `}`))
	out, err := cmd.CombinedOutput()
	d.Said[name] = fmt.Sprintf("%v %s", err, out[:min(len(out), 2000)])
}

// agent calls all that the MCP server offers.
func (d *driver) agent() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := d.program(ctx, "ctxmcp", "--agent-tools", "--graph-tools")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	c := &mcpClient{in: in, out: bufio.NewReaderSize(out, 1<<20)}
	err = d.ask(c)
	_ = in.Close() // which ends it
	_, _ = io.Copy(io.Discard, c.out)
	if werr := cmd.Wait(); err == nil {
		err = werr
	}
	return err
}

// ask does the calls of one session.
func (d *driver) ask(c *mcpClient) error {
	d.begin("ctxmcp initialize")
	if _, err := c.call("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "authority", "version": "1"}}); err != nil {
		return err
	}
	for _, list := range []struct{ method, key, id string }{
		{"tools/list", "tools", "name"}, {"prompts/list", "prompts", "name"},
		{"resources/templates/list", "resourceTemplates", "uriTemplate"}, {"resources/list", "resources", "uri"},
	} {
		raw, err := c.call(list.method, map[string]any{})
		if err != nil {
			return err
		}
		var answer map[string][]map[string]any
		_ = json.Unmarshal(raw, &answer) // what is of another form has no names
		d.Inventory[list.key] = nil
		for _, x := range answer[list.key] {
			d.Inventory[list.key] = append(d.Inventory[list.key], fmt.Sprint(x[list.id]))
		}
	}
	for tool, all := range tools() {
		for i, args := range all {
			if err := d.say(c, fmt.Sprintf("ctxmcp %s %d", tool, i), "tools/call",
				map[string]any{"name": tool, "arguments": args}); err != nil {
				return err
			}
		}
	}
	for prompt, args := range prompts {
		if err := d.say(c, "ctxmcp "+prompt, "prompts/get",
			map[string]any{"name": prompt, "arguments": args}); err != nil {
			return err
		}
	}
	for template, uri := range resources {
		if err := d.say(c, "ctxmcp "+template, "resources/read", map[string]any{"uri": uri}); err != nil {
			return err
		}
	}
	return nil
}

// say calls a method and keeps the answer.
func (d *driver) say(c *mcpClient, call, method string, params any) error {
	name := d.begin(call)
	raw, err := c.call(method, d.filled(params))
	d.Said[name] = string(raw[:min(len(raw), 2000)])
	return err
}

// filled replaces the placeholders in parameters.
func (d *driver) filled(params any) json.RawMessage {
	raw, err := json.Marshal(params)
	if err != nil {
		return nil
	}
	return json.RawMessage(d.names.Replace(string(raw)))
}

// mcpClient speaks MCP, one call at a time.
type mcpClient struct {
	in  io.Writer
	out *bufio.Reader
	id  int
}

// call returns the result of a call, or its error.
func (c *mcpClient) call(method string, params any) (json.RawMessage, error) {
	c.id++
	raw, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err == nil {
		_, err = fmt.Fprintf(c.in, "%s\n", raw)
	}
	for err == nil {
		var line []byte
		if line, err = c.out.ReadBytes('\n'); err != nil {
			break
		}
		var m struct {
			ID            *int
			Result, Error json.RawMessage
		}
		if json.Unmarshal(line, &m) == nil && m.ID != nil && *m.ID == c.id {
			return append(m.Result, m.Error...), nil
		}
	}
	return nil, err
}

// editor calls all that the language server offers.
func (d *driver) editor() error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := d.program(ctx, "ctxlsp", "--stdio")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	d.begin("ctxlsp initialize")
	if err := cmd.Start(); err != nil {
		return err
	}
	e := scriptededitor.New(in, out)
	root := "file://" + d.Dir
	raw, err := e.Initialize(ctx, map[string]any{"window": map[string]any{"workDoneProgress": true}},
		map[string]any{"lens": "always", "hover": "always", "hints": 1, "symbols": true, "folding": true,
			"countSelection": true, "status": true},
		map[string]any{"workspaceFolders": []any{map[string]any{"uri": root, "name": "repository"}}})
	if err != nil {
		return err
	}
	var able struct {
		Capabilities struct {
			ExecuteCommandProvider struct{ Commands []string }
		}
	}
	_ = json.Unmarshal(raw, &able) // without commands the test fails
	d.Inventory["server commands"] = able.Capabilities.ExecuteCommandProvider.Commands
	if err := e.Open(root+"/guide.md", "markdown", "# Guide\ntext\n"); err != nil {
		return err
	}
	for method, all := range requests {
		for i, params := range all {
			name := d.begin(fmt.Sprintf("ctxlsp %s %d", method, i))
			if told[method] {
				if err := e.Notify(method, d.filled(params)); err != nil {
					return err
				}
				continue
			}
			var result json.RawMessage
			if err := e.Call(ctx, method, d.filled(params), &result); err != nil {
				result = json.RawMessage(err.Error())
			}
			d.Said[name] = string(result[:min(len(result), 2000)])
		}
	}
	d.begin("ctxlsp exit")
	if err := e.Leave(ctx); err != nil {
		return err
	}
	<-e.Gone()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%w: %s", err, stderr.String())
	}
	return nil
}
