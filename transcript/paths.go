package transcript

import (
	"path"
	"strings"
)

// extensions are those that make a bare word a file name. Words with a slash need no known extension.
var extensions = setOf("astro bash bat bib c cc cfg cjs clj cmd conf cpp cs css csv cxx dart diff dockerfile env " +
	"erl ex " +
	"exs fs go gohtml gql gradle graphql h hbs hcl hpp hs htm html hxx ini ipynb java jl js json json5 jsonc " +
	"jsonl jsx " +
	"kt kts less lock log lua m4 make md mdx mjs mk ml mod mts nix patch pdf php pl png proto ps1 py pyi r rake " +
	"rb rs rst " +
	"sass sbt scala scss sh sql sum svelte svg swift tex tf tmpl toml ts tsv tsx txt txtar vb vue xml yaml yml zig zsh")

// fileNames are file names without an extension.
var fileNames = setOf("Dockerfile Makefile Gemfile Rakefile Procfile Jenkinsfile Vagrantfile Justfile LICENSE " +
	"CODEOWNERS")

// mediaTypes are the first halves of media types, which look like paths.
var mediaTypes = setOf("application audio font image message model multipart text video")

// domains end the first segment of an import path or of an address without a scheme.
var domains = setOf("com dev edu gov io net org")

func setOf(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}
	return m
}

// pathWord returns the normalised path that a word is, if it has the shape of one.
func pathWord(w string) (string, bool) {
	if !strings.ContainsAny(w, `/\.`) {
		return w, fileNames[w]
	}
	if strings.HasPrefix(w, "-") {
		i := strings.IndexByte(w, '/') // -I/usr/include
		if i < 0 || i > 2 {
			return "", false
		}
		w = w[i:]
	}
	if i := strings.IndexByte(w, '@'); i > 0 && w[i-1] != '/' || !strings.ContainsFunc(w, isAnyLetter) {
		return "", false // an address, a version; a fraction, a date
	}
	p := cleanPath(w)
	segments := strings.Split(strings.TrimPrefix(p, "/"), "/")
	last := segments[len(segments)-1]
	if len(segments) == 1 {
		return p, knownFile(last) || strings.HasPrefix(p, "/") && hasExtension(last)
	}
	if strings.HasPrefix(p, "/") || strings.HasPrefix(w, ".") || strings.HasPrefix(p, "~/") {
		return p, true
	}
	_, tld, _ := cutLast(segments[0], '.')
	if domains[tld] || mediaTypes[segments[0]] && len(segments) == 2 && !hasExtension(last) {
		return "", false
	}
	return p, len(segments) > 2 || hasExtension(last) || fileNames[last] || strings.HasSuffix(w, "/")
}

// windowsPath reports whether the backslashes of a word separate directories, and are not the escapes
// of a string literal.
func windowsPath(w string) bool {
	if len(w) > 2 && w[1] == ':' || strings.HasPrefix(w, `.\`) || strings.HasPrefix(w, `..\`) {
		return true
	}
	for i := range len(w) - 1 {
		if w[i] == '\\' && strings.IndexByte(`0abdfnrstuvwxBDSW\.`, w[i+1]) >= 0 {
			return false
		}
	}
	return w[0] != '\\' && !strings.HasSuffix(w, `\`)
}

// cleanPath normalises separators and dots.
func cleanPath(p string) string {
	return path.Clean(strings.ReplaceAll(p, `\`, "/"))
}

// knownFile reports whether a word without a slash names a file.
func knownFile(w string) bool {
	if fileNames[w] {
		return true
	}
	stem, ext, ok := cutLast(w, '.')
	if !ok {
		return false
	}
	if stem == "" {
		return len(ext) > 3 && strings.HasSuffix(ext, "ignore") || ext == "env"
	}
	return extensions[strings.ToLower(ext)] && strings.ContainsFunc(stem, isAnyLetter)
}

// hasExtension reports whether a path's last segment ends like a file name.
func hasExtension(w string) bool {
	stem, ext, ok := cutLast(w, '.')
	if !ok || stem == "" || ext == "" || len(ext) > 8 {
		return false
	}
	for i := range len(ext) {
		if !isLetter(ext[i]) && !isDigit(ext[i]) {
			return false
		}
	}
	return true
}

func cutLast(s string, sep byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}

func isAnyLetter(r rune) bool { return r >= 0x80 || isLetter(byte(r)) }
