// Package shown is what documents and pictures show: one recorded session, as if one model had answered. A picture has
// a note with the words that are to be seen in it, so that a test compares them with what the programs print today.
//
// Start at Priced, and at Noted for pictures.
package shown

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"regexp"
	"strings"
)

// Model is the model whose name the recorded session gets where prices and a window are shown. Its own model is a
// script, which has neither.
const Model = "claude-sonnet-4-5"

// Priced returns the recorded session as if Model had answered.
func Priced(recording []byte) []byte {
	return bytes.ReplaceAll(recording, []byte(`"model":"scripted"`), []byte(`"model":"`+Model+`"`))
}

// The parts of a page of HTML that are no words.
var (
	drawn = regexp.MustCompile(`(?s)<head.*?</head>|<svg.*?</svg>|<style.*?</style>|<script.*?</script>`)
	tags  = regexp.MustCompile(`<[^>]*>`)
)

// Words returns the words of a page up to a heading, in one line. Entities stay as they are.
func Words(page []byte, end string) (string, error) {
	text := tags.ReplaceAllString(drawn.ReplaceAllString(string(page), " "), " ")
	text, _, found := strings.Cut(strings.Join(strings.Fields(text), " "), " "+end+" ")
	if !found {
		return "", errors.New("the page has no heading " + end)
	}
	return text, nil
}

// What a PNG is made of.
const (
	signature = "\x89PNG\r\n\x1a\n"
	frame     = 12 // bytes of a chunk besides its data: length, kind, sum
)

// itxt begins a note: keyword, no compression, no language.
const itxt = "iTXtDescription\x00\x00\x00\x00\x00"

// errNoPicture is returned for what is no PNG.
var errNoPicture = errors.New("this is no PNG")

// Noted returns a picture with a note in it, in front of its end.
func Noted(png []byte, note string) ([]byte, error) {
	const end = "\x00\x00\x00\x00IEND\xaeB\x60\x82"
	rest, ok := bytes.CutSuffix(png, []byte(end))
	if !ok || !bytes.HasPrefix(png, []byte(signature)) {
		return nil, errNoPicture
	}
	body := append([]byte(itxt), note...)
	out := binary.BigEndian.AppendUint32(bytes.Clone(rest), uint32(len(body)-4))
	out = binary.BigEndian.AppendUint32(append(out, body...), crc32.ChecksumIEEE(body))
	return append(out, end...), nil
}

// Note returns the note of a picture, "" without one.
func Note(png []byte) (string, error) {
	rest, ok := bytes.CutPrefix(png, []byte(signature))
	if !ok {
		return "", errNoPicture
	}
	for len(rest) >= frame {
		size := int64(binary.BigEndian.Uint32(rest))
		if size+frame > int64(len(rest)) {
			return "", errNoPicture
		}
		if note, found := bytes.CutPrefix(rest[4:8+size], []byte(itxt)); found {
			return string(note), nil
		}
		rest = rest[size+frame:]
	}
	return "", nil
}
