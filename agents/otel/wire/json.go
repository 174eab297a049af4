package wire

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/bullpen-office/bullpen/contracts"
)

type jsonSpan struct {
	Trace      string        `json:"traceId"`
	ID         string        `json:"spanId"`
	Parent     string        `json:"parentSpanId"`
	Name       string        `json:"name"`
	Start      number        `json:"startTimeUnixNano"`
	End        number        `json:"endTimeUnixNano"`
	Attributes attributeList `json:"attributes"`
	Status     struct {
		Code    jsontext.Value `json:"code"` // a number, or the name of the enumeration value
		Message string         `json:"message"`
	} `json:"status"`
}

type jsonAttribute struct {
	Key   string         `json:"key"`
	Value jsontext.Value `json:"value"` // decoded only if it is read
}

// number is a 64-bit number, which OTLP encodes as a string or as a number.
type number uint64

func (n *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseUint(strings.Trim(string(b), `"`), 10, 64)
	*n = number(v)
	return err
}

// lenient holds the options for JSON from other programs: duplicate names are accepted, and invalid
// UTF-8 is replaced.
var lenient = json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))

// DecodeJSON decodes an ExportTraceServiceRequest in OTLP's JSON encoding.
func DecodeJSON(body []byte) (Batch, error) {
	var b Batch
	d := decoder{jsontext.NewDecoder(bytes.NewReader(body), lenient)}
	err := d.list("resourceSpans", func() error {
		service, first := "", len(b.Spans)
		err := d.object(map[string]func() error{
			"resource": func() error {
				var r struct {
					Attributes attributeList `json:"attributes"`
				}
				err := json.UnmarshalDecode(d.Decoder, &r)
				attributes, _ := r.Attributes.read()
				service = attributes.Text(keyService)
				return err
			},
			"scopeSpans": func() error { return d.items(func() error { return d.scope(&b) }) },
		})
		for i := first; i < len(b.Spans); i++ {
			b.Spans[i].Service = service // the resource can come after the spans
		}
		return err
	})
	return b, malformed(err)
}

// scope reads the spans of one instrumentation scope.
func (d decoder) scope(b *Batch) error {
	name, first := "", len(b.Spans)
	err := d.object(map[string]func() error{
		"scope": func() error {
			var scope struct {
				Name string `json:"name"`
			}
			err := json.UnmarshalDecode(d.Decoder, &scope)
			name = scope.Name
			return err
		},
		"spans": func() error {
			return d.items(func() error {
				if b.full() {
					b.add(Span{}, "")
					return d.SkipValue()
				}
				var j jsonSpan
				if err := json.UnmarshalDecode(d.Decoder, &j); err != nil {
					return err
				}
				b.add(j.span())
				return nil
			})
		},
	})
	for i := first; i < len(b.Spans); i++ {
		b.Spans[i].Scope = name
	}
	return err
}

// CountJSON returns the number of records in an ExportLogsServiceRequest, or of metrics in an
// ExportMetricsServiceRequest.
func CountJSON(body []byte) (n int, err error) {
	d := decoder{jsontext.NewDecoder(bytes.NewReader(body), lenient)}
	count := func(member string) func() error {
		return func() error {
			return d.list(member, func() error { n++; return d.SkipValue() })
		}
	}
	err = d.object(map[string]func() error{
		"resourceLogs":    func() error { return d.items(func() error { return d.list("scopeLogs", count("logRecords")) }) },
		"resourceMetrics": func() error { return d.items(func() error { return d.list("scopeMetrics", count("metrics")) }) },
	})
	return n, malformed(err)
}

func malformed(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errMalformed, err)
}

// decoder reads JSON member by member, so that memory use does not grow with the number of
// elements.
type decoder struct{ *jsontext.Decoder }

