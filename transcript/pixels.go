package transcript

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"

	"ctxledger.dev/tokens"
)

// Pixels is the size of an image, at least 1 and less than 65,536 each way.
type Pixels struct{ Width, Height int }

// The bounds of what is read of an image: what cameras write in front of the size fits in.
const (
	maxImageHead = 256 << 10 // characters of base64
	maxPixels    = 1 << 16   // of a side: no provider takes so many
)

// MediaTokens returns what the images and documents of a part take, in tokens of o200k_base as everything in the log is: by
// their sizes as the provider of the format counts them, tokens.Image for one whose size is not known.
func (p Part) MediaTokens(f Format) int {
	n := p.Media - len(p.Pixels)
	if p.Kind == KindImage {
		n++
	}
	sum := max(n, 0) * tokens.Image
	for _, x := range p.Pixels {
		switch f {
		case Anthropic:
			sum += tokens.Claude.Image(x.Width, x.Height)
		case Gemini:
			sum += tokens.Gemini.Image(x.Width, x.Height)
		default:
			sum += tokens.OpenAIImage(x.Width, x.Height)
		}
	}
	return sum
}

// pixelsOf returns the size of the image of a block, if its data says it.
func pixelsOf(n node) []Pixels {
	for _, path := range [][]string{{"source", "data"}, {"image_url"}, {"image_url", "url"}, {"inlineData", "data"},
		{"inline_data", "data"}} {
		in, at, err := n, n.get(path[0]), error(nil)
		if len(path) > 1 && in.first(at) == '{' {
			if in, err = readNode(n.src, at, path[0]); err != nil {
				return nil
			}
			at = in.get(path[1])
		}
		if in.first(at) == '"' {
			return pixelsIn(n.src[at.From+1 : max(at.From+1, at.To-1)])
		}
	}
	return nil
}

// pixelsIn returns the size of an image in base64, or in a data URL of it, as it stands in JSON.
func pixelsIn(text []byte) []Pixels {
	text = text[:min(len(text), maxImageHead)]
	if bytes.HasPrefix(text, []byte("data:")) {
		_, text, _ = bytes.Cut(text, []byte(";base64,"))
	}
	data := bytes.ReplaceAll(text, []byte(`\/`), []byte("/"))
	head, _ := io.ReadAll(base64.NewDecoder(base64.StdEncoding, bytes.NewReader(data))) // as far as it can be read
	w, h := sizeOf(head)
	if w < 1 || h < 1 || w >= maxPixels || h >= maxPixels {
		return nil
	}
	return []Pixels{{w, h}}
}

// sizeOf returns the size that the head of an image says; 0: it does not.
func sizeOf(head []byte) (width, height int) {
	read := png.DecodeConfig
	switch {
	case bytes.HasPrefix(head, []byte("\x89PNG")):
	case bytes.HasPrefix(head, []byte("\xff\xd8")):
		read = jpeg.DecodeConfig
	case bytes.HasPrefix(head, []byte("GIF8")):
		read = gif.DecodeConfig
	case len(head) >= 30 && string(head[:4]) == "RIFF" && string(head[8:15]) == "WEBPVP8":
		return webpSize(head)
	default:
		return 0, 0
	}
	c, err := read(bytes.NewReader(head))
	if err != nil {
		return 0, 0
	}
	return c.Width, c.Height
}

// webpSize returns the size of a WebP image by the first 30 bytes of its file: lossy, lossless or extended.
func webpSize(head []byte) (width, height int) {
	const side = 1<<14 - 1
	switch head[15] {
	case ' ':
		return int(binary.LittleEndian.Uint16(head[26:])) & side, int(binary.LittleEndian.Uint16(head[28:])) & side
	case 'L':
		both := binary.LittleEndian.Uint32(head[21:])
		return int(both&side) + 1, int(both>>14&side) + 1
	case 'X':
		return int(binary.LittleEndian.Uint32(head[23:])>>8) + 1, int(binary.LittleEndian.Uint32(head[26:])>>8) + 1
	}
	return 0, 0
}
