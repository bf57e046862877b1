package markup

import "testing"

func TestTheSameWordsHaveTheSameFingerprint(t *testing.T) {
	t.Parallel()
	want := Fingerprint("Cheap watches, only today!")
	if len(want) != 24 {
		t.Fatalf("fingerprint %q", want)
	}
	for _, same := range []string{"cheap WATCHES, only  today!", "**Cheap** watches,\nonly today!", "Chea\u200bp wátches, only today!\n\n"} {
		if got := Fingerprint(same); got != want {
			t.Errorf("%q is taken for another text", same)
		}
	}
	for _, other := range []string{"Cheap watches, only tomorrow!", "Cheap watches only"} {
		if got := Fingerprint(other); got == want {
			t.Errorf("%q is taken for the same text", other)
		}
	}
	for _, short := range []string{"", "Thank you!", "+1", "  \u200b  "} {
		if got := Fingerprint(short); got != "" {
			t.Errorf("%q has the fingerprint %s", short, got)
		}
	}
}
