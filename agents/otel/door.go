package otel

import (
	"compress/gzip"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"

	"github.com/go-json-experiment/json"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/bullpen-office/bullpen/agents/otel/wire"
	"github.com/bullpen-office/bullpen/contracts"
)

// encoding is the encoding of a request and of its response.
type encoding string

const (
	asProtobuf encoding = "application/x-protobuf"
	asJSON     encoding = "application/json"
)

func (w *watcher) serveTraces(rw http.ResponseWriter, r *http.Request) {
	w.serve(rw, r, func(ctx context.Context, body []byte, as encoding) (int64, string, error) {
		decode := wire.DecodeProtobuf
		if as == asJSON {
			decode = wire.DecodeJSON
		}
		b, err := decode(body)
		if err != nil {
			return 0, "", badRequest{err}
		}
		return w.record(ctx, b, w.Principal(r))
	})
}

// serveIgnored accepts a signal that the office does not record, so that SDKs that send all three
// signals to one address do not report errors.
func (w *watcher) serveIgnored(signal string) http.HandlerFunc {
	return func(rw http.ResponseWriter, r *http.Request) {
		w.serve(rw, r, func(_ context.Context, body []byte, as encoding) (int64, string, error) {
			count := wire.CountProtobuf
			if as == asJSON {
				count = wire.CountJSON
			}
			n, err := count(body)
			if err != nil {
				return 0, "", badRequest{err}
			}
			w.items.WithLabelValues(signal, "ignored").Add(float64(n))
			return 0, "", nil
		})
	}
}

// badRequest is an error after which the sender must not retry.
type badRequest struct{ error }

// serve reads a request and answers it as OTLP requires: a partial success contains the number of
// rejected items; 429 or 503 tells the sender to retry, and any other error tells it not to.
func (w *watcher) serve(rw http.ResponseWriter, r *http.Request, handle func(ctx context.Context, body []byte, as encoding) (rejected int64, why string, err error)) {
	media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	as := encoding(media)
	if as != asProtobuf && as != asJSON {
		refuse(rw, asJSON, http.StatusUnsupportedMediaType, "unsupported content type: send application/x-protobuf or application/json")
		return
	}
	select {
	case w.slots <- struct{}{}:
		defer func() { <-w.slots }()
	default:
		refuse(rw, as, http.StatusTooManyRequests, "too many concurrent requests; retry later")
		return
	}
	body, status, problem := read(rw, r)
	if problem != "" {
		refuse(rw, as, status, problem)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), contracts.CommandTimeout)
	defer cancel()
	rejected, why, err := handle(ctx, body, as)
	switch {
	case errors.As(err, new(badRequest)):
		refuse(rw, as, http.StatusBadRequest, err.Error())
	case err != nil:
		w.Log.Warn("could not record OpenTelemetry data; the sender will retry", "error", err)
		refuse(rw, as, http.StatusServiceUnavailable, "the office cannot record data right now; try again later")
	default:
		answer(rw, as, http.StatusOK, success(as, rejected, why))
	}
}

// read returns the body of a request, decompressed.
func read(rw http.ResponseWriter, r *http.Request) (body []byte, status int, problem string) {
	const large = "the request is too large: send smaller batches"
	var from io.Reader = http.MaxBytesReader(rw, r.Body, contracts.LimitOTelBody)
	switch r.Header.Get("Content-Encoding") {
	case "", "identity":
	case "gzip":
		unpacked, err := gzip.NewReader(from)
		if err != nil {
			return nil, http.StatusBadRequest, "the body is not gzip"
		}
		from = io.LimitReader(unpacked, contracts.LimitOTelUnpacked+1)
	default:
		return nil, http.StatusUnsupportedMediaType, "the only supported compression is gzip"
	}
	body, err := io.ReadAll(from)
	switch {
	case errors.As(err, new(*http.MaxBytesError)), len(body) > contracts.LimitOTelUnpacked:
		return nil, http.StatusRequestEntityTooLarge, large
	case err != nil:
		return nil, http.StatusBadRequest, "the body cannot be read"
	}
	return body, 0, ""
}

// success encodes an Export…ServiceResponse. The response contains a partial success only if
// something was rejected.
func success(as encoding, rejected int64, why string) []byte {
	why = contracts.Clip(contracts.CleanLine(why), contracts.LimitNote)
	if as == asJSON {
		if rejected == 0 {
			return []byte("{}")
		}
		return encode(map[string]any{"partialSuccess": map[string]any{"rejectedSpans": rejected, "errorMessage": why}})
	}
	if rejected == 0 {
		return nil
	}
	partial := protowire.AppendVarint(protowire.AppendTag(nil, 1, protowire.VarintType), uint64(rejected))
	partial = protowire.AppendString(protowire.AppendTag(partial, 2, protowire.BytesType), why)
	return protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), partial)
}

// refuse answers with a Status message, as OTLP requires.
func refuse(rw http.ResponseWriter, as encoding, status int, why string) {
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		rw.Header().Set("Retry-After", "1")
	}
	why = contracts.Clip(contracts.CleanLine(why), contracts.LimitNote)
	if as == asJSON {
		answer(rw, as, status, encode(map[string]any{"message": why}))
		return
	}
	answer(rw, as, status, protowire.AppendString(protowire.AppendTag(nil, 2, protowire.BytesType), why))
}

func answer(rw http.ResponseWriter, as encoding, status int, body []byte) {
	rw.Header().Set("Content-Type", string(as))
	rw.WriteHeader(status)
	_, _ = rw.Write(body)
}

// encode returns v, which contains only strings and numbers, as JSON.
func encode(v any) []byte {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return []byte("{}")
	}
	return b
}
