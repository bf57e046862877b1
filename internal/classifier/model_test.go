package classifier

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/postil/postil/internal/postil"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// said is a comment of a garden blog.
func said(id int64, name, text string) Sample {
	return Sample{ID: id, Page: "pruning-old-roses", Name: name, Author: "device of " + name, Text: text, At: noon.Add(time.Duration(id) * time.Hour)}
}

func stateOf(t testing.TB, m *Model) []byte {
	t.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// taught returns a model with n decisions of each kind.
func taught(n int) *Model {
	m := New(Options{})
	for i := range int64(n) {
		m.Learn(said(10*i+1, fmt.Sprint("Gardener ", i), honestText(int(i))), false)
		m.Learn(said(10*i+2, fmt.Sprint("promo", i), spamText(int(i))), true)
	}
	return m
}

func honestText(i int) string {
	return fmt.Sprintf("My %s rose did well after I cut it in %s; should I feed it before the frost comes?",
		[]string{"climbing", "white", "old", "shrub", "wild"}[i%5], []string{"March", "April", "autumn", "June"}[i%4])
}

func spamText(i int) string {
	return fmt.Sprintf("Great deals on %s wristbands, visit us today http://bands%d.example/cheap-%s-wristbands-for-sale",
		[]string{"silicone", "rubber", "festival"}[i%3], i, []string{"silicone", "rubber", "festival"}[i%3])
}

func TestAFreshModelStopsPlainSpamAndPublishesPlainComments(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	for text, want := range map[string]postil.Verdict{
		"I cut mine back to three eyes last spring, and the roses came back stronger. Did you feed them?": postil.VerdictApprove,
		"Buy cheap pills <a href=\"http://pills.xyz/buy-cheap-pills-online\">cheap pills</a> [url=http://pills.xyz/buy]cheap pills[/url] http://pills.xyz/ " +
			"http://more-cheap-pills-online.top/": postil.VerdictSpam,
	} {
		if got := m.Score(said(1, "Ann", text)); got.Verdict != want || want == postil.VerdictSpam && len(got.Reasons) == 0 {
			t.Errorf("%.40q: %s, %+v", text, got.Verdict, got)
		}
	}
}

func TestUNI_08_HonestCommentsOfEveryScriptAreNeverStopped(t *testing.T) {
	t.Parallel()
	fresh, english := New(Options{}), taught(30)
	for _, text := range []string{
		"Спасибо за статью! А как вы обрезаете розы осенью?", "谢谢分享，我家的玫瑰今年开得很好。请问冬天要怎么修剪？", "素敵な記事をありがとうございます。うちのバラも元気です。",
		"شكرا على المقال، متى أقلم الورد؟", "תודה על הכתבה, מתי כדאי לגזום?", "लेख के लिए धन्यवाद! गुलाब की छँटाई कब करें?", "ขอบคุณสำหรับบทความ กุหลาบที่บ้านออกดอกแล้ว",
		"좋은 글 감사합니다. 장미는 언제 가지를 치나요?", "Ευχαριστώ για το άρθρο! Πότε κλαδεύετε;", "Danke für den Artikel, ich schneide die Rosen immer im März.",
		"Dzięki za artykuł, nie wiem jednak, czy to jest dobre dla róż", "Güzel bir yazı, çok teşekkürler", "👍", "ok", "“…”", "class", "спаметь", // each holds a listed word of another language
	} {
		for name, m := range map[string]*Model{"fresh": fresh, "taught in English": english} {
			if got := m.Score(said(0, "Nadia", text)); got.Verdict == postil.VerdictSpam {
				t.Errorf("%s: %q is stopped: %+v", name, text, got)
			}
		}
	}
}

func TestTheNextCommentIsJudgedWithWhatWasJustDecided(t *testing.T) {
	t.Parallel()
	m := taught(15)
	again := said(900, "somebody else", "Great deals on festival wristbands, visit us today http://bands1.example/cheap-festival-wristbands-for-sale")
	if got := m.Score(again); got.Verdict != postil.VerdictSpam {
		t.Errorf("what was marked as spam thirty times: %+v", got)
	}
	for i := range 15 {
		if got := m.Score(said(901, fmt.Sprint("New gardener ", i), honestText(i+3))); got.Verdict == postil.VerdictSpam {
			t.Errorf("an honest comment like the approved ones: %+v", got)
		}
	}
}

func TestWordsAloneStopNothingBeforeTenDecisionsOfEachKind(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	const plain = "kinoko takenoko hanashi wa owari desu ne"
	for i := range int64(40) {
		m.Learn(Sample{ID: i + 1, Text: plain + fmt.Sprint(" ", i)}, true)
	}
	for i := range int64(9) {
		m.Learn(Sample{ID: 100 + i, Text: honestText(int(i))}, false)
	}
	got := m.Score(Sample{Text: "owari desu ne kinoko hanashi wa takenoko"})
	if got.Verdict == postil.VerdictSpam && got.Shipped < DefaultTuning().Alone {
		t.Errorf("stopped on words alone: %+v", got)
	}
}

func TestWordsAloneStopNothingInAScriptThatTheSiteHasNotApproved(t *testing.T) {
	t.Parallel()
	m := taught(20)
	for i := range int64(40) {
		m.Learn(Sample{ID: 5000 + i, Name: "Ivan", Text: "купите у нас браслеты оптом недорого и быстро " + fmt.Sprint(i)}, true)
	}
	s := Sample{Name: "Olga", Text: "браслеты оптом быстро и недорого, купите"}
	if got := m.Score(s); got.Verdict == postil.VerdictSpam && got.Shipped < DefaultTuning().Alone || got.Local < 1 {
		t.Errorf("a script with spam only: %+v", got)
	}
	for i := range int64(5) {
		m.Learn(Sample{ID: 6000 + i, Name: "Vera", Text: "спасибо, розы цветут, а когда их подрезать в этом году?" + fmt.Sprint(i)}, false)
	}
	if got := m.Score(s); got.Verdict == postil.VerdictApprove {
		t.Errorf("a script with both: %+v", got)
	}
}

func TestWhoeverWasApprovedIsNeverStopped(t *testing.T) {
	t.Parallel()
	m := taught(20)
	s := said(7000, "Gardener 3", spamText(4))
	if got := m.Score(s); got.Verdict == postil.VerdictSpam {
		t.Errorf("a known author: %+v", got)
	}
	s.Author = "another device"
	if got := m.Score(s); got.Verdict != postil.VerdictSpam {
		t.Errorf("the same name elsewhere: %+v", got)
	}
}

func TestAFloodDoesNotWashHonestCommentsAway(t *testing.T) {
	t.Parallel()
	m := taught(12)
	for i := range int64(600) {
		m.Learn(said(20_000+i, fmt.Sprint("seller", i), spamText(int(i))), true)
	}
	for i := range 12 {
		if got := m.Score(said(0, fmt.Sprint("Visitor ", i), honestText(i+1))); got.Verdict == postil.VerdictSpam {
			t.Errorf("after a flood: %+v", got)
		}
	}
}

func TestCharactersAreWordsWhereThereAreNoSpaces(t *testing.T) {
	t.Parallel()
	m := New(Options{})
	for i := range int64(12) {
		m.Learn(Sample{ID: 1 + i, Text: fmt.Sprintf("今天的玫瑰开得很好%d谢谢分享", i)}, false)
		m.Learn(Sample{ID: 100 + i, Text: fmt.Sprintf("加微信%d领取免费红包点击链接", i)}, true)
	}
	spam, honest := m.Score(Sample{Text: "点击领取红包免费加我微信"}), m.Score(Sample{Text: "谢谢你的分享今天玫瑰很好"})
	if spam.Local < honest.Local+1.5 {
		t.Errorf("spam %.2f, honest %.2f", spam.Local, honest.Local)
	}
}

// decisions draws what people decided about a handful of comments.
func decisions(t *rapid.T) []Sample {
	n := rapid.IntRange(1, 12).Draw(t, "comments")
	var all []Sample
	for i := range n {
		text := honestText(i)
		if rapid.Bool().Draw(t, "spam") {
			text = spamText(i)
		}
		all = append(all, said(int64(i+1), rapid.SampledFrom([]string{"Ann", "Bob", "Дмитрий"}).Draw(t, "name"), text))
	}
	return all
}

func TestTheSameDecisionsMakeTheSameModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := decisions(t)
		labels := rapid.SliceOfN(rapid.Bool(), len(all), len(all)).Draw(t, "labels")
		a, b := New(Options{}), New(Options{})
		for i, s := range all {
			a.Learn(s, labels[i])
			b.Learn(s, labels[i])
			b.Learn(s, labels[i]) // told twice
			b.Score(s)
		}
		x, _ := a.MarshalBinary()
		y, _ := b.MarshalBinary()
		if !bytes.Equal(x, y) {
			t.Fatal("two models differ after the same decisions")
		}
	})
}

func TestUnlearningLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := decisions(t)
		m := New(Options{})
		for i, s := range all {
			m.Learn(s, i%2 == 0)
		}
		before, _ := m.MarshalBinary()
		extra := said(500, "Eve", spamText(77))
		m.Learn(extra, rapid.Bool().Draw(t, "spam"))
		m.Unlearn(extra.ID)
		m.Unlearn(extra.ID) // taken back twice
		after, _ := m.MarshalBinary()
		if !bytes.Equal(before, after) {
			t.Fatal("something is left of a decision that was taken back")
		}
	})
}

func TestADecisionThatIsChangedCountsOnce(t *testing.T) {
	t.Parallel()
	m := taught(3)
	m.Learn(said(1, "Gardener 0", honestText(0)), true)
	if honest, spam := m.Decisions(); honest != 2 || spam != 4 {
		t.Errorf("%d honest and %d spam after a change of mind", honest, spam)
	}
}

func TestAModelComesBackAsItWas(t *testing.T) {
	t.Parallel()
	m := taught(40)
	b := stateOf(t, m)
	back := New(Options{})
	if err := back.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(b, stateOf(t, back)) {
		t.Error("the bytes of a model that was read differ")
	}
	m.Unlearn(12)
	back.Unlearn(12)
	m.Learn(said(5000, "Zoe", honestText(9)), false)
	back.Learn(said(5000, "Zoe", honestText(9)), false)
	s := said(0, "Max", spamText(3))
	if x, y := m.Score(s), back.Score(s); x.Logit != y.Logit {
		t.Errorf("%v and, after it was read, %v", x.Logit, y.Logit)
	}
}

