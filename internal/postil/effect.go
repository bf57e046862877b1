package postil

// EffectTally is what becomes of some comments.
type EffectTally struct {
	Published, Held, Stopped int
	Refused                  int // not even taken in
}

// EffectChange is a comment of which something else would become.
type EffectChange struct {
	Comment  CommentID
	From, To string // "published", "held", "stopped" or "refused"
}

// SettingEffect is what a change of a setting would mean for comments that came
// lately. Now is reckoned in the same way as Then, from the settings that count
// now, so that the difference is the setting's alone.
type SettingEffect struct {
	Looked    int
	Now, Then EffectTally
	Changes   []EffectChange
}

// Add counts one outcome.
func (t *EffectTally) Add(outcome string) {
	switch outcome {
	case "published":
		t.Published++
	case "held":
		t.Held++
	case "stopped":
		t.Stopped++
	case "refused":
		t.Refused++
	}
}
