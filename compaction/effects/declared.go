package effects

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ctxledger.dev/internal/chars"
)

const (
	maxText  = 128 << 10 // bytes of a text that are searched for names
	maxNames = 64        // of a text
	maxName  = 80        // characters
)

// A kind says how files of one kind declare names.
type kind struct {
	files     string   // extensions with their dot, and names of files, in lower case
	patterns  []string // each matches at the start of a line; its groups, joined by a dot, are the name
	outermost bool     // only names with the least indentation count
	not       string   // words that patterns match and that are no names
	fenced    bool     // blocks between lines of ``` or ~~~ declare nothing
	underline bool     // patterns may match the next line as well
}

// Parts of patterns: ID is an identifier, QUOTED a text in quotes, TO the start of a line with any indentation.
var abbreviations = strings.NewReplacer(
	"ID", `([\p{L}_$][\p{L}\p{N}_$]*)`,
	"QUOTED", "(?:\"([^\"\\n]+)\"|'([^'\\n]+)'|`([^`\\n]+)`)",
	"TO", `[ \t]*`,
)

// notNames are words of C and its descendants that stand where a method's name could.
const notNames = "if for while switch catch return function with else do new throw await super constructor sizeof match"

var kinds = []kind{
	{files: ".go", patterns: []string{
		`func \(\w* ?\*?(\w+)[^)\n]*\) ID`, `func ID`, `type ID`, `(?:const|var) ID`, `\tID (?:struct|interface)\b`,
		`\t([A-Z]\w*)(?: +[\w.*\[\]]+)? += `, `TOt\.Run\("([^"\n]+)"`}},
	{files: ".py .pyi", patterns: []string{
		`TO(?:async +)?def ID`, `TOclass ID`, `([A-Z][A-Z0-9_]+)(?: *:[^=\n]+)? *=[^=]`}},
	{files: ".js .jsx .ts .tsx .mjs .cjs .mts .cts .vue .svelte", not: notNames, patterns: []string{
		`TO(?:export +)?(?:default +)?(?:declare +)?(?:async +)?function\*? *ID`,
		`TO(?:export +)?(?:default +)?(?:declare +)?(?:abstract +)?(?:class|interface|enum|namespace) +ID`,
		`TO(?:export +)?(?:declare +)?type +ID[^=\n]*=`,
		`(?:export +)?(?:declare +)?(?:const|let|var) +ID`, `TOexport +(?:const|let|var) +ID`,
		`TO(?:const|let) +ID *= *(?:async *)?(?:\([^)\n]*\)|\w+)(?: *:[^=\n]+)? *=>`,
		`TO(?:exports|module\.exports)\.ID *=`,
		`[ \t]+(?:(?:public|private|protected|static|async|readonly|override|get|set) +|\* *)*ID *\([^;\n]*\)(?: *:[^{;\n]+)? *\{ *$`,
		`TO(?:test|it|describe)(?:\.\w+)*\( *QUOTED`}},
	{files: ".rs", patterns: []string{
		`TO(?:pub(?:\([^)\n]*\))? +)?(?:(?:default|const|async|unsafe|extern "[^"\n]*") +)*fn +ID`,
		`TO(?:pub(?:\([^)\n]*\))? +)?(?:unsafe +)?(?:struct|enum|trait|union|mod|type) +ID`,
		`TO(?:pub(?:\([^)\n]*\))? +)?(?:const|static)(?: +mut)? +([A-Z]\w*) *:`, `macro_rules! *ID`}},
	{files: ".java .kt .kts .cs .scala .groovy .dart", not: notNames, patterns: []string{
		`TO(?:[a-z]+ +)*(?:class|interface|enum|record|@interface|object|struct|trait|namespace|mixin) +ID`,
		`TO(?:(?:[a-z]+|@\w+) +)*(?:fun|def)(?: *<[^>\n]*>)? +(?:[\w<>?]+\.)?ID`,
		`TO(?:[a-z]+ +)*(?:static final|const)(?: +val)?(?: +[\w<>\[\]?]+)? +ID *=`,
		`TO(?:(?:public|private|protected|internal|static|final|abstract|override|virtual|async|synchronized|default|sealed) +)+` +
			`[\w<>\[\],.? ]*?\bID *\(`}},
	{files: ".c .h .cc .cpp .cxx .hpp .hh .hxx .m .mm .cu .ino", not: notNames, patterns: []string{
		`TO# *define +ID`, `TO(?:typedef +)?(?:struct|class|enum|enum class|union|namespace) +ID *(?:final *)?(?:[:{]|$)`,
		`TOusing +ID *=`, `typedef [^;\n]*?\b(\w+) *;`, `[A-Za-z_][\w:<>,*& \t]*[ *&]([A-Za-z_~][\w:~]*) *\([^;\n]*$`}},
	{files: ".rb .rake .gemspec .cr gemfile rakefile", patterns: []string{
		`TOdef +(?:self\.)?([\w?!=]+)`, `TO(?:class|module) +([\w:]+)`, `TO([A-Z][A-Z0-9_]+) *=[^=~]`,
		`TO(?:it|describe|context|task|test)[ (]+QUOTED`, `TOtask[ (]+:(\w+)`}},
	{files: ".php", patterns: []string{
		`TO(?:[a-z]+ +)*function +&?ID`, `TO(?:[a-z]+ +)*(?:class|interface|trait|enum) +ID`, `TO(?:[a-z]+ +)*const +ID *=`}},
	{files: ".swift", patterns: []string{
		`TO(?:@?\w+(?:\([^)\n]*\))? +)*func +ID`,
		`TO(?:@?\w+ +)*(?:class|struct|enum|protocol|extension|actor|typealias) +ID`, `TOstatic +let +ID`}},
	{files: ".ex .exs", patterns: []string{
		`TOdefmodule +([\w.]+)`, `TOdef(?:p|macro|macrop)? +([\w?!]+)`, `TO(?:test|describe) +QUOTED`}},
	{files: ".lua", patterns: []string{`TO(?:local +)?function +([\w.:]+)`, `([\w.]+) *= *function`}},
	{files: ".zig", patterns: []string{`TO(?:pub +)?(?:inline +|export +)?fn +ID`, `(?:pub +)?const +ID *=`, `TOtest +"([^"\n]+)"`}},
	{files: ".sh .bash .zsh .ksh .bats", patterns: []string{
		`TOfunction +([\w:.-]+)`, `TO([A-Za-z_][\w:.-]*) *\(\)`, `([A-Z][A-Z0-9_]*)=`, `@test +QUOTED`}},
	{files: ".sql", patterns: []string{
		`TO(?i:create(?: or replace)?(?: \w+)?? (?:table|index|view|function|procedure|trigger|type|schema|sequence)` +
			"(?: concurrently)?(?: if not exists)?) +[\"`\\[]?([\\w.]+)",
		"TO(?i:(?:alter table [^\\n;]*)?add column(?: if not exists)?) +[\"`\\[]?(\\w+)"}},
	{files: ".proto", patterns: []string{`TO(?:message|service|enum|rpc) +ID`}},
	{files: ".graphql .gql", patterns: []string{`(?:extend +)?(?:type|input|enum|interface|union|scalar|query|mutation|fragment) +ID`}},
	{files: ".tf .hcl", patterns: []string{
		`(?:resource|data) +"([^"\n]+)" +"([^"\n]+)"`, `(?:variable|output|module|provider) +"([^"\n]+)"`, `(locals|terraform) *\{`}},
	{files: "makefile gnumakefile .mk justfile", not: ".PHONY .SUFFIXES .DEFAULT_GOAL", patterns: []string{
		`([\w./%@-]+)(?: +[\w./%-]+)* *::?(?:[^=:\n]|$)`, `define +([\w-]+)`}},
	{files: "dockerfile .dockerfile", patterns: []string{`(?i:FROM) +\S+ +(?i:AS) +(\S+)`, `(?i:ARG|ENV) +([A-Za-z_]\w*)`}},
	{files: ".md .markdown .mdx .mdc", fenced: true, patterns: []string{` {0,3}#{1,6} +([^\n]*?[^\s#][^\n]*?)(?: +#+)? *$`}},
	{files: ".rst .adoc", underline: true, patterns: []string{`={1,5} +([^\n]*\w[^\n]*)`, `([^\n]*\w[^\n]*)\n(?:={3,}|-{3,}|~{3,}) *$`}},
	{files: ".yaml .yml", outermost: true, patterns: []string{`TO["']?([\w./@-]+)["']? *:(?:[ \t]|$)`}},
	{files: ".json .jsonc .json5", outermost: true, patterns: []string{`TO"([^"\n]+)" *:`}},
	{files: ".toml .ini .cfg .conf .properties .env .editorconfig", patterns: []string{`\[\[?([^\]\n]+)\]`, `([\w."-]+) *=`}},
	{files: ".css .scss .sass .less", patterns: []string{`([.#:@][\w-][^{};\n]*?) *\{`, `TO((?:--|\$)[\w-]+) *:`}},
}

