// Sends the spans of an agent's run with OpenTelemetry's own SDK. The address and the service name
// come from the environment.
//
//   node spans.mjs json|protobuf AGENT
import { diag, DiagConsoleLogger, DiagLogLevel, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JSONExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, serviceNameEnvDetector } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

const [encoding, agent] = process.argv.slice(2);

diag.setLogger(new DiagConsoleLogger(), DiagLogLevel.WARN);
const exporter = encoding === 'json' ? new JSONExporter() : new ProtobufExporter();
const provider = new TracerProvider({
  resource: detectResources({ detectors: [serviceNameEnvDetector] }),
  spanProcessors: [new BatchSpanProcessor({ exporter })],
});
const tracer = provider.getTracer('shop');

/** Starts a span for an operation inside another span or, without one, in a new trace. */
function begin(operation, subject, within, attributes) {
  const context = within ? trace.setSpan(ROOT_CONTEXT, within) : ROOT_CONTEXT;
  return tracer.startSpan(`${operation} ${subject}`, { attributes: { 'gen_ai.operation.name': operation, ...attributes } }, context);
}

const run = begin('invoke_agent', agent, null, { 'gen_ai.agent.name': agent });
const chat = begin('chat', 'model-a', run, { 'gen_ai.request.model': 'model-a' });
chat.setAttributes({
  'gen_ai.response.model': 'model-a-2',
  'gen_ai.usage.input_tokens': 120,
  'gen_ai.usage.cache_read.input_tokens': 20,
  'gen_ai.usage.output_tokens': 8,
  'gen_ai.response.finish_reasons': ['tool_call'],
});
chat.end();
const search = begin('execute_tool', 'search', run, { 'gen_ai.tool.name': 'search', 'gen_ai.tool.call.arguments': '{"q":"shoes"}' });
search.setAttribute('gen_ai.tool.call.result', 'three pairs');
search.end();
const order = begin('execute_tool', 'order', run, { 'gen_ai.tool.name': 'order' });
order.recordException(new Error('out of stock'));
order.setStatus({ code: SpanStatusCode.ERROR, message: 'out of stock' });
order.end();
tracer.startSpan('GET /').end();
run.end();

await provider.forceFlush();
await provider.shutdown();
