package tokens

import "sort"

// What a model reads besides text, in tokens of O200kBase.
//
// Providers charge for an image by its area. Where that is not known it counts as one of the usual size: about 1,230 for a
// megapixel by OpenAI's count, 1,090 by Google's, and at most 1,568 of Claude's larger tokens before Opus 4.7,
// which is 1,350 of these.
const (
	Image   = 1_200 // one image of the usual size
	Framing = 4     // role and separators of one message
)

// OpenAIImage returns what an image takes in detail, as OpenAI documents it for GPT-4o: 85 and 170 for each tile of 512
// pixels, after it was made smaller to 2048 pixels a side and 768 for the shorter one.
func OpenAIImage(width, height int) int {
	w, h := smaller(width, height, max(width, height), 2048)
	w, h = smaller(w, h, min(w, h), 768)
	return 85 + 170*patches(w, h, 512)
}

// Image returns what an image takes of o200k_base tokens so that the counter of the family makes of them what its provider
// documents: Claude one for each patch of 28 pixels, after it was made smaller to 2576 pixels a side and 4,784 patches, or
// 1568 and 1,568 before Opus 4.7; Gemini 258 for each tile of 768.
func (f Family) Image(width, height int) int {
	n := 258
	switch f {
	case Claude:
		n = claudeImage(width, height, 2576, 4784)
	case Claude3:
		n = claudeImage(width, height, 1568, 1568)
	case Gemini:
		if max(width, height) > 384 {
			n *= patches(width, height, 768)
		}
	default:
		return Image
	}
	share := priors[f].share
	return (n*100 + share/2) / share
}

// claudeImage counts the patches of an image that is made as large as it may be.
func claudeImage(width, height, side, most int) int {
	long := max(width, height)
	at := func(side int) int {
		w, h := smaller(width, height, long, side)
		return patches(w, h, 28)
	}
	return at(sort.Search(min(long, side), func(i int) bool { return at(i+1) > most }))
}

// smaller returns the sides of an image of which one is made as long as given, if it is longer.
func smaller(width, height, side, to int) (w, h int) {
	if side <= to {
		return width, height
	}
	return max(1, (width*to+side/2)/side), max(1, (height*to+side/2)/side)
}

// patches returns how many squares of so many pixels a side cover an image.
func patches(width, height, side int) int {
	return ((width + side - 1) / side) * ((height + side - 1) / side)
}
