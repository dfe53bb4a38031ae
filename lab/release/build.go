package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// programs are those of a release.
var programs = []string{"ctxhook", "ctxledger", "ctxlsp", "ctxmcp"}

// platform is a system and a processor.
type platform struct{ name, system, arch string } // name: as Node and VS Code call it

var platforms = []platform{
	{"linux-x64", "linux", "amd64"}, {"linux-arm64", "linux", "arm64"},
	{"darwin-x64", "darwin", "amd64"}, {"darwin-arm64", "darwin", "arm64"},
	{"win32-x64", "windows", "amd64"}, {"win32-arm64", "windows", "arm64"},
}

// host returns this machine's platform.
func host() (platform, error) {
	for _, p := range platforms {
		if p.system == runtime.GOOS && p.arch == runtime.GOARCH {
			return p, nil
		}
	}
	return platform{}, fmt.Errorf("no release is built for %s/%s; `go install ./cmd/...` builds the programs",
		runtime.GOOS, runtime.GOARCH)
}

// exe is the end of a program's name.
func (p platform) exe() string {
	if p.system == "windows" {
		return ".exe"
	}
	return ""
}

// build builds the programs into a directory, with the licences of what they are made of, and returns that.
func (p platform) build(dir string) (modules, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	// No setting of the machine decides about the bytes.
	variables := []string{"GOOS=" + p.system, "GOARCH=" + p.arch, "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off", "GOAMD64=v1",
		"GOARM64=v8.0", "GOEXPERIMENT="}
	if _, err := command(variables, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w",
		"-o", dir+string(filepath.Separator), "./cmd/..."); err != nil {
		return nil, err
	}
	all := modules{}
	for _, name := range programs {
		info, err := buildinfo.ReadFile(filepath.Join(dir, name+p.exe()))
		if err != nil {
			return nil, err
		}
		all.note(info)
	}
	text, err := all.licences()
	if err != nil {
		return nil, err
	}
	return all, os.WriteFile(filepath.Join(dir, "THIRD_PARTY.txt"), text, 0o644)
}

var licence = regexp.MustCompile(`(?i)^(licen[cs]e|notice|copying|patents)`)

// licences returns the licences of Go and of the modules.
func (m modules) licences() ([]byte, error) {
	var b bytes.Buffer
	env, err := command(nil, "go", "env", "GOVERSION", "GOROOT")
	if err != nil {
		return nil, err
	}
	about := strings.Fields(env)
	fmt.Fprintf(&b, "Go %s\n\n", about[0])
	text, err := os.ReadFile(filepath.Join(about[1], "LICENSE"))
	if err != nil {
		return nil, err
	}
	b.Write(text)
	list, err := command([]string{"GOFLAGS="}, "go", append([]string{"list", "-m", "-f", "{{.Path}}\t{{.Dir}}"}, m.paths()...)...)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(list) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil, err
		}
		entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
			return !e.Type().IsRegular() || !licence.MatchString(e.Name())
		})
		if len(entries) == 0 {
			return nil, fmt.Errorf("%s has no licence", path)
		}
		fmt.Fprintf(&b, "\n%s\n\n%s %s\n", strings.Repeat("-", 80), path, m[path].Version)
		for _, e := range entries {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "\n%s", text)
		}
	}
	return b.Bytes(), nil
}

// completions returns what shells read to complete commands, by the shell. They come from the programs for this machine, in a
// directory.
func completions(dir string) (map[string][]byte, error) {
	all := map[string][]byte{}
	for _, shell := range []string{"bash", "fish", "powershell", "zsh"} {
		out, err := command(nil, filepath.Join(dir, "ctxledger"), "completion", shell)
		if err != nil {
			return nil, err
		}
		all[shell] = []byte(out)
	}
	return all, nil
}

// command runs a program and returns what it prints.
func command(variables []string, name string, arguments ...string) (string, error) {
	var errs bytes.Buffer
	cmd := exec.Command(name, arguments...)
	cmd.Env, cmd.Stderr = append(cmd.Environ(), variables...), &errs
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", cmd, err, errs.Bytes())
	}
	return string(out), nil
}
