package classifier

// Tuning are the constants of a model, all in one place. They were chosen on
// the streams of the README, weights left out of the stream measured.
type Tuning struct {
	Stop    float64 // calibrated logit from which a comment is stopped
	Publish float64 // calibrated logit up to which it is published
	Few     int     // decisions of each kind before the local part may stop anything
	Alone   float64 // what the shipped part must say where the local one may not stop

	Fade   float64 // decisions of both kinds after which half of what can fade has faded
	FadeTo float64 // what is left of the shipped part in the end

	Rate     float64         // of learning
	BiasRate float64         // of learning what the site's comments have in common, beside Rate
	Scale    [groups]float64 // weight of each group of features
	Bayes    [groups]float64 // weight of each group in the plain counts
	Smooth   float64         // how often everything counts as seen
	BayesMax float64         // the most that the counts may say
	Replay   int             // old decisions of each kind that are learned again with each new one
	Keep     int             // decisions of each kind that are kept for that

	PullOffset, PullSlope float64 // how many decisions it takes to move the calibration
	MaxOffset             float64
}

// DefaultTuning returns the constants that are shipped.
func DefaultTuning() Tuning {
	return Tuning{Stop: 2.82, Publish: -1.12, Few: 10, Alone: -0.2, Fade: 154, FadeTo: 0.5, Rate: 0.78, BiasRate: 0.97,
		Scale: [groups]float64{1.38, 0.7, 0.78, 0.53, 0.8}, Bayes: [groups]float64{0.41, 0, 0.3, 0.26, 0.29}, Smooth: 0.5, BayesMax: 2.16,
		Replay: 2, Keep: 1000, PullOffset: 2.65, PullSlope: 50, MaxOffset: 10}
}
