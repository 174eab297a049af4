import { useSignal } from '@preact/signals';
import { Copy, RefreshCw } from 'lucide';
import { Icon } from '../kit/icon.tsx';
import { sourceNamed } from '../../world/words.ts';
import { OutpostLine, type Outpost } from '../kit/outpost.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { useReport, type Item } from './report.ts';
import * as say from '../../contracts/words.gen.ts';

const groups: readonly Item['group'][] = ['desks', 'guests'];

/** Lists the agents that can be connected, each with what was found on the office's machine and the command to run. */
export function ConnectSheet() {
  const { asked, refresh, install } = useReport();
  const { store } = useOffice();
  const now = asked.value;
  if (now === 'busy') return <p class="soft">{say.checkingMachine}</p>;
  if ('error' in now) {
    return (
      <p class="refusal" role="alert">
        <Words>{now.error}</Words>
      </p>
    );
  }
  const { report } = now;
  return (
    <>
      {sourceNamed(store.sources.value, report.crew)?.scripted && <p class="soft">{say.crewRehearses} Run the commands below in a terminal on the office machine.</p>}
      {groups.map((group) => (
        <section key={group} class="connect-group">
          <h3>{say.connectGroups[group]}</h3>
          <ul>
            {report.items
              .filter((item) => item.group === group)
              .map((item) => (
                <Row key={item.id} item={item} permit={report.permit} install={install} />
              ))}
          </ul>
        </section>
      ))}
      {report.outposts && <Outposts list={report.outposts} />}
      <button type="button" class="button" onClick={() => void refresh()}>
        <Icon of={RefreshCw} size={14} />
        Check again
      </button>
    </>
  );
}

/** Lists the machines that have joined the office. */
function Outposts({ list }: { list: readonly Outpost[] }) {
  return (
    <section class="connect-group">
      <h3>{say.outposts}</h3>
      <ul>
        {list.map((one) => (
          <li key={one.name} class="connect-item" aria-label={one.name}>
            <div class="connect-head">
              <span class="strong">{one.name}</span>
              <span class={`tag connect-${one.state === 'connected' ? 'connected' : 'problem'}`}>{say.outpostLinks[one.state]}</span>
            </div>
            <OutpostLine of={one} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Row({ item, permit, install }: { item: Item; permit: boolean; install: (id: string) => Promise<string | null> }) {
  const { shell } = useOffice();
  const asks = useSignal(false);
  const fault = useSignal<string | null>(null);
  const copy = async () => {
    await navigator.clipboard.writeText(item.command);
    shell.toast('Copied.', 'good');
  };
  const go = async () => {
    fault.value = await install(item.id);
    if (fault.value === null) shell.toast(`${item.name}: connected.`, 'good');
  };
  return (
    <li class="connect-item" aria-label={item.name}>
      <div class="connect-head">
        <span class="strong">{item.name}</span>
        <span class={`tag connect-${item.state}`}>{say.connectStates[item.state]}</span>
      </div>
      <Words class="block">{item.saw}</Words>
      <Words class="block soft small">{item.does}</Words>
      <div class="command">
        <code>{item.command}</code>
        <button type="button" class="icon-button tiny" aria-label={`Copy the command: ${item.name}`} title="Copy" onClick={() => void copy()}>
          <Icon of={Copy} size={14} />
        </button>
      </div>
      {item.plan && permit && !asks.value && (
        <button type="button" class="button small calm" onClick={() => (asks.value = true)}>
          Let the office do it…
        </button>
      )}
      {item.plan && permit && asks.value && (
        <div class="connect-plan" role="group" aria-label="What changes">
          <p>
            Changes <code>{item.plan.path}</code>:
          </p>
          <ul>
            {item.plan.lines.map((line) => (
              <li key={line}>
                <Words>{line}</Words>
              </li>
            ))}
          </ul>
          <div class="options">
            <button type="button" class="button small calm" onClick={() => void go()}>
              Change the file
            </button>
            <button type="button" class="button small" onClick={() => (asks.value = false)}>
              Cancel
            </button>
          </div>
        </div>
      )}
      {fault.value !== null && (
        <p class="refusal" role="alert">
          {fault.value}
        </p>
      )}
    </li>
  );
}
