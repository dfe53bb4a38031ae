package effects

import "strings"

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
		`func \(\w* ?\*?(\w+)[^)\n]*\) ID`, `func ID[(\[]`, `type ID`, `(?:const|var) ID`, `\tID (?:struct|interface)\b`,
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
		`TOfunction +([\w:.-]+)`, `TO([A-Za-z_][\w:.-]*) *\(\)`, `@test +QUOTED`}},
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
