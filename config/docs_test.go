package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of the manual, and the JSON Schema")

// Files that are made from the rules.
const (
	manual = "../docs/configuration.md"
	others = "../docs/maintainers/defaults.md"
	schema = "../docs/ctxledger.schema.json"
)

// TestDocumentationIsMadeFromTheRules compares what is documented with the rules.
func TestDocumentationIsMadeFromTheRules(t *testing.T) {
	tables := regexp.MustCompile(`(?s)<!-- settings(?:: (\w+))? -->\n.*?<!-- end of settings -->`)
	for _, file := range []string{manual, others} {
		page, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		compare(t, file, tables.ReplaceAllFunc(page, func(old []byte) []byte {
			begin, _, _ := bytes.Cut(old, []byte("\n"))
			name := string(tables.FindSubmatch(old)[1])
			return []byte(string(begin) + "\n" + tableOf(name) + "<!-- end of settings -->")
		}))
	}
	text, err := json.MarshalIndent(schemaOf(), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	compare(t, schema, append(text, '\n'))
}

// compare compares a file with what it should be, or writes it.
func compare(t *testing.T, file string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, want, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the rules say (%v): run go test ./config -update", file, err)
	}
}

// tableOf returns a table of the manual.
func tableOf(name string) string {
	var b strings.Builder
	switch name {
	case "foreign":
		b.WriteString("| key | of | sets |\n|---|---|---|\n")
		foreignRows(&b, "", topRules())
	case "differences":
		b.WriteString("| key | default | elsewhere | why |\n|---|---|---|---|\n")
		differenceRows(&b, "context", contextRules())
	case "findings":
		b.WriteString(findingRows())
	case "inapplicable":
		b.WriteString("| of fuseraft's rules, not applied | why |\n|---|---|\n")
		for _, n := range notOurs {
			fmt.Fprintf(&b, "| %s | %s |\n", n.codes, n.why)
		}
	case "ignored":
		b.WriteString("| keys | why |\n|---|---|\n")
		ignoredRows(&b, topRules())
	default:
		rules := topRules()
		if name != "" {
			rules = Find(topRules(), name).Rules
		}
		b.WriteString("| key | value (default) | meaning |\n|---|---|---|\n")
		rows(&b, "", rules)
	}
	return b.String()
}

// rows writes a row for each key, and for those of mappings in a policy.
func rows(b *strings.Builder, path string, rules []Rule) {
	for _, r := range rules {
		if r.From != "" {
			continue
		}
		value := r.Kind.String()
		if r.Unit != "" {
			value = r.Unit
		}
		if r.Kind == Word {
			value = "`" + strings.Join(r.Values, "`, `") + "`"
		}
		if r.Default != "" {
			value += " (`" + r.Default + "`)"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", join(path, r.Key), value, r.Doc)
		if r.Kind == Mapping && r.into == nil {
			rows(b, join(path, r.Key), r.Rules)
		}
	}
}

// differenceRows writes a row for each key whose default differs from that of another program.
func differenceRows(b *strings.Builder, path string, rules []Rule) {
	for _, r := range rules {
		if r.Theirs != "" {
			fmt.Fprintf(b, "| `%s` | `%s` | %s | %s |\n", join(path, r.Key), r.Default, r.Theirs, r.Differs)
		}
		differenceRows(b, join(path, r.Key), r.Rules)
	}
}

func foreignRows(b *strings.Builder, path string, rules []Rule) {
	for _, r := range rules {
		switch {
		case r.As != "" && path != "agents":
			fmt.Fprintf(b, "| `%s` | %s | `%s` |\n", join(path, r.Key), r.From, r.Sets())
		case r.From != "" && r.Kind == Mapping:
			foreignRows(b, join(path, r.Key), r.Rules)
		}
	}
}

// ignoredRows writes a row for each reason, with the keys.
func ignoredRows(b *strings.Builder, rules []Rule) {
	keys := map[string][]string{}
	var reasons []string
	var collect func(path string, rules []Rule)
	collect = func(path string, rules []Rule) {
		for _, r := range rules {
			switch {
			case r.Ignored != "":
				if keys[r.Ignored] == nil {
					reasons = append(reasons, r.Ignored)
				}
				keys[r.Ignored] = append(keys[r.Ignored], join(path, r.Key))
			case len(r.Rules) > 0 && (r.From != "" || r.Kind == List || r.Kind == Table):
				collect(join(path, r.Key), r.Rules)
			}
		}
	}
	collect("", rules)
	for _, why := range reasons {
		fmt.Fprintf(b, "| `%s` | %s |\n", strings.Join(keys[why], "`, `"), why)
	}
}

// schemaOf returns the JSON Schema of a configuration file. It allows what the file may have beside ctxledger's own keys:
// their mistakes are warnings.
func schemaOf() map[string]any {
	s := object(topRules())
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "ctxledger.yaml"
	return s
}

func object(rules []Rule) map[string]any {
	properties := map[string]any{}
	for _, r := range rules {
		if r.From == "" {
			properties[r.Key] = valueSchema(r)
		}
	}
	return map[string]any{"type": "object", "properties": properties}
}

// valueSchema returns the schema of a key's value. Nothing leaves the default.
func valueSchema(r Rule) map[string]any {
	var s map[string]any
	switch r.Kind {
	case Bool:
		s = map[string]any{"type": "boolean"}
	case Count:
		s = map[string]any{"type": "integer", "minimum": r.Least}
		if r.Most > 0 {
			s["maximum"] = r.Most
		}
	case Share:
		s = map[string]any{"type": "number", "minimum": 0, "maximum": 1}
	case Number:
		s = map[string]any{"type": "number", "minimum": 0}
	case Text:
		s = map[string]any{"type": "string"}
	case Word:
		s = map[string]any{"enum": r.Values}
	case Texts:
		s = map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	case Counts:
		s = map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "integer", "minimum": 0}}
	case Mapping:
		s = object(r.Rules)
	case Table:
		s = map[string]any{"type": "object", "additionalProperties": object(r.Rules)}
	case List:
		s = map[string]any{"type": "array", "items": object(r.Rules)}
	}
	if r.Doc != "" {
		s["description"] = r.Doc
	}
	var standard any
	if r.Default != "" && json.Unmarshal([]byte(r.Default), &standard) == nil {
		s["default"] = standard
	} else if r.Default != "" {
		s["default"] = r.Default
	}
	return s
}
