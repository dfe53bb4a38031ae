package redact

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/pem"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sourceNames are the names of files that people write.
var sourceNames = []string{".go", ".s", ".c", ".h", ".md", ".html", ".js", ".css", ".yaml", ".yml", ".json", ".sh",
	".py", ".pl", ".txtar"}

// TestFalseAlarmsInRealSourceCode looks for secrets where there are none: in Go's own source and in this
// repository, whose tests plant secrets and are left out. A private key is a true find if it parses as one:
// Go's tests have some, most of them called TESTING KEY. So are the credentials that these tests make up; they
// are counted as false alarms nevertheless, without a judgement of each.
func TestFalseAlarmsInRealSourceCode(t *testing.T) {
	for _, tree := range []struct {
		name, root string
		tests      bool // whether tests count
		least      int  // bytes that must be there
	}{
		{"Go", filepath.Join(goRoot(t), "src"), true, 50 << 20},
		{"this repository", "../..", false, 500 << 10},
	} {
		size, alarms, keys := 0, 0, 0
		err := eachSource(tree.root, func(path string, text []byte) error {
			if !tree.tests && (strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, ".txtar")) {
				return nil
			}
			size += len(text)
			for _, s := range New(nil).Find(text) {
				if s.Kind == privateKey && isPrivateKey(text, s) {
					keys++
					continue
				}
				alarms++
				t.Logf("%s:%d: %s: %.60q", path, 1+bytes.Count(text[:s.Start], []byte("\n")), s.Kind,
					text[max(s.Start-12, 0):s.End])
			}
			return nil
		})
		if err != nil || size < tree.least {
			t.Fatalf("%s: only %d bytes of source: %v", tree.root, size, err)
		}
		perMB := float64(alarms) / (float64(size) / 1e6)
		t.Logf("%s: %d alarms and %d private keys in %.1f MB: %.2f alarms per MB", tree.name, alarms, keys,
			float64(size)/1e6, perMB)
		if perMB > 1 {
			t.Errorf("%s: more than one false alarm per MB: %.2f", tree.name, perMB)
		}
	}
}

// keyLines matches lines of base64.
var keyLines = regexp.MustCompile(`[A-Za-z0-9+/]{16,}(?:\n[A-Za-z0-9+/]+)*={0,2}`)

// isPrivateKey reports whether what was found is a private key or lines of one: whether the base64 around them is a
// sequence in DER that begins with version 0 or 1. The sequences of certificates, requests, public keys and revocation
// lists begin with something else. It does not parse further, as keys for tests may be shorter than crypto/x509 allows.
func isPrivateKey(text []byte, s Secret) bool {
	for _, block := range keyLines.FindAllIndex(text, -1) {
		if block[1] <= s.Start || block[0] >= s.End {
			continue
		}
		der, err := base64.StdEncoding.DecodeString(string(text[block[0]:block[1]]))
		if err != nil {
			return false
		}
		var parts []asn1.RawValue
		rest, err := asn1.Unmarshal(der, &parts)
		var version int
		if err != nil || len(rest) > 0 || len(parts) < 3 {
			return false
		}
		_, err = asn1.Unmarshal(parts[0].FullBytes, &version)
		return err == nil && (version == 0 || version == 1)
	}
	return false
}

func TestOnlyWhatParsesIsAPrivateKeyToTheFalseAlarmTest(t *testing.T) {
	key, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)))
	if err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)).Public())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		der  []byte
		want bool
	}{
		{"a private key", key, true},
		{"a public key", public, false},
		{"a private key that is cut short", key[:len(key)-4], false},
		{"a hash", bytes.Repeat([]byte{0xa7}, 48), false},
	} {
		text := pem.EncodeToMemory(&pem.Block{Type: "TESTING KEY", Bytes: c.der})
		begin := bytes.IndexByte(text, '\n') + 1
		if got := isPrivateKey(text, Secret{begin + 4, begin + 30, privateKey}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// goRoot returns where Go's source is. A test built with -trimpath does not know it itself.
func goRoot(t testing.TB) string {
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// eachSource calls f with every source file of a tree, until it returns an error.
func eachSource(root string, f func(path string, text []byte) error) error {
	tree := os.DirFS(root)
	return fs.WalkDir(tree, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name() == "node_modules" || d.Name()[0] == '.'):
			return fs.SkipDir
		case !d.Type().IsRegular() || !slices.Contains(sourceNames, filepath.Ext(path)):
			return nil
		}
		text, err := fs.ReadFile(tree, path)
		if err == nil {
			err = f(path, text)
		}
		return err
	})
}
