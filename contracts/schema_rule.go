package contracts

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// rule is one of our schemas or a part of one. It supports only the JSON Schema keywords that our
// schemas use; a schema with any other keyword fails to load, so that nothing declared goes
// unchecked. We do not use a general validator because it would take longer to start than the rest
// of the program.
type rule struct {
	Ref  string           `json:"$ref"`
	Defs map[string]*rule `json:"$defs"`

	Type  types `json:"type"`
	Const any   `json:"const"` // the only allowed value; nil allows any
	Enum  []any `json:"enum"`

	Properties    map[string]*rule `json:"properties"`
	Required      []string         `json:"required"`
	Additional    *rule            `json:"additionalProperties"`
	MaxProperties *int             `json:"maxProperties"`

	Items    *rule `json:"items"`
	MinItems int   `json:"minItems"`
	MaxItems *int  `json:"maxItems"`

	MinLength int    `json:"minLength"`
	MaxLength *int   `json:"maxLength"`
	Pattern   string `json:"pattern"`

	Minimum *float64 `json:"minimum"`
	Maximum *float64 `json:"maximum"`
	Above   *float64 `json:"exclusiveMinimum"`

	AllOf []*rule `json:"allOf"`
	AnyOf []*rule `json:"anyOf"`
	OneOf []*rule `json:"oneOf"`
	Not   *rule   `json:"not"`

	// These members are documentation and are not checked.
	Schema      string         `json:"$schema"`
	ID          string         `json:"$id"`
	Title       string         `json:"title"`
	Description string         `json:"description"`
	Examples    jsontext.Value `json:"examples"`

	target *rule // the schema that Ref refers to
	form   *regexp.Regexp
	prefix Prefix // prefix of the ids that match Pattern; empty if Pattern does not describe ids
}

// UnmarshalJSONFrom decodes a schema; the schema `true` accepts everything.
func (r *rule) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == jsontext.KindTrue {
		return d.SkipValue()
	}
	type members rule
	return json.UnmarshalDecode(d, (*members)(r))
}

// types are the allowed types of a value; empty allows any.
type types []string

func (t *types) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == jsontext.KindString {
		*t = types{""}
		return json.UnmarshalDecode(d, &(*t)[0])
	}
	return json.UnmarshalDecode(d, (*[]string)(t))
}

// ruleBook maps file names to schemas.
type ruleBook map[string]*rule

// add parses a schema and stores it under its file name.
func (b ruleBook) add(file string, raw []byte) error {
	r := &rule{}
	if err := json.Unmarshal(raw, r, json.RejectUnknownMembers(true)); err != nil {
		return fmt.Errorf("read schema %s: %w", file, err)
	}
	b[file] = r
	return nil
}

// link resolves all references. It returns an error if a target is missing.
func (b ruleBook) link() error {
	for file, r := range b {
		if err := b.linkRule(file, r); err != nil {
			return fmt.Errorf("schema %s: %w", file, err)
		}
	}
	return nil
}

func (b ruleBook) linkRule(file string, r *rule) (err error) {
	if r == nil {
		return nil
	}
	if r.Ref != "" {
		if r.target = b.find(file, r.Ref); r.target == nil {
			return fmt.Errorf("%s: unresolved reference", r.Ref)
		}
	}
	if r.Pattern != "" {
		if r.form, err = regexp.Compile(r.Pattern); err != nil {
			return err
		}
		prefix, _, _ := strings.Cut(strings.TrimPrefix(r.Pattern, "^"), "_")
		if idNouns[Prefix(prefix)] != "" {
			r.prefix = Prefix(prefix)
		} else if patternWords[r.Pattern] == "" {
			return fmt.Errorf("patternWords does not describe %s", r.Pattern)
		}
	}
	for _, value := range append(r.Enum, r.Const) {
		if t := typeOf(value); t == "object" || t == "array" {
			return fmt.Errorf("only scalar values can be compared, not %v", value)
		}
	}
	parts := slices.Concat(r.AllOf, r.AnyOf, r.OneOf, []*rule{r.Additional, r.Items, r.Not})
	for _, named := range []map[string]*rule{r.Defs, r.Properties} {
		for _, part := range named {
			parts = append(parts, part)
		}
	}
	for _, part := range parts {
		if err := b.linkRule(file, part); err != nil {
			return err
		}
	}
	return nil
}

// find returns the schema that ref in file refers to: another file, a definition in another file,
// or a definition in the same file. It returns nil if the schema does not exist.
func (b ruleBook) find(file, ref string) *rule {
	name, def, inside := strings.Cut(ref, "#/$defs/")
	name = cmp.Or(name, file)
	r := b[name]
	if r == nil || !inside {
		return r
	}
	return r.Defs[def]
}

// complaint is one error in a value.
type complaint struct {
	field string // field within the value; empty for the value itself
	text  string // the rest of a sentence that starts with the field
}

type complaints []complaint

func (c *complaints) add(format string, args ...any) {
	*c = append(*c, complaint{text: fmt.Sprintf(format, args...)})
}

// prefixFields prepends member to the field of each complaint from index n on.
func (c complaints) prefixFields(n int, member string) {
	for i := n; i < len(c); i++ {
		c[i].field = joinField(member, c[i].field)
	}
}

// joinField joins a member's name and a field in that member; field may be empty.
func joinField(member, field string) string {
	if field == "" {
		return clip(member)
	}
	return join(clip(member), field)
}

