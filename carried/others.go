package carried

import (
	"path/filepath"
	"slices"
	"strings"

	"ctxledger.dev/internal/chars"
	"ctxledger.dev/internal/env"
	"ctxledger.dev/internal/yamldoc"
	"ctxledger.dev/tokens"
)

// plain are instructions that an agent loads as they are, with a line in front that names the file.
func plain() instructions {
	return instructions{body: unlessBlank, frame: func(path, body string) string {
		return "Instructions from: " + path + "\n" + body
	}}
}

// unlessBlank returns a text, "" if there is nothing in it: agents leave it out.
func unlessBlank(text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return text
}

// codexBytes is how many bytes of instructions Codex loads together.
const codexBytes = 32 << 10

// Codex returns Codex, which keeps its files in a directory.
func Codex(dir func(e env.Env) string) Loading {
	return Loading{dir: dir, find: (*finder).codex, disable: tomlSwitch}
}

// codex returns what Codex loads: one file in each directory.
func (f *finder) codex() (parts []Part) {
	home := f.agent.dir(f.Env)
	head := "# AGENTS.md instructions"
	dirs := f.dirs()
	if slices.ContainsFunc(dirs, func(dir string) bool {
		return slices.ContainsFunc(ofCodex(dir), func(path string) bool {
			return unlessBlank(f.reader.read(path).text) != ""
		})
	}) {
		head += " for " + dirs[len(dirs)-1]
	}
	how := instructions{body: unlessBlank, frame: func(_, body string) string {
		return head + "\n\n<INSTRUCTIONS>\n" + body + "\n</INSTRUCTIONS>"
	}}
	parts = append(parts,
		f.firstOf(how, filepath.Join(home, "AGENTS.override.md"), filepath.Join(home, "AGENTS.md"))...)
	if len(parts) > 0 {
		how.frame = func(_, body string) string { return "\n\n--- project-doc ---\n\n" + body }
	}
	for _, dir := range dirs {
		parts = append(parts, f.firstOf(how, ofCodex(dir)...)...)
	}
	left := codexBytes
	for i := range parts {
		size := len(f.reader.read(parts[i].Path).text)
		if size > left {
			parts[i].add(CutOff, "Codex loads the first "+chars.Commas(codexBytes)+
				" bytes of all its instructions together: the rest of this file is left out", Span{max(left, 0), size})
			parts[i].Carried = f.count(how.frame(parts[i].Path, f.reader.read(parts[i].Path).text[:max(left, 0)]))
		}
		left -= size
	}
	for _, path := range f.nested("AGENTS.md", "AGENTS.override.md") {
		if slices.Contains(dirs, filepath.Dir(path)) {
			continue // an override replaces it
		}
		parts = append(parts, f.later(Memory, path, "Codex runs in "+f.folder(path), how)...)
	}
	parts = append(parts, f.skills(codexSkills, f.below(".codex", "skills"), f.below(".agents", "skills"),
		filepath.Join(home, "skills"), f.home(".agents", "skills"))...)
	return append(parts, f.codexServers(home)...)
}

// ofCodex returns the files of a directory of which Codex loads the first.
func ofCodex(dir string) []string {
	return []string{filepath.Join(dir, "AGENTS.override.md"), filepath.Join(dir, "AGENTS.md")}
}

// firstOf returns the part of the first file that exists.
func (f *finder) firstOf(how instructions, paths ...string) []Part {
	for _, path := range paths {
		if parts := f.memory(Memory, path, how); len(parts) > 0 {
			return parts
		}
	}
	return nil
}

// geminiHops is how many imports in a row Gemini CLI follows.
const geminiHops = 5

// Gemini returns Gemini CLI.
func Gemini() Loading {
	return Loading{family: tokens.Gemini, find: (*finder).gemini, dirs: []string{".gemini"}, tools: "mcp_%s_",
		reference: `\$\{([^{}]*)\}|\$([A-Za-z_][A-Za-z0-9_]*)`}
}

// gemini returns what Gemini CLI loads.
func (f *finder) gemini() (parts []Part) {
	how := instructions{frame: func(path, body string) string {
		return "--- Context from: " + path + " ---\n" + strings.TrimSpace(body) +
			"\n--- End of Context from: " + path + " ---\n\n"
	}, imported: func(name, body string) string {
		return "<!-- Imported from: " + name + " -->\n" + body + "\n<!-- End of import from: " + name + " -->"
	}, imports: geminiImports, hops: geminiHops, body: unlessBlank}
	below := func(dir, called string) func(*file) (code, why string) {
		return func(file *file) (code, why string) {
			if how := f.outsideOf(dir, file); how != "" {
				return OutsideImport, how + called + ": Gemini CLI does not load it"
			}
			return "", ""
		}
	}
	how.refuses = below(f.home(".gemini"), "~/.gemini")
	parts = append(parts, f.memory(Memory, f.home(".gemini", "GEMINI.md"), how)...)
	how.refuses = below(f.Root, "the workspace")
	for _, dir := range f.dirs() {
		parts = append(parts, f.memory(Memory, filepath.Join(dir, "GEMINI.md"), how)...)
	}
	for _, path := range f.nested("GEMINI.md") {
		parts = append(parts, f.later(Memory, path, "a file in "+f.folder(path)+" is read", how)...)
	}
	own := []string{f.home(".gemini"), f.below(".gemini")}
	if len(parts) > 0 || f.reader.exists(own...) { // skills in .agents alone do not mean that somebody uses it
		parts = append(parts, f.skills(geminiSkills, f.home(".gemini", "skills"), f.home(".agents", "skills"),
			f.below(".gemini", "skills"), f.below(".agents", "skills"))...)
	}
	return append(parts, f.servers(mcpFile{f.home(".gemini", "settings.json"), "mcpServers"},
		mcpFile{f.below(".gemini", "settings.json"), "mcpServers"})...)
}

