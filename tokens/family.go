package tokens

// family is a group of models that share a tokenizer.
type family uint8

const (
	unknown family = iota
	openAI
	openAIOld
	claude
	claudeOld
	gemini
)

// prior is what is known of a family's tokenizer before anything was measured.
type prior struct {
	encoding *Encoding
	exact    bool // encoding is the family's own
	share    int  // its tokens in percent of those of o200k_base
	upper    int  // the upper bound in percent of the estimate
}

// defaultUpper is the bound of an estimate that nothing has calibrated: 30 % above. Ratios to
// o200k_base spread that far over kinds of content.
const defaultUpper = 130

// priors holds the published ratios: Claude up to Opus 4.6, Claude from Opus 4.7 on, and
// Gemini by the public Gemma tokenizer on source text.
var priors = [...]prior{
	// The bound of an unknown model covers the dearest family's estimate.
	unknown:   {O200kBase, false, 100, 153},
	openAI:    {O200kBase, true, 100, 100},
	openAIOld: {CL100kBase, true, 100, defaultUpper}, // the bound is for Of: Chinese takes 27 % more
	claude:    {O200kBase, false, 153, defaultUpper},
	claudeOld: {O200kBase, false, 118, defaultUpper},
	gemini:    {O200kBase, false, 120, defaultUpper},
}