// check appends the errors in v to found. It does not allocate if v is valid.
func (r *rule) check(v any, found *complaints) {
	if r.target != nil {
		r.target.check(v, found)
	}
	if len(r.Type) > 0 && !slices.ContainsFunc(r.Type, func(want string) bool { return isType(v, want) }) {
		found.add("must be of type %s, not %s", strings.Join(r.Type, " or "), typeOf(v))
	}
	if r.Const != nil && v != r.Const {
		found.add("must be %v", r.Const)
	}
	if r.Enum != nil && !slices.ContainsFunc(r.Enum, func(one any) bool { return v == one }) {
		found.add("must be one of %s", words(r.Enum))
	}
	switch v := v.(type) {
	case map[string]any:
		r.checkObject(v, found)
	case []any:
		r.checkList(v, found)
	case string:
		r.checkText(v, found)
	case float64:
		r.checkNumber(v, found)
	}
	r.checkParts(v, found)
}

func (r *rule) checkObject(v map[string]any, found *complaints) {
	if r.MaxProperties != nil && len(v) > *r.MaxProperties {
		found.add("has %d members (limit %d)", len(v), *r.MaxProperties)
	}
	for _, name := range r.Required {
		if _, ok := v[name]; !ok {
			*found = append(*found, complaint{name, "is required"})
		}
	}
	if r.Properties == nil && r.Additional == nil {
		return
	}
	for name, member := range v {
		part, ok := r.Properties[name]
		if !ok {
			part = r.Additional
		}
		if part != nil {
			n := len(*found)
			part.check(member, found)
			found.prefixFields(n, name)
		}
	}
}

func (r *rule) checkList(v []any, found *complaints) {
	if len(v) < r.MinItems {
		found.add("must have at least %d items", r.MinItems)
	}
	if r.MaxItems != nil && len(v) > *r.MaxItems {
		found.add("has %d items (limit %d)", len(v), *r.MaxItems)
	}
	if r.Items == nil {
		return
	}
	for i, item := range v {
		n := len(*found)
		if r.Items.check(item, found); n < len(*found) {
			found.prefixFields(n, strconv.Itoa(i))
		}
	}
}

func (r *rule) checkText(v string, found *complaints) {
	n := utf8.RuneCountInString(v)
	switch {
	case n >= r.MinLength:
	case r.MinLength == 1:
		found.add("must not be empty")
	default:
		found.add("must have at least %d characters", r.MinLength)
	}
	if r.MaxLength != nil && n > *r.MaxLength {
		found.add("has %d characters (limit %d)", n, *r.MaxLength)
	}
	if r.form != nil && !r.form.MatchString(v) {
		found.add("%s", r.mismatch(v))
	}
}

// patternWords describe the patterns of texts that are not ids. A schema with any other pattern
// fails to load, because people see these words in refusals.
var patternWords = map[string]string{
	`^[^\x00-\x1f\x7f-\x9f]+$`:        "must not contain control characters",
	`^[a-z][a-z0-9_]*$`:               "must start with a lower-case letter and contain only lower-case letters, digits and underscores",
	`^[A-Za-z0-9._-]+$`:               "may contain only letters, digits, dots, hyphens and underscores",
	`^[A-Za-z0-9][A-Za-z0-9._-]*$`:    "must start with a letter or digit and contain only letters, digits, dots, hyphens and underscores",
	`^#[0-9a-f]{6}$`:                  "must be a colour such as #c75f3a",
	`^[0-9a-f]{64}$`:                  "must have 64 lower-case hexadecimal digits",
	`^(?:[0-9a-f]{40}|[0-9a-f]{64})$`: "must have 40 or 64 lower-case hexadecimal digits",
}

// mismatch returns the complaint about a text that does not match r.Pattern.
func (r *rule) mismatch(v string) string {
	if r.prefix == "" {
		return patternWords[r.Pattern]
	}
	noun := idNouns[r.prefix]
	return cmp.Or(OtherKind(v, noun), fmt.Sprintf("%q is not %s id such as %s_1", clip(v), withArticle(noun), r.prefix))
}

func (r *rule) checkNumber(v float64, found *complaints) {
	if r.Minimum != nil && v < *r.Minimum {
		found.add("must be at least %s", number(*r.Minimum))
	}
	if r.Maximum != nil && v > *r.Maximum {
		found.add("must be at most %s", number(*r.Maximum))
	}
	if r.Above != nil && v <= *r.Above {
		found.add("must be more than %s", number(*r.Above))
	}
}

// checkParts validates v against the schemas that r combines.
func (r *rule) checkParts(v any, found *complaints) {
	for _, part := range r.AllOf {
		part.check(v, found)
	}
	if r.AnyOf != nil && r.countMatches(r.AnyOf, v) == 0 {
		found.add("%s", alternatives("at least one", r.AnyOf))
	}
	if r.OneOf != nil && r.countMatches(r.OneOf, v) != 1 {
		found.add("%s", alternatives("exactly one", r.OneOf))
	}
	if r.Not != nil && r.countMatches([]*rule{r.Not}, v) > 0 {
		found.add("is reserved")
	}
}

// countMatches counts the schemas that accept v.
func (r *rule) countMatches(parts []*rule, v any) (n int) {
	for _, part := range parts {
		var wrong complaints
		if part.check(v, &wrong); wrong == nil {
			n++
		}
	}
	return n
}

// alternatives returns the complaint about a value that does not fit the parts of an anyOf or
// oneOf. It names the members that the parts require.
func alternatives(count string, parts []*rule) string {
	var names []string
	for _, part := range parts {
		names = append(names, part.Required...)
	}
	if names == nil {
		return "must match " + count + " of the allowed forms"
	}
	slices.Sort(names)
	return "needs " + count + " of " + strings.Join(slices.Compact(names), " and ")
}

func isType(v any, want string) bool {
	if n, ok := v.(float64); ok && want == "integer" {
		return n == float64(int64(n)) || n >= 1<<53 || n <= -1<<53
	}
	return typeOf(v) == want
}

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}