func FuzzDamagedModelsAreRefused(f *testing.F) {
	b, _ := taught(2).MarshalBinary()
	f.Add(b)
	f.Add(b[:len(b)/2])
	f.Add([]byte{})
	f.Add([]byte{format})
	f.Fuzz(func(t *testing.T, b []byte) {
		m := New(Options{})
		if m.UnmarshalBinary(b) == nil {
			m.Score(said(1, "Ann", honestText(1)))
			m.Learn(said(1, "Ann", honestText(1)), false)
			m.Unlearn(1)
		} else if honest, spam := m.Decisions(); honest+spam > 0 {
			t.Error("a refused model has changed something")
		}
	})
}

// large returns a text of many words that no other has.
func large(i int) string {
	var b strings.Builder
	for k := range 150 {
		fmt.Fprintf(&b, "word%dx%d http://h%d-%d.example/ ", i, k, i, k)
	}
	return b.String()
}

func TestAModelStaysSmallAndLoadsFast(t *testing.T) {
	before := heap()
	m := New(Options{})
	for i := range 3000 {
		s := Sample{ID: int64(i + 1), Page: fmt.Sprint("page", i), Name: fmt.Sprint("name", i), Author: fmt.Sprint("a", i), Network: fmt.Sprint("n", i), Text: large(i), At: noon}.Prepared()
		m.Seen(s)
		m.Learn(s, i%2 == 0)
	}
	if grown := heap() - before; grown > 16<<20 {
		t.Errorf("a full model takes %.1f MiB", float64(grown)/(1<<20))
	}
	b := stateOf(t, m)
	best := time.Hour
	for range 10 {
		began := time.Now()
		if err := New(Options{}).UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(began))
	}
	if best > 50*time.Millisecond*slower {
		t.Errorf("a full model of %d bytes loads in %s", len(b), best)
	}
	runtime.KeepAlive(m)
}

func heap() int64 {
	var s runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}

func BenchmarkScore(b *testing.B) {
	m := taught(300)
	s := said(1, "Ann Example", strings.Repeat("I planted these roses last year, and they did well. See https://garden.example/roses for more. ", 6))
	for b.Loop() {
		m.Score(s)
	}
}
