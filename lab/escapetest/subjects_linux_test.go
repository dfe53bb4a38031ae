package escapetest

import "strings"

// subjects are all readers and writers. internal/archtest names them, where it lists the calls that open
// paths.
func subjects() []subject {
	return []subject{
		safefsSubject, configSubject, userConfigSubject, countSubject, workspaceCountSubject, contextSubject,
		indexSubject, givenSubject, graphSubject,
		observeSubject, partsSubject,
		memoryImportSubject, followSubject, auditSubject,
		named("count FILE", "count", "a.txt"), named("import FILE", "--in-process", "import", "a.txt"),
		named("artifact put FILE", "--in-process", "artifact", "save", "a.txt"),
		named("compact FILE", "--in-process", "compact", "a.txt"),
		findSubject, treesSubject, commitsSubject, trustSubject,
		memoryExportSubject, pageSubject, exportSubject, liveExportsSubject, forgetSubject,
	}
}

// words is a text of so many words, which are as many tokens.
func words(n int) string { return strings.Repeat(" word", n) }

// many is a number of tokens or bytes: files outside have at least so many, files inside fewer.
const many = 4000
