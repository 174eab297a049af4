package wire

import (
	"encoding/hex"
	"errors"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bullpen-office/bullpen/contracts"
)

// errMalformed means that a body is not the expected message.
var errMalformed = errors.New("the body is not a valid OTLP message")

type field struct {
	number protowire.Number
	bytes  []byte // content of a length-delimited field; otherwise nil
	value  uint64 // value of a field that is not length-delimited
}

// fields calls fn for each field of a message. A message that contains groups, which OTLP does not
// use, counts as malformed.
func fields(message []byte, fn func(field) error) error {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errMalformed
		}
		message = message[n:]
		f := field{number: number}
		switch kind {
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(message)
		case protowire.VarintType:
			f.value, n = protowire.ConsumeVarint(message)
		case protowire.Fixed64Type:
			f.value, n = protowire.ConsumeFixed64(message)
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(message)
			f.value = uint64(v)
		default:
			return errMalformed
		}
		if n < 0 {
			return errMalformed
		}
		message = message[n:]
		if err := fn(f); err != nil {
			return err
		}
	}
	return nil
}

// each calls fn for each length-delimited field with the given number.
func each(message []byte, number protowire.Number, fn func([]byte) error) error {
	return fields(message, func(f field) error {
		if f.number != number || f.bytes == nil {
			return nil
		}
		return fn(f.bytes)
	})
}

// DecodeProtobuf decodes an ExportTraceServiceRequest.
func DecodeProtobuf(body []byte) (Batch, error) {
	var b Batch
	err := each(body, 1, func(resourceSpans []byte) error {
		var resource Attributes
		if err := each(resourceSpans, 1, func(r []byte) error { return resource.read(r) }); err != nil {
			return err
		}
		return each(resourceSpans, 2, func(scopeSpans []byte) error {
			scope := ""
			err := each(scopeSpans, 1, func(s []byte) error {
				return each(s, 1, func(name []byte) error { scope = string(name); return nil })
			})
			if err != nil {
				return err
			}
			return each(scopeSpans, 2, func(span []byte) error {
				if b.full() {
					b.add(Span{}, "")
					return nil
				}
				s := Span{Service: resource.Text(keyService), Scope: scope}
				problem, err := s.read(span)
				b.add(s, problem)
				return err
			})
		})
	})
	return b, err
}

// CountProtobuf returns the number of records in an ExportLogsServiceRequest, or of metrics in an
// ExportMetricsServiceRequest.
func CountProtobuf(body []byte) (n int, err error) {
	err = each(body, 1, func(resource []byte) error {
		return each(resource, 2, func(scope []byte) error {
			return each(scope, 2, func([]byte) error { n++; return nil })
		})
	})
	return n, err
}

// read reads the fields of a span. If the span is rejected, problem says why.
func (s *Span) read(message []byte) (problem string, err error) {
	count := 0
	err = fields(message, func(f field) error {
		switch f.number {
		case 1:
			s.Trace = hex.EncodeToString(f.bytes)
		case 2:
			s.ID = hex.EncodeToString(f.bytes)
		case 4:
			s.Parent = hex.EncodeToString(f.bytes)
		case 5:
			s.Name = clip(f.bytes)
		case 7:
			s.Start = millis(f.value)
		case 8:
			s.End = millis(f.value)
		case 9:
			if count++; count > contracts.LimitOTelAttributes {
				problem = tooManyAttributes
				return nil
			}
			return s.Attributes.readOne(f.bytes)
		case 15:
			return fields(f.bytes, func(f field) error {
				switch f.number {
				case 2:
					s.Message = clip(f.bytes)
				case 3:
					s.Failed = f.value == statusError
				}
				return nil
			})
		}
		return nil
	})
	return problem, err
}

// statusError is the status code of a failed span.
const statusError = 2

func millis(nanos uint64) int64 { return int64(nanos / 1e6) }

// clip returns at most the first LimitOTelText bytes of text.
func clip(text []byte) string { return string(text[:min(len(text), contracts.LimitOTelText)]) }

// read reads the attributes of a resource. Attributes over the limit are left out.
func (a *Attributes) read(resource []byte) error {
	count := 0
	return each(resource, 1, func(attribute []byte) error {
		if count++; count > contracts.LimitOTelAttributes {
			return nil
		}
		return a.readOne(attribute)
	})
}

func (a *Attributes) readOne(message []byte) error {
	var key string
	var value []byte
	err := fields(message, func(f field) error {
		switch f.number {
		case 1:
			key = string(f.bytes[:min(len(f.bytes), contracts.LimitID)])
		case 2:
			value = f.bytes
		}
		return nil
	})
	if err != nil || !wanted(key) || len(value) > contracts.LimitOTelText {
		return err
	}
	v, err := (&values{}).read(value, 0)
	a.set(key, v)
	return err
}

// values reads a value and counts the values in it.
type values struct{ count int }

// read reads an AnyValue. It returns nil if the value is empty or exceeds the limit on values or
// depth.
func (vs *values) read(message []byte, depth int) (v any, err error) {
	if vs.count++; vs.count > contracts.LimitOTelValues || depth > contracts.LimitOTelDepth {
		return nil, nil
	}
	err = fields(message, func(f field) error {
		var err error
		switch f.number {
		case 1:
			v = string(f.bytes)
		case 2:
			v = f.value != 0
		case 3:
			v = int64(f.value)
		case 4:
			v = math.Float64frombits(f.value)
		case 5:
			v, err = vs.list(f.bytes, depth)
		case 6:
			v, err = vs.object(f.bytes, depth)
		}
		return err
	})
	return v, err
}

func (vs *values) list(message []byte, depth int) ([]any, error) {
	list := []any{}
	err := each(message, 1, func(item []byte) error {
		v, err := vs.read(item, depth+1)
		list = append(list, v)
		return err
	})
	return list, err
}

func (vs *values) object(message []byte, depth int) (map[string]any, error) {
	object := map[string]any{}
	err := each(message, 1, func(pair []byte) error {
		var key string
		var value any
		err := fields(pair, func(f field) (err error) {
			switch f.number {
			case 1:
				key = string(f.bytes)
			case 2:
				value, err = vs.read(f.bytes, depth+1)
			}
			return err
		})
		object[key] = value
		return err
	})
	return object, err
}
