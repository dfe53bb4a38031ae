package deployment

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// folder has the files under test, and repository what they are made for.
const (
	folder     = "../../deploy"
	repository = "../.."
)

// read returns a file of deploy/.
func read(t *testing.T, name string) string {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// image is what a Dockerfile declares.
type image struct {
	build       []string // shell lines of the first stage
	copies      []layer
	environment []string
	user        string
	command     []string // the entry point, and what it gets unless a caller says something else
	entry       int      // how many of command are the entry point
	volume      string
}

// layer is a directory of the build that is copied to the root, and whose it is then.
type layer struct{ from, owner string }

var copied = regexp.MustCompile(`^--from=build (?:--chown=(\S+) )?(/\S+)/ /$`)

// dockerfile reads the Dockerfile. What it does not know fails the test.
func dockerfile(t *testing.T) (i image) {
	t.Helper()
	text := strings.ReplaceAll(read(t, "Dockerfile"), "\\\n", "")
	for line := range strings.Lines(text) {
		verb, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		list := []string{}
		if strings.HasPrefix(rest, "[") && json.Unmarshal([]byte(rest), &list) != nil {
			t.Fatalf("no list: %s", line)
		}
		copy := copied.FindStringSubmatch(rest)
		switch {
		case verb == "RUN":
			i.build = append(i.build, rest)
		case verb == "COPY" && copy != nil:
			i.copies = append(i.copies, layer{copy[2], copy[1]})
		case verb == "ENV":
			i.environment = append(i.environment, rest)
		case verb == "VOLUME":
			i.volume = rest
		case verb == "USER":
			i.user = rest
		case verb == "ENTRYPOINT":
			i.command, i.entry = list, len(list)
		case verb == "CMD":
			i.command = append(i.command, list...)
		case verb == "" || verb == "#" || slices.Contains([]string{"FROM golang:1.26 AS build", "FROM scratch",
			"WORKDIR /src", "COPY . .", "EXPOSE 7801"}, verb+" "+rest):
		default:
			t.Fatalf("unknown to this test: %s", line)
		}
	}
	return i
}

// unit is what a unit of systemd declares.
type unit map[string][]string

func service(t *testing.T) unit {
	t.Helper()
	u := unit{}
	for line := range strings.Lines(read(t, "ctxmcp.service")) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok && !strings.HasPrefix(key, "#") {
			u[key] = append(u[key], value)
		}
	}
	return u
}

// expanded replaces variables, as ${NAME} and ${NAME:?why}, by their values in an environment.
func expanded(list, environment []string) (all []string) {
	for _, text := range list {
		all = append(all, os.Expand(text, func(name string) (value string) {
			name, _, _ = strings.Cut(name, ":")
			for _, v := range environment {
				if rest, ok := strings.CutPrefix(v, name+"="); ok {
					value = rest
				}
			}
			return value
		}))
	}
	return all
}

// composed is what this test knows of a compose file.
type composed struct {
	Services map[string]struct {
		Command  []string
		ReadOnly bool `json:"read_only"`
		Build    struct{ Context, Dockerfile string }
		Volumes  []struct{ Target string }
		Grace    string `json:"stop_grace_period"`
		Ports    []struct{ Target int }
	}
}

// compose has the library of docker compose read the compose file.
func compose(t *testing.T, dir string) (c composed) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "compose"), "--format", "json", "--no-interpolation",
		"compose.yaml")
	cmd.Dir = folder // paths in the file are from there
	raw, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, said(err))
	}
	if err := json.Unmarshal(raw, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// said is what a program that failed wrote.
func said(err error) string {
	if e, ok := err.(*exec.ExitError); ok {
		return string(e.Stderr)
	}
	return ""
}

// TestRealLintersAcceptTheFiles: each file, and none that is wrong.
func TestRealLintersAcceptTheFiles(t *testing.T) {
	dir := programs(t)
	units := t.TempDir() // with the program where it is
	bin := filepath.Join(units, "usr/local/bin")
	if err := errors.Join(os.MkdirAll(bin, 0o700), os.WriteFile(filepath.Join(bin, "ctxmcp"), nil, 0o700)); err != nil {
		t.Fatal(err)
	}
	node := func(linter string, arguments ...string) []string {
		return append([]string{"node", filepath.Join(dir, "node_modules", linter)}, arguments...)
	}
	for _, c := range []struct {
		name, file string
		command    []string
		right      string // a part of the file that wrong, in its place, makes invalid
		wrong      string
		quiet      bool // what is valid is passed without a word
	}{
		{"dockerfile-utils", "Dockerfile", node("dockerfile-utils/bin/dockerfile-utils", "lint"), "VOLUME", "VOLUMES", true},
		{"dockerfilelint", "Dockerfile", node("dockerfilelint/bin/dockerfilelint"), "EXPOSE 7801", "EXPOSE many", false},
		{"docker compose", "compose.yaml", []string{filepath.Join(dir, "compose"), "--no-interpolation"}, "read_only", "readonly",
			false},
		{"caddy", "Caddyfile", []string{filepath.Join(dir, "caddy"), "validate", "--adapter", "caddyfile", "--config"},
			"reverse_proxy", "reverse", false},
		{"systemd-analyze verify", "ctxmcp.service", []string{"systemd-analyze", "verify"}, "NoNewPriv", "NoNewerPriv", true},
		{"systemd-analyze security", "ctxmcp.service",
			[]string{"systemd-analyze", "security", "--offline=true", "--threshold=13"},
			"ProtectSystem=strict", "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.command[0]); err != nil {
				t.Skip(err)
			}
			check := func(text string) (string, error) {
				file := filepath.Join(t.TempDir(), c.file)
				text = strings.ReplaceAll(text, "/usr/local", units+"/usr/local")
				if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				cmd := exec.CommandContext(t.Context(), c.command[0], append(c.command[1:], file)...)
				cmd.Env = append(cmd.Environ(), "LEDGER_HOST="+name, "HOME="+units)
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			good := read(t, c.file)
			if out, err := check(good); err != nil || c.quiet && strings.TrimSpace(out) != "" {
				t.Errorf("%v: %s", err, out)
			}
			bad := strings.ReplaceAll(good, c.right, c.wrong)
			if out, err := check(bad); bad == good || err == nil && (!c.quiet || strings.TrimSpace(out) == "") {
				t.Errorf("what is wrong is accepted: %s", out)
			}
		})
	}
}

// TestRealEngineStopsTheServerAfterItsRequests: later than the server ends those that are under way.
func TestRealEngineStopsTheServerAfterItsRequests(t *testing.T) {
	c := compose(t, programs(t)).Services["ledger"]
	if !c.ReadOnly || c.Grace != "30s" || len(c.Ports) != 0 {
		t.Errorf("%+v", c)
	}
}
