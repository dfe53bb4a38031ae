package lsp

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ctxledger.dev/lsp/anyfile"
)

// property is a setting as package.json declares it to VS Code.
type property struct {
	Default json.RawMessage
	Enum    []string
	Items   struct{ Enum []string }
}

// contributed are the settings that the VS Code extension offers, by name.
func contributed(t *testing.T) map[string]property {
	t.Helper()
	raw, err := os.ReadFile("../vscode-extension/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		Contributes struct {
			Configuration struct {
				Properties map[string]property
			}
		}
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	all := map[string]property{}
	for name, p := range m.Contributes.Configuration.Properties {
		all[strings.TrimPrefix(name, section+".")] = p
	}
	return all
}

// Settings of the extension that are not the server's, and of the server that a client sets by itself.
const notAPersons = "status"

var notTheServers = []string{"server.path", "warnFrom", "alarmFrom"}

// TestTheExtensionHasTheSettingsOfTheServer compares names and defaults, and has the server read each value
// that can be chosen.
func TestTheExtensionHasTheSettingsOfTheServer(t *testing.T) {
	want := map[string]any{}
	raw, err := json.Marshal(defaults())
	if err != nil || json.Unmarshal(raw, &want) != nil {
		t.Fatal(err)
	}
	delete(want, notAPersons)
	got := map[string]any{}
	for name, p := range contributed(t) {
		if slices.Contains(notTheServers, name) {
			continue
		}
		var value any
		if err := json.Unmarshal(p.Default, &value); err != nil {
			t.Errorf("%s: the default: %v", name, err)
		}
		got[name] = value
		for _, choice := range p.Enum {
			if _, err := defaults().read([]byte(`{"` + name + `":"` + choice + `"}`)); err != nil {
				t.Errorf("the extension offers what the server refuses: %v", err)
			}
		}
		if codes := p.Items.Enum; codes != nil && !slices.Equal(codes, anyfile.Codes()) {
			t.Errorf("%s: the extension offers %v, the server has %v", name, codes, anyfile.Codes())
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the extension has %v, the server %v", got, want)
	}
}

// rows are those of tables of settings, with their names and defaults.
var rows = regexp.MustCompile("(?m)^\\| `(?:ctxledger\\.)?([a-zA-Z.]+)` \\| (?:`([^`]*)`)? ?\\|")

// TestSettingsAreDocumented compares the tables of the documents with what the extension offers.
func TestSettingsAreDocumented(t *testing.T) {
	for _, file := range []struct {
		path  string
		extra []string // beyond the settings of the extension
		less  []string
	}{
		{"../docs/editor.md", []string{notAPersons}, notTheServers},
		{"../vscode-extension/README.md", nil, nil},
	} {
		text, err := os.ReadFile(file.path)
		if err != nil {
			t.Fatal(err)
		}
		_, table, _ := strings.Cut(string(text), "| setting | default |")
		table, _, _ = strings.Cut(table, "\n\n")
		told := map[string]string{}
		for _, row := range rows.FindAllStringSubmatch(table, -1) {
			told[row[1]] = strings.Trim(row[2], `"`)
		}
		for name, p := range contributed(t) {
			if slices.Contains(file.less, name) {
				continue
			}
			var compact bytes.Buffer
			if err := json.Compact(&compact, p.Default); err != nil {
				t.Fatal(err)
			}
			want := strings.Trim(strings.ReplaceAll(compact.String(), ",", ", "), `"`)
			if value, ok := told[name]; !ok || value != want {
				t.Errorf("%s says of %s %q, %v; its default is %s", file.path, name, value, ok, want)
			}
			delete(told, name)
		}
		for _, name := range file.extra {
			delete(told, name)
		}
		if len(told) > 0 {
			t.Errorf("%s has settings that the extension has not: %v", file.path, told)
		}
	}
}
