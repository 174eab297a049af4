// Shared by all client programs: play the requested scenarios one after the other, and
// print the outcome of each as a line of JSON.
//
//   node <client>.mjs BASE_URL KEY MODEL SCENARIO...

/** Prompts by scenario; the agent in the test recognizes them. */
const prompts = {
  stream: 'Count to three.',
  whole: 'Count to three.',
  quiet: 'Take your time.',
  broken: 'Stumble.',
  aborted: 'Hold on.',
  refused: 'Count to three.',
  unknown: 'Count to three.',
  tools: 'Count to three.',
};

/** The parts of an error that can be compared across clients. */
function words(error) {
  const inner = error.cause ?? error.lastError ?? error;
  return {
    name: error.constructor.name,
    type: error.type ?? error.data?.error?.type ?? error.error?.error?.type ?? inner.type,
    status: error.status ?? error.statusCode ?? inner.status ?? inner.statusCode,
    code: String(error.code ?? error.data?.error?.code ?? inner.code),
    message: error.message,
  };
}

/** Number of keep-alives after which a waiting client prompts the other agent. */
const enough = 10;

/** Counts the keep-alives of a waiting client and prompts the other agent after enough of them. */
export function waits(call) {
  let signs = 0;
  return () => {
    if (++signs !== enough) return;
    const body = JSON.stringify({ model: 'bullpen/aside', messages: [{ role: 'user', content: 'Go on.' }] });
    call.aside = fetch(`${call.baseURL}/chat/completions`, { method: 'POST', headers: { authorization: `Bearer ${call.key}`, 'content-type': 'application/json' }, body });
  };
}

export async function report(client) {
  const [baseURL, key, model, ...scenarios] = process.argv.slice(2);
  for (const scenario of scenarios) {
    const seen = { scenario, roles: [], texts: [], text: '' };
    const call = { baseURL, key, model: scenario === 'unknown' ? 'bullpen/nobody-at-all' : model, prompt: prompts[scenario], seen };
    try {
      await client[scenario](call);
      await call.aside;
    } catch (error) {
      seen.error = words(error);
    }
    seen.text = seen.texts.join('');
    console.log(JSON.stringify(seen));
  }
}
