package tokens

// priorWeights is what is known of the tokenizers of closed families before anything was measured. Those of
// Claude were fitted to the sessions of one part of the repositories that docs/benchmarks.md names: weights
// for prose and code as tool results have them. Families that are not listed take what o200k_base does.
var priorWeights = map[Family]vector{
	Claude: {
		FeatureTokens: 1.05, FeatureLetters: 0.08, FeatureMarks: 0.28, FeatureDigits: 0.07, FeatureJoined: 0.22,
		FeatureCases: 0.97, FeatureBlocks: 6,
	},
	Claude3: {FeatureTokens: 0.95, FeatureMarks: 0.44, FeatureCases: 0.28, FeatureBlocks: 20},
	Gemini:  {FeatureTokens: 1.2},
}

// weightsOf returns the weights that a family starts with.
func weightsOf(f Family) vector {
	if w, ok := priorWeights[f]; ok {
		return w
	}
	return vector{FeatureTokens: 1}
}
