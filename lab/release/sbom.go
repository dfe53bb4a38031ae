package main

import (
	"debug/buildinfo"
	"encoding/json"
	"maps"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"ctxledger.dev/internal/version"
)

// standard is Go's own library among the modules.
const standard = "stdlib"

// modules are what programs are made of, by their paths.
type modules map[string]debug.Module

// note takes in what one program says of itself.
func (m modules) note(info *buildinfo.BuildInfo) {
	for _, d := range info.Deps {
		m[d.Path] = *d
	}
	m[standard] = debug.Module{Path: standard, Version: strings.TrimPrefix(info.GoVersion, "go")}
}

// paths returns the paths of all but Go's own library, sorted.
func (m modules) paths() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m)), func(path string) bool { return path == standard })
}

// bill is a list of parts in the form CycloneDX 1.6.
type bill struct {
	Format   string   `json:"bomFormat"`
	Spec     string   `json:"specVersion"`
	Version  int      `json:"version"`
	Metadata metadata `json:"metadata"`
	Parts    []part   `json:"components"`
	Needs    []needs  `json:"dependencies"`
}

type metadata struct {
	Time string `json:"timestamp"`
	Of   part   `json:"component"`
}

type part struct {
	Type    string     `json:"type"`
	Ref     string     `json:"bom-ref"`
	Name    string     `json:"name"`
	Version string     `json:"version"`
	URL     string     `json:"purl"`
	More    []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type needs struct {
	Ref string   `json:"ref"`
	On  []string `json:"dependsOn"`
}

func newPart(kind, path, version string) part {
	url := "pkg:golang/" + path + "@" + version
	return part{Type: kind, Ref: url, Name: path, Version: version, URL: url}
}

// write writes the list.
func (m modules) write(path string, when time.Time) error {
	own := newPart("application", "ctxledger.dev", version.Version)
	b := bill{Format: "CycloneDX", Spec: "1.6", Version: 1,
		Metadata: metadata{when.Format(time.RFC3339), own}, Needs: []needs{{Ref: own.Ref}}}
	for _, at := range slices.Sorted(maps.Keys(m)) {
		p := newPart("library", at, m[at].Version)
		if sum := m[at].Sum; sum != "" {
			p.More = []property{{"go.sum", sum}}
		}
		b.Parts = append(b.Parts, p)
		b.Needs[0].On = append(b.Needs[0].On, p.Ref)
	}
	text, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
