// Package paths says which spellings of a path are of one file. Start at Key.
//
// Sessions move between machines, so that the rules are the same on every system and read no disk:
//
//   - A path with a drive, in either kind of slashes, with or without `\\?\` or `\\.\`, is one with that drive. So is one
//     below /mnt/c, in which WSL shows the drive C to Linux: always, since a key may be stored and cannot depend on what else
//     a session names. A Linux machine with a disk of its own there loses no more than the case of names.
//   - A path `\\server\share\x` or `\\?\UNC\server\share\x` is one of that share.
//   - In paths of drives and shares the case of letters does not count, as on Windows. In all others it does.
//   - A backslash separates directories in Windows spellings, and in relative paths below a directory in such a spelling.
//     Elsewhere it is a character of a name, also below /mnt/c, where no drive can have such a name.
//
// The package does not know links, short names (PROGRA~1) or mapped drives.
package paths

import (
	"path"
	"strings"
	"unicode/utf8"
)

// Key returns what the file at a path is known by: equal for all spellings of a path, and its own key. It is no path to
// open or to show.
func Key(p string) string {
	volume, rest, _ := split(p)
	if volume == "" {
		return clean(p)
	}
	return fold(rooted(volume, rest))
}

// fold makes letters lower-case. Bytes that are no text stay: ToLower would make them equal.
func fold(s string) string {
	if utf8.ValidString(s) {
		return strings.ToLower(s)
	}
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return string(b)
}

// Abs returns a path in the one spelling in which it is stored, but for the case of its names, which stays as it is
// written: below a directory if it is relative, with slashes and without dots, `C:/a/B.go` or `\\server\share/x`. dir may be
// empty.
func Abs(dir, p string) string {
	if _, _, inWindows := split(dir); inWindows {
		p = inSpelling(p)
	}
	if volume, rest, _ := split(p); volume != "" {
		return rooted(volume, rest)
	}
	if path.IsAbs(p) || dir == "" {
		return clean(p)
	}
	return Abs("", dir+"/"+p)
}

// Below returns a path relative to a directory, its names as they are written, if it is the directory (".") or inside
// it. Both are absolute, in any spelling.
func Below(dir, p string) (rest string, ok bool) {
	if dir == "" || p == "" {
		return "", false
	}
	in, key := strings.TrimSuffix(Key(dir), "/"), Key(p)
	if key == in || key == in+"/" {
		return ".", true
	}
	if !strings.HasPrefix(key, in+"/") { // a name with a backslash may be below a directory that WSL shows
		if rest, ok = strings.CutPrefix(key, strings.TrimSuffix(path.Clean(dir), "/")+"/"); !ok {
			rest = ""
		}
		return rest, ok
	}
	names := strings.Split(Abs("", p), "/")
	return strings.Join(names[len(names)-1-strings.Count(key[len(in)+1:], "/"):], "/"), true
}

// IsAbs reports whether a path is absolute, on any system.
func IsAbs(p string) bool {
	_, _, spelled := split(p)
	return spelled || path.IsAbs(p)
}

// Windows reports whether a path is one of a drive or a share, where the case of letters does not count.
func Windows(p string) bool {
	volume, _, _ := split(p)
	return volume != ""
}

// inSpelling returns a path as one in a Windows spelling: there both kinds of slashes separate, and two begin a share.
func inSpelling(p string) string {
	if strings.HasPrefix(p, "//") {
		p = `\\` + strings.TrimLeft(p, "/")
	}
	if _, _, spelled := split(p); spelled {
		return p
	}
	return strings.ReplaceAll(p, `\`, "/")
}

// clean is path.Clean, except that a name never becomes a drive or a share.
func clean(p string) string {
	p = path.Clean(p)
	if _, _, spelled := split(p); spelled {
		return "./" + p
	}
	return p
}

// rooted returns a path of a volume.
func rooted(volume, rest string) string { return volume + path.Clean("/"+rest) }

// split returns the drive ("C:") or share (`\\server\share`) of a path, and what follows with slashes; "" for a path that
// has none. spelled says that Windows spells it so, and not WSL.
func split(p string) (volume, rest string, spelled bool) {
	s := p
	if start := strings.ReplaceAll(s[:min(len(s), 4)], "/", `\`); start == `\\?\` || start == `\\.\` {
		switch after := s[4:]; {
		case hasDrive(after + "/"):
			s = after + "/"
		case len(after) > 4 && strings.EqualFold(after[:3], "UNC") && isSlash(after[3]):
			s = `\\` + after[4:]
		}
	}
	switch {
	case hasDrive(s):
		return strings.ToUpper(s[:2]), strings.ReplaceAll(s[2:], `\`, "/"), true
	case strings.HasPrefix(s, `\\`):
		return share(strings.ReplaceAll(s[2:], `\`, "/"))
	case strings.HasPrefix(p, "/") && !strings.Contains(p, `\`):
		p = path.Clean(p)
		if !strings.HasPrefix(p, "/mnt/") {
			return "", "", false
		}
		if len(p) == 6 && isLower(p[5]) || len(p) > 6 && isLower(p[5]) && p[6] == '/' {
			return strings.ToUpper(p[5:6]) + ":", p[6:], false
		}
	}
	return "", "", false
}

// share splits a path with slashes behind the two that begin it.
func share(s string) (volume, rest string, spelled bool) {
	server, s := first(s)
	name, rest := first(s)
	if server == "?" || name == "" {
		return "", "", false
	}
	return fold(`\\` + server + `\` + name), rest, true
}

// first returns the first name of a path with slashes, and what follows.
func first(s string) (name, rest string) {
	for s != "" && (name == "" || name == ".") {
		name, s, _ = strings.Cut(s, "/")
	}
	if name == "." {
		name = ""
	}
	return name, s
}

// hasDrive reports whether a path begins with a drive and its root.
func hasDrive(s string) bool { return len(s) > 2 && isLetter(s[0]) && s[1] == ':' && isSlash(s[2]) }

func isSlash(c byte) bool  { return c == '/' || c == '\\' }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isLetter(c byte) bool { return isLower(c | 0x20) }
