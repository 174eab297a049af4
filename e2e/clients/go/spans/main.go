// Command spans sends the spans of an agent's run with OpenTelemetry's own SDK. The address and the
// service name come from the environment.
//
//	spans AGENT
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

func main() {
	otel.SetErrorHandler(otel.ErrorHandlerFunc(fail)) // also called when the server rejects spans
	if len(os.Args) != 2 {
		fail(errors.New("usage: spans AGENT"))
	}
	if err := send(context.Background(), os.Args[1]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// send plays an agent's run and returns when its spans have been exported.
func send(ctx context.Context, agent string) error {
	exporter, err := otlptracehttp.New(ctx)
	if err != nil {
		return err
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(exporter))
	tracer := provider.Tracer("shop")
	begin := func(ctx context.Context, operation, subject string, attributes ...attribute.KeyValue) (context.Context, trace.Span) {
		return tracer.Start(ctx, operation+" "+subject, trace.WithAttributes(append(attributes, attribute.String("gen_ai.operation.name", operation))...))
	}

	within, run := begin(ctx, "invoke_agent", agent, attribute.String("gen_ai.agent.name", agent))
	_, chat := begin(within, "chat", "model-a", attribute.String("gen_ai.request.model", "model-a"))
	chat.SetAttributes(attribute.String("gen_ai.response.model", "model-a-2"), attribute.Int("gen_ai.usage.input_tokens", 120),
		attribute.Int("gen_ai.usage.cache_read.input_tokens", 20), attribute.Int("gen_ai.usage.output_tokens", 8),
		attribute.StringSlice("gen_ai.response.finish_reasons", []string{"tool_call"}))
	chat.End()
	_, search := begin(within, "execute_tool", "search", attribute.String("gen_ai.tool.name", "search"), attribute.String("gen_ai.tool.call.arguments", `{"q":"shoes"}`))
	search.SetAttributes(attribute.String("gen_ai.tool.call.result", "three pairs"))
	search.End()
	_, order := begin(within, "execute_tool", "order", attribute.String("gen_ai.tool.name", "order"))
	order.RecordError(errors.New("out of stock"))
	order.SetStatus(codes.Error, "out of stock")
	order.End()
	_, other := tracer.Start(ctx, "GET /")
	other.End()
	run.End()
	return errors.Join(provider.ForceFlush(ctx), provider.Shutdown(ctx))
}
