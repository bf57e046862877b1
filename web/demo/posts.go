package demo

// Post is one article of the demo blog.
type Post struct {
	Slug   string // its address below /demo/posts/, and so the identity of its thread
	Title  string
	Date   string // as printed
	ISO    string // the same day, for machines: 2006-01-02
	Lead   string // one sentence, shown in the index and above the text
	Blocks []Block
}

// Block is a paragraph, or one of the other kinds that the posts use: exactly one field is set.
type Block struct {
	Text    string
	Heading string
	Quote   string
}

// Posts returns the articles, newest first.
func Posts() []Post { return append([]Post(nil), posts...) }

var posts = []Post{
	{
		Slug:  "margins",
		Title: "In praise of wide margins",
		Date:  "14 November 2026",
		ISO:   "2026-11-14",
		Lead:  "A page with room at its edge is an invitation. Somebody will write there, and the page will be better for it.",
		Blocks: []Block{
			{Text: "My grandmother bought her cookbooks second-hand, and not because of the price. She wanted the ones that somebody had already argued with. “Too much salt,” says a pencil beside the lentil soup. “No,” says another hand below it, in ink."},
			{Text: "That is a whole conversation in three words, held by two people who never met. It needs no profile picture and no count of likes. It needs a margin, and somebody who owns the book and does not rub it out."},
			{Heading: "A note belongs to a place"},
			{Text: "What makes a marginal note useful is where it stands. Move “too much salt” to the last page and it means nothing. The web is oddly bad at this: we read something here and discuss it over there, where half of the people have seen only the headline."},
			{Quote: "The best answer to a text is written so close to it that you can still see what it answers."},
			{Text: "So I would like to have my margins back. Under this text there is one. If you found a mistake, or know a better lentil soup, write it there. I read every note before it appears, with a pencil in my hand."},
		},
	},
	{
		Slug:  "small-notes",
		Title: "Small notes, kept",
		Date:  "2 November 2026",
		ISO:   "2026-11-02",
		Lead:  "Most of what readers tell a writer fits on a slip of paper. It is worth a drawer that does not lose slips.",
		Blocks: []Block{
			{Text: "For two years I kept a tin box on my desk. Every time a reader told me something, by mail, on a train, once on the back of a receipt, I copied it onto a slip and put it in. “The bridge in chapter four was wooden until 1911.” “You use the word ‘quite’ quite a lot.”"},
			{Text: "When I revised the book I emptied the box on the floor. About a third of the slips had made the text more correct, and another third had made it kinder. The rest were jokes, and I kept those as well."},
			{Heading: "What a drawer must be able to do"},
			{Text: "It must take a slip at any hour, even when I am asleep. It must not ask people to show their papers before they may drop one in. And once it has said “got it”, the slip must be there tomorrow: a drawer that sometimes eats paper is worse than none, because people stop trusting it after the first time."},
			{Text: "None of this is much to ask of a tin box. It turned out to be a good deal to ask of a computer, which is perhaps why so many pages have given up and removed the drawer altogether."},
		},
	},
	{
		Slug:  "slow-replies",
		Title: "The case for answering slowly",
		Date:  "19 October 2026",
		ISO:   "2026-10-19",
		Lead:  "Between reading and replying there used to be a walk to the post office. I miss the walk.",
		Blocks: []Block{
			{Text: "Letters had a built-in pause. You wrote in anger, you looked for a stamp, you found your shoes, and somewhere on the way to the corner the second paragraph began to look unnecessary. Many letters were improved by the absence of stamps."},
			{Text: "A comment that waits a little before it is public gets some of that back. Not as a punishment: as a desk on which it lies for a moment, where the one who wrote it can still correct a word, and the one whose house it is can say good morning."},
			{Heading: "Slow is not the same as silent"},
			{Text: "The pause only works when everybody can see it. If I drop a letter into a box I want to hear it land. “It is here; somebody will read it” is enough, and then I can wait for a day without checking."},
			{Quote: "A quick answer is polite. A considered one is a present."},
			{Text: "I will probably answer you tomorrow. If you need it sooner, say so; I have found my shoes already."},
		},
	},
}
