package tokens

// What a model reads besides text, in tokens of O200kBase.
//
// Providers charge for an image by its area, which the records of agents do not tell: about 1,230 for a
// megapixel by OpenAI's count, 1,090 by Google's, and at most 1,568 of Claude's larger tokens before Opus 4.7,
// which is 1,350 of these.
const (
	Image   = 1_200 // one image of the usual size
	Framing = 4     // role and separators of one message
)
