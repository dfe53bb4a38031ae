// Command gen writes the embedded vocabularies of package tokens as merge pairs.
//
// It is a module of its own, so that the vocabularies' source, tiktoken-go-loader, never
// enters the product's module graph. See README.md for how to run it.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strconv"

	"github.com/pkoukk/tiktoken-go-loader/assets"
)

// sources are the vocabularies and the SHA-256 of the published files.
var sources = []struct{ name, sum string }{
	{"o200k_base", "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"},
	{"cl100k_base", "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"},
}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: gen DATA_DIRECTORY")
	}
	for _, s := range sources {
		data, err := build(s.name, s.sum)
		if err != nil {
			log.Fatalf("%s: %v", s.name, err)
		}
		if err := os.WriteFile(filepath.Join(os.Args[1], s.name+".pairs"), data, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

// build returns the .pairs file of one vocabulary; its format is described in package tokens,
// vocabulary.go.
func build(name, sum string) ([]byte, error) {
	raw, err := assets.Assets.ReadFile(name + ".tiktoken")
	if err != nil {
		return nil, err
	}
	source := sha256.Sum256(raw)
	if hex.EncodeToString(source[:]) != sum {
		return nil, fmt.Errorf("the source file has SHA-256 %x, want %s", source, sum)
	}
	tokens, err := parse(raw)
	if err != nil {
		return nil, err
	}
	body, err := pairs(tokens)
	if err != nil {
		return nil, err
	}
	sumOfBody := sha256.Sum256(body)

	file := []byte("ctxpairs 1\n")
	file = fmt.Appendf(file, "%s %d\n", name, len(tokens))
	file = fmt.Appendf(file, "source %x\n", source)
	file = fmt.Appendf(file, "body %x\n\n", sumOfBody)
	return append(file, body...), nil
}

// parse reads the lines "base64(token) rank"; ranks must count up from 0.
func parse(raw []byte) ([]string, error) {
	var tokens []string
	for line := range bytes.Lines(raw) {
		encoded, rank, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		token, err := base64.StdEncoding.DecodeString(string(encoded))
		if err != nil {
			return nil, err
		}
		if string(rank) != strconv.Itoa(len(tokens)) {
			return nil, fmt.Errorf("rank %s where %d was expected", rank, len(tokens))
		}
		tokens = append(tokens, string(token))
	}
	return tokens, nil
}

// pairs returns one five-byte record a token: left<<18 | right, little-endian.
func pairs(tokens []string) ([]byte, error) {
	const none = 1<<18 - 1
	ranks := make(map[string]int, len(tokens))
	for id, token := range tokens {
		ranks[token] = id
	}
	body := make([]byte, 0, 5*len(tokens))
	for id, token := range tokens {
		left, right := int(token[0]), none
		if len(token) > 1 {
			parts := merge(token, ranks, id)
			if len(parts) != 2 {
				return nil, fmt.Errorf("token %d is made of %d parts, not of two", id, len(parts))
			}
			left, right = ranks[parts[0]], ranks[parts[1]]
		}
		v := uint64(left)<<18 | uint64(right)
		body = append(body, byte(v), byte(v>>8), byte(v>>16), byte(v>>24), byte(v>>32))
	}
	return body, nil
}

// merge is byte-pair encoding with the ranks below limit only.
func merge(token string, ranks map[string]int, limit int) []string {
	parts := make([]string, len(token))
	for i := range len(token) {
		parts[i] = token[i : i+1]
	}
	for {
		best, at := limit, -1
		for i := range len(parts) - 1 {
			if rank, ok := ranks[parts[i]+parts[i+1]]; ok && rank < best {
				best, at = rank, i
			}
		}
		if at < 0 {
			return parts
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
}
