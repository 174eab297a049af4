// Follow an office and send it one request. Runs in a browser, Deno, Bun, and Node 22 or newer.
const address = 'ws://127.0.0.1:4777/ws/world';

interface Message {
  type: string;
  id: string;
  payload: Record<string, unknown>;
}

const socket = new WebSocket(address);
let count = 0;

function send(type: string, payload: object): void {
  count += 1;
  socket.send(JSON.stringify({ type, id: `tutorial_${Date.now()}_${count}`, ts: Date.now(), v: 1, payload }));
}

socket.addEventListener('open', () => send('hello', { client: { name: 'tutorial' } }));

socket.addEventListener('message', (event: MessageEvent<string>) => {
  const message = JSON.parse(event.data) as Message;
  switch (message.type) {
    case 'hello_ack': // the handshake is complete: choose what to receive
      send('subscribe', { scene_id: message.payload['scene_id'], channels: { events: true, chat: true } });
      send('command', { name: 'submit_request', data: { text: 'Write a launch note', auto_assign: true } });
      setInterval(() => send('ping', {}), 10_000); // a client that is silent for too long is disconnected
      break;
    case 'event':
      console.log(message.payload['seq'], message.payload['name']);
      break;
    case 'error':
      console.error(message.payload['code'], message.payload['message']);
      break;
  }
});

socket.addEventListener('close', (event: CloseEvent) => console.log('closed', event.code, event.reason));

export {};