// shebangs gives the kinds of files without an extension, by a word of their first line.
var shebangs = [][2]string{{"python", ".py"}, {"node", ".js"}, {"ruby", ".rb"}, {"sh", ".sh"}}

// A matcher is a kind, ready for use.
type matcher struct {
	kind
	re  *regexp.Regexp
	not []string
}

// matchers maps extensions and names of files to functions that compile their kind on first use.
var matchers = sync.OnceValue(func() map[string]func() *matcher {
	all := make(map[string]func() *matcher)
	for _, k := range kinds {
		compiled := sync.OnceValue(func() *matcher {
			text := `(?m)\A(?:` + abbreviations.Replace(strings.Join(k.patterns, "|")) + `)`
			return &matcher{kind: k, re: regexp.MustCompile(text), not: strings.Fields(k.not)}
		})
		for name := range strings.FieldsSeq(k.files) {
			all[name] = compiled
		}
	}
	return all
})

func matcherOf(file, text string) *matcher {
	base := strings.ToLower(path.Base(strings.ReplaceAll(file, `\`, "/")))
	for _, name := range []string{base, path.Ext(base), strings.TrimSuffix(base, path.Ext(base))} {
		if m := matchers()[name]; m != nil && name != "" {
			return m()
		}
	}
	if first, _, _ := strings.Cut(text, "\n"); path.Ext(base) == "" && strings.HasPrefix(first, "#!") {
		for _, s := range shebangs {
			if strings.Contains(first, s[0]) {
				return matchers()[s[1]]()
			}
		}
	}
	return nil
}

// A declaration is a name and where the line that declares it begins.
type declaration struct {
	name string
	at   int
}

// Declared returns the names that a text declares as (part of) the file at a path, in order and without repeats, at
// most 64: functions, methods ("Type.Method" in Go), types, classes, constants, tests, targets, headings, keys.
func Declared(file, text string) []string {
	var out []string
	seen := make(map[string]bool)
	for _, d := range declarations(file, text) {
		if !seen[d.name] && len(out) < maxNames {
			seen[d.name] = true
			out = append(out, d.name)
		}
	}
	return out
}

// maxDeclarations bounds the declarations of a text, repeats included.
const maxDeclarations = 1000

// maxLine bounds what is read of a line, in bytes.
const maxLine = 1 << 10

func declarations(file, text string) []declaration {
	m := matcherOf(file, text)
	if m == nil {
		return nil
	}
	text = text[:min(len(text), maxText)]
	var (
		out   []declaration
		least = -1 // indentation
		fence = ""
		next  = 0
	)
	for at := 0; at < len(text) && len(out) < maxDeclarations; at = next {
		line, _, _ := strings.Cut(text[at:], "\n")
		next = at + len(line) + 1
		if m.fenced {
			fence = fenceBehind(fence, strings.TrimSpace(line))
		}
		if m.underline && next < len(text) {
			below, _, _ := strings.Cut(text[next:], "\n")
			line = text[at : next+len(below)]
		}
		name, indent := m.name(line[:min(len(line), maxLine)])
		if name == "" || fence != "" {
			continue
		}
		if m.outermost && (least < 0 || indent < least) {
			least, out = indent, nil
		}
		if !m.outermost || indent == least {
			out = append(out, declaration{name, at})
		}
	}
	return out
}

// name returns the name that a line declares, and in which column it begins.
func (m *matcher) name(line string) (name string, indent int) {
	if start := strings.TrimLeft(line, " \t"); len(start) < 2 || strings.IndexByte("})]", start[0]) >= 0 {
		return "", 0 // most lines end here or soon after: the pattern begins at the start of the line
	}
	at := m.re.FindStringSubmatchIndex(line)
	var groups []string
	for g := 2; g < len(at); g += 2 {
		if at[g] >= 0 {
			if len(groups) == 0 {
				indent = at[g]
			}
			groups = append(groups, line[at[g]:at[g+1]])
		}
	}
	if name = chars.Short(chars.Line(strings.Join(groups, ".")), maxName); slices.Contains(m.not, name) {
		return "", 0
	}
	return name, indent
}

// fenceBehind returns the fence of the block that is open behind a line, given the one before it.
func fenceBehind(open, line string) string {
	switch {
	case open != "" && strings.HasPrefix(line, open):
		return ""
	case open == "" && (strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")):
		return line[:3]
	}
	return open
}
