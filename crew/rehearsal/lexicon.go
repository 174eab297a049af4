package rehearsal

import (
	"strings"

	"github.com/bullpen-office/bullpen/contracts"
)

// The words that tell what is asked for. A deliverable's last noun decides
// ("landing page plan" is a plan), a strong verb decides over its nouns
// ("review the copy" is a review), a weak verb decides only when no noun does.
var (
	nounKinds = lexicon(map[contracts.TaskKind]string{
		contracts.KindResearch: `research analysis comparison competitor competition market survey study report
			benchmark audience trend insight interview overview evaluation finding persona statistic alternative vendor`,
		contracts.KindPlan: `plan roadmap strategy schedule timeline agenda milestone budget outline itinerary
			checklist campaign workshop event process proposal curriculum onboarding launch party trip conference sprint`,
		contracts.KindCopy: `copy blog post article email newsletter announcement headline slogan tagline text story
			letter description caption speech docs documentation readme guide tutorial faq tweet ad cta bio essay poem
			content manual message invitation translation summary recipe subject changelog`,
		contracts.KindDesign: `design logo wireframe brief layout mockup moodboard poster flyer banner illustration icon
			palette branding brand ui ux prototype sketch typography slide deck presentation infographic theme interface`,
		contracts.KindCode: `api script website site app application bug test code function service endpoint backend
			frontend server cli tool bot database schema library package sdk parser crawler scraper integration pipeline
			dashboard component feature page homepage game plugin extension query migration deployment form webhook login
			algorithm program module crash memory leak`,
		contracts.KindReview: `review proofreading feedback audit qa critique inspection`,
	})
	strongVerbs = lexicon(map[contracts.TaskKind]string{
		contracts.KindResearch: `research analyse analyze investigate compare benchmark evaluate explore study find survey collect`,
		contracts.KindPlan:     `plan schedule organise organize launch`,
		contracts.KindCode:     `fix debug refactor implement code program deploy automate migrate optimise optimize`,
		contracts.KindReview:   `review proofread audit check critique verify`,
	})
	weakVerbs = lexicon(map[contracts.TaskKind]string{
		contracts.KindCopy:   `write draft compose edit translate rewrite summarise summarize document announce name`,
		contracts.KindDesign: `design draw sketch illustrate style`,
		contracts.KindCode:   `build develop test`,
		contracts.KindPlan:   `prepare define`,
	})

	// genericVerbs say only that something is wanted.
	genericVerbs = words(`create make need want give get produce do provide deliver generate have require add`)
	// compoundVerbs are nouns as often as verbs: "research plan" is a plan.
	compoundVerbs = words(`research plan test study survey benchmark check launch`)

	politeWords = words(`please kindly hi hello hey can could would will you we i i'd we'd us me like to let's lets need want help with also just
		then next finally first second third our team should must`)
	prepositions = words(`for about of to with that which in on from using by so because targeting at as into via within under where who`)
	determiners  = words(`a an the our my your their this that these those some any its his her`)
	numbers      = words(`one two three four five six seven eight nine ten several few many`)

	peopleWords = words(`developer parent student teacher customer user founder team kid child beginner engineer manager
		business company shopper patient designer marketer investor consumer freelancer senior teenager tourist traveller
		traveler reader visitor employee volunteer donor gamer owner people startup nurse doctor family`)

	// foreignWords are small words that no English request has two of.
	foreignWords = words(`und eine einen ein für der die das mit ich wir je un une le la les des pour avec nous el los una para con
		het een voor van wij il di per che och för att um uma com é`)

	// modifiers describe a deliverable but are not what it is about.
	modifiers = words(`new short brief long detailed simple small good great quick nice better clear modern`)

	toneWords   = words(`friendly formal playful professional casual warm bold serious technical elegant funny confident calm plain luxurious witty`)
	lengthWords = map[string]string{
		"short": "short", "brief": "short", "concise": "short", "long": "long", "detailed": "long", "in-depth": "long", "thorough": "long",
	}
	languageWords = map[string]string{
		"go": "Go", "golang": "Go", "typescript": "TypeScript", "ts": "TypeScript", "javascript": "TypeScript", "js": "TypeScript",
		"node": "TypeScript", "react": "TypeScript", "vue": "TypeScript", "python": "Python", "django": "Python", "flask": "Python", "fastapi": "Python",
	}
	formWords = map[string]string{
		"api": formService, "service": formService, "endpoint": formService, "backend": formService, "server": formService, "webhook": formService,
		"website": formService, "site": formService, "page": formService, "homepage": formService, "dashboard": formService, "app": formService,
		"script": formTool, "cli": formTool, "command": formTool, "tool": formTool, "crawler": formTool, "scraper": formTool, "bot": formTool,
		"library": formLibrary, "package": formLibrary, "sdk": formLibrary, "module": formLibrary, "parser": formLibrary, "function": formLibrary,
	}
)

// The forms that a piece of code can take.
const (
	formTool    = "Command line tool"
	formService = "HTTP service"
	formLibrary = "Library"
)

func lexicon(lists map[contracts.TaskKind]string) map[string]contracts.TaskKind {
	out := map[string]contracts.TaskKind{}
	for kind, list := range lists {
		for _, w := range strings.Fields(list) {
			out[w] = kind
		}
	}
	return out
}

func words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// singular finds a word's entry in a lexicon also when it is a plural.
func singular[T any](table map[string]T, word string) (T, bool) {
	if v, ok := table[word]; ok {
		return v, ok
	}
	if stem, ok := strings.CutSuffix(word, "ies"); ok {
		if v, ok := table[stem+"y"]; ok {
			return v, ok
		}
	}
	if stem, ok := strings.CutSuffix(word, "es"); ok {
		if v, ok := table[stem]; ok {
			return v, ok
		}
	}
	v, ok := table[strings.TrimSuffix(word, "s")]
	return v, ok
}
