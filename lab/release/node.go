package main

import (
	_ "embed" // the program that starts ours
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ctxledger.dev/internal/version"
)

// start.js starts a program of the package that npm has installed for this machine.
//
//go:embed npm/start.js
var start []byte

// manifest is a package.json.
type manifest struct {
	Name        string            `json:"name"`
	Version     string            `json:"version"`
	Description string            `json:"description"`
	License     string            `json:"license"`
	OS          []string          `json:"os,omitempty"`
	CPU         []string          `json:"cpu,omitempty"`
	Bin         map[string]string `json:"bin,omitempty"`
	Engines     map[string]string `json:"engines,omitempty"`
	// Optional are the packages with programs. npm installs the one whose system and processor are those of the machine.
	Optional map[string]string `json:"optionalDependencies,omitempty"`
	// Unpacked has Yarn keep the programs as files, which a system can start.
	Unpacked bool `json:"preferUnplugged,omitempty"`
}

// scope is before the names of the packages with programs.
const scope = "@ctxledger/"

// packNode writes the package of npm with the programs for a platform, of the files of its archive.
func (p platform) packNode(out string, tree []file, when time.Time) error {
	system, cpu, _ := strings.Cut(p.name, "-")
	files, err := manifest{Name: scope + p.name, Version: version.Version, License: "MIT", Unpacked: true,
		Description: fmt.Sprintf("The programs of ctxledger for %s on %s", system, cpu), OS: []string{system},
		CPU: []string{cpu}}.files()
	if err != nil {
		return err
	}
	for _, f := range tree {
		switch dir, name := filepath.Split(f.name); {
		case dir == "bin/":
			files = append(files, file{"package/" + f.name, f.mode, f.text})
		case name == "LICENSE", name == "THIRD_PARTY.txt":
			files = append(files, file{"package/" + name, f.mode, f.text})
		}
	}
	return create(filepath.Join(out, "ctxledger-"+p.name+"-"+version.Version+".tgz"), files, when, writeTar)
}

// packChooser writes the package of npm that people name: it needs the one for their machine, and starts its programs.
func packChooser(out string, when time.Time) error {
	m := manifest{Name: "ctxledger", Version: version.Version, License: "MIT",
		Description: "Shows what an AI agent's context costs, keeps it small, and loses nothing",
		Bin:         map[string]string{}, Optional: map[string]string{}, Engines: map[string]string{"node": ">=18"}}
	for _, p := range platforms {
		m.Optional[scope+p.name] = version.Version
	}
	var scripts []file
	for _, name := range programs {
		m.Bin[name] = "bin/" + name + ".js"
		scripts = append(scripts, file{"package/" + m.Bin[name], 0o755,
			fmt.Appendf(nil, "#!/usr/bin/env node\nrequire(\"../start.js\")(%q);\n", name)})
	}
	files, err := m.files()
	if err != nil {
		return err
	}
	files = append(append(files, scripts...), file{"package/start.js", 0o644, start})
	for _, name := range []string{"LICENSE", "README.md"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files = append(files, file{"package/" + name, 0o644, text})
	}
	return create(filepath.Join(out, "ctxledger-"+version.Version+".tgz"), files, when, writeTar)
}

// files returns the package.json.
func (m manifest) files() ([]file, error) {
	text, err := json.MarshalIndent(m, "", "  ")
	return []file{{"package/package.json", 0o644, append(text, '\n')}}, err
}