// OpenCode returns opencode.
func OpenCode() Loading {
	return Loading{find: (*finder).opencode, dirs: []string{".config/opencode", ".opencode"}, tools: "%s_",
		reference: `\{env:([^{}]*)\}`, disable: jsonSwitch}
}

// opencode returns what opencode loads: AGENTS.md, or CLAUDE.md where there is none, in the workspace and for the user.
func (f *finder) opencode() (parts []Part) {
	config := f.home(".config", "opencode")
	if !f.reader.exists(config, f.home(".opencode"), f.below(".opencode"), f.below("opencode.json")) {
		return nil // AGENTS.md alone does not mean that somebody uses it
	}
	parts = append(parts, f.firstOf(plain(), f.home(".config", "opencode", "AGENTS.md"),
		f.home(".claude", "CLAUDE.md"))...)
	parts = append(parts, f.firstOf(plain(), f.below("AGENTS.md"), f.below("CLAUDE.md"))...)
	var dirs []string
	for _, dir := range []string{config, f.home(".opencode"), f.below(".opencode")} {
		dirs = append(dirs, filepath.Join(dir, "skill"), filepath.Join(dir, "skills"))
	}
	dirs = append(dirs, f.home(".claude", "skills"), f.home(".agents", "skills"), f.below(".claude", "skills"),
		f.below(".agents", "skills"))
	parts = append(parts, f.skills(opencodeSkills, dirs...)...)
	return append(parts, f.servers(mcpFile{f.home(".config", "opencode", "opencode.json"), "mcp"},
		mcpFile{f.below("opencode.json"), "mcp"})...)
}

// Copilot returns Copilot.
func Copilot() Loading { return Loading{find: (*finder).copilot, dirs: []string{".copilot"}} }

// copilot returns what Copilot loads in VS Code.
func (f *finder) copilot() (parts []Part) {
	parts = append(parts, f.memory(Memory, f.below(".github", "copilot-instructions.md"), plain())...)
	for _, path := range f.reader.list(f.below(".github", "instructions"), ".instructions.md", true) {
		m, _, _, problems := readMatter(f.reader.read(path).text, claudeSkills.mend)
		globs := m.list("applyTo", comma)
		parts = append(parts, f.scoped(path, globs, problems, len(globs) == 0)...)
	}
	return append(parts, f.servers(mcpFile{f.below(".vscode", "mcp.json"), "servers"},
		mcpFile{f.home(".copilot", "mcp-config.json"), "mcpServers"})...)
}

// Cursor returns Cursor.
func Cursor() Loading { return Loading{find: (*finder).cursor, dirs: []string{".cursor"}} }

// cursor returns what Cursor loads.
func (f *finder) cursor() (parts []Part) {
	parts = append(parts, f.memory(Memory, f.below(".cursorrules"), plain())...)
	for _, path := range f.reader.list(f.below(".cursor", "rules"), ".mdc", true) {
		m, _, _, problems := readMatter(f.reader.read(path).text, claudeSkills.mend)
		globs := m.list("globs", comma)
		if m.isTrue("alwaysApply") {
			globs = []string{everyFile}
		}
		parts = append(parts, f.scoped(path, globs, problems, len(globs) == 0)...)
	}
	return append(parts, f.servers(mcpFile{f.home(".cursor", "mcp.json"), "mcpServers"},
		mcpFile{f.below(".cursor", "mcp.json"), "mcpServers"})...)
}

// everyFile is the pattern of rules that are always loaded.
const everyFile = "**"

// scoped returns a rule that is loaded for the files that its patterns match; asked says that it has none and is loaded
// when the model or the user asks for it.
func (f *finder) scoped(path string, globs []string, problems []Problem, asked bool) []Part {
	how := plain()
	how.body = func(text string) string {
		_, body, _ := yamldoc.Front(text)
		return strings.TrimSpace(text[body:])
	}
	var parts []Part
	switch {
	case asked:
		parts = f.later(Rule, path, "it is asked for", how)
	case len(globs) == 1 && (globs[0] == everyFile || globs[0] == "**/*"):
		parts = f.memory(Rule, path, how)
	default:
		parts = f.later(Rule, path, whenMatching(globs, "open"), how)
	}
	for i := range parts {
		parts[i].Problems = append(parts[i].Problems, problems...)
	}
	return parts
}
