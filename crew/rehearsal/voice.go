package rehearsal

import (
	"slices"
	"strings"
)

// voice is how a tone sounds. The lines are patterns over the brief's words;
// each list is longer than what a first version shows, so that a change request
// can be given more.
type voice struct {
	headlines []string
	subheads  []string
	calls     []string
	opening   string
	closing   string
}

var voices = map[string]voice{
	"friendly": {
		headlines: lines(`Say hello to {topic}
			{Topic}, made with you in mind
			Good things start with {topic}
			Come on in: here is {topic}
			{Topic} feels right from day one
			You and {topic}? A lovely match
			A little help goes a long way: {topic}`),
		subheads: lines(`Made for {readers}, and for days that are full enough already.
			Easy to like, easy to share.
			We thought about the details, so you need not.
			Take a look around; there is no hurry.
			Questions are welcome here.`),
		calls:   lines("{Action} today\n{Action} — we would love that\nShow me more\nLet us talk\nTake a look"),
		opening: "We made {topic} because {readers} deserve something that simply helps. No fuss, no long words.",
		closing: "Have a look, tell us what you think, and {action} whenever you are ready.",
	},
	"professional": {
		headlines: lines(`{Topic}: clear, dependable, ready
			A considered approach to {topic}
			{Topic} that stands up to scrutiny
			What {readers} can expect from {topic}
			{Topic}, delivered with care
			A sound basis for {topic}
			{Topic} without surprises`),
		subheads: lines(`Designed for {readers} who need to rely on it.
			Clear scope, clear responsibility, clear results.
			Every detail has a reason.
			Documented from the first day.
			Built to be reviewed.`),
		calls:   lines("{Action}\nRequest the details\nArrange a conversation\nRead the summary\nSee how it works"),
		opening: "{Topic} gives {readers} a dependable basis for their next decision. It states what it does and does what it states.",
		closing: "To take the next step, {action}. We answer every question in writing.",
	},
	"playful": {
		headlines: lines(`Psst … {topic}!
			{Topic}: surprisingly good fun
			Plot twist: it is {topic}
			Warning: {topic} may cause smiling
			{Topic}, but make it fun
			Nobody panics with {topic}
			Ta-da! {Topic}`),
		subheads: lines(`For {readers} who smile at small things.
			Serious about the work, silly about the rest.
			Batteries not needed.
			Side effects include a better mood.
			Go on, press something.`),
		calls:   lines("{Action}, you know you want to\nOoh, show me\nCount me in\nSurprise me\nOne click, no regrets"),
		opening: "Once upon a Tuesday, somebody asked for {topic}. Here it is, with a wink for {readers}.",
		closing: "That is the whole trick. Now {action} and see what happens.",
	},
	"bold": {
		headlines: lines(`{Topic}. Nothing less.
			Stop waiting. Start {topic}.
			{Topic} changes the question
			Ask more of {topic}
			This is {topic}
			{Topic}, and no excuses
			First. {Topic}.`),
		subheads: lines(`For {readers} who do not settle.
			Less talk. More done.
			Made to be used, not admired.
			Raise the bar and keep it there.
			Decide once.`),
		calls:   lines("{Action} now\nSee it\nStart\nTake it\nProve us wrong"),
		opening: "{Topic} is for {readers} who have had enough of almost. It takes one position and keeps it.",
		closing: "You have read enough. {Action}.",
	},
	"plain": {
		headlines: lines(`{Topic}, explained simply
			What {topic} does for {readers}
			{Topic} at a glance
			Start here: {topic}
			Everything about {topic} in one place
			{Topic}: the short version
			Why {topic} matters now`),
		subheads: lines(`For {readers}.
			What it is, what it does, what to do next.
			No more than needed.
			Read it in a minute.
			The facts first.`),
		calls:   lines("{Action}\nSee how it works\nAsk a question\nRead more\nStart here"),
		opening: "This is about {topic}. It is for {readers} and says what they need to know first.",
		closing: "If this is what you were looking for, {action}.",
	},
}

// likeVoices maps other tones to the voice that is nearest.
var likeVoices = map[string]string{
	"warm": "friendly", "casual": "friendly", "calm": "friendly", "welcoming": "friendly",
	"formal": "professional", "serious": "professional", "technical": "professional", "elegant": "professional", "luxurious": "professional",
	"funny": "playful", "witty": "playful", "fun": "playful", "humorous": "playful",
	"confident": "bold", "strong": "bold", "daring": "bold", "provocative": "bold",
}

// voiceOf finds the voice for a tone in the user's words; exact is false when the
// tone is not one we have, so that the text can say so.
func voiceOf(tone string) (v voice, name string, exact bool) {
	for _, w := range newPhrase(tone) {
		k := key(w)
		if like, ok := likeVoices[k]; ok {
			k = like
		}
		if v, ok := voices[k]; ok {
			return v, k, true
		}
	}
	return voices["plain"], "plain", tone == ""
}

func lines(text string) []string {
	var out []string
	for l := range strings.Lines(text) {
		out = append(out, strings.TrimSpace(l))
	}
	return out
}

// fill puts the brief's words into a pattern.
func (b brief) fill(pattern string) string {
	action := b.emphasis
	if action == "" {
		action = "Learn more"
	}
	return strings.NewReplacer(
		"{topic}", b.topic(), "{Topic}", title(b.topic()), "{readers}", b.addressed(),
		"{action}", lowerAction(action), "{Action}", title(action),
	).Replace(pattern)
}

func lowerAction(s string) string {
	r := []rune(s)
	if len(r) > 1 && slices.Contains([]rune(strings.ToUpper(s)), r[1]) {
		return s // an abbreviation
	}
	return strings.ToLower(string(r[:1])) + string(r[1:])
}

func (b brief) filled(patterns []string) []string {
	var out []string
	for _, p := range patterns {
		out = append(out, b.fill(p))
	}
	return out
}