// object reads an object. Each function in members reads the member of that name; all other members
// are skipped.
func (d decoder) object(members map[string]func() error) error {
	if err := d.begin('{'); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		read := members[name.String()]
		if read == nil {
			read = d.SkipValue
		}
		if err := read(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// list reads an object and uses only one of its members, which must be a list.
func (d decoder) list(member string, item func() error) error {
	return d.object(map[string]func() error{member: func() error { return d.items(item) }})
}

// items reads a list; null counts as an empty list.
func (d decoder) items(item func() error) error {
	if d.PeekKind() == 'n' {
		return d.SkipValue()
	}
	if err := d.begin('['); err != nil {
		return err
	}
	for d.PeekKind() != ']' {
		if err := item(); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

func (d decoder) begin(kind jsontext.Kind) error {
	token, err := d.ReadToken()
	if err == nil && token.Kind() != kind {
		err = fmt.Errorf("found %s instead of %s", token.Kind(), kind)
	}
	return err
}

func (j *jsonSpan) span() (s Span, problem string) {
	s = Span{
		Trace: strings.ToLower(j.Trace), ID: strings.ToLower(j.ID), Parent: strings.ToLower(j.Parent),
		Name: clip([]byte(j.Name)), Start: millis(uint64(j.Start)), End: millis(uint64(j.End)),
		Message: clip([]byte(j.Status.Message)),
	}
	code := strings.Trim(string(j.Status.Code), `"`)
	s.Failed = code == strconv.Itoa(statusError) || code == "STATUS_CODE_ERROR"
	s.Attributes, problem = j.Attributes.read()
	return s, problem
}

// attributeList contains the first contracts.LimitOTelAttributes attributes of a list.
type attributeList struct {
	kept []jsonAttribute
	more bool
}

// UnmarshalJSONFrom reads a list of attributes.
func (l *attributeList) UnmarshalJSONFrom(from *jsontext.Decoder) error {
	d := decoder{from}
	return d.items(func() error {
		if l.more = len(l.kept) >= contracts.LimitOTelAttributes; l.more {
			return d.SkipValue()
		}
		var a jsonAttribute
		err := json.UnmarshalDecode(d.Decoder, &a)
		l.kept = append(l.kept, a)
		return err
	})
}

// read returns the attributes that the office uses. problem is set if there are too many
// attributes.
func (l *attributeList) read() (attributes Attributes, problem string) {
	if l.more {
		problem = tooManyAttributes
	}
	for _, a := range l.kept {
		if wanted(a.Key) && len(a.Value) <= contracts.LimitOTelText {
			attributes.set(a.Key, (&values{}).decode(a.Value, 0))
		}
	}
	return attributes, problem
}

// decode returns an AnyValue, or nil if the value is empty, is not an AnyValue, or exceeds the
// limit on values or depth.
func (vs *values) decode(raw jsontext.Value, depth int) any {
	if vs.count++; vs.count > contracts.LimitOTelValues || depth > contracts.LimitOTelDepth {
		return nil
	}
	var v struct {
		Text   *string        `json:"stringValue"`
		Bool   *bool          `json:"boolValue"`
		Int    jsontext.Value `json:"intValue"`
		Double *float64       `json:"doubleValue"`
		List   *struct {
			Values []jsontext.Value `json:"values"`
		} `json:"arrayValue"`
		Object *struct {
			Values []jsonAttribute `json:"values"`
		} `json:"kvlistValue"`
	}
	if json.Unmarshal(raw, &v, lenient) != nil {
		return nil
	}
	switch {
	case v.Text != nil:
		return *v.Text
	case v.Bool != nil:
		return *v.Bool
	case v.Int != nil:
		if n, err := strconv.ParseInt(strings.Trim(string(v.Int), `"`), 10, 64); err == nil {
			return n
		}
	case v.Double != nil:
		return *v.Double
	case v.List != nil:
		list := []any{}
		for _, item := range v.List.Values {
			list = append(list, vs.decode(item, depth+1))
		}
		return list
	case v.Object != nil:
		object := map[string]any{}
		for _, pair := range v.Object.Values {
			object[pair.Key] = vs.decode(pair.Value, depth+1)
		}
		return object
	}
	return nil
}
