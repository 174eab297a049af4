import { Crosshair, Eye, Hand, MessageCircle } from 'lucide';
import { runnerWords, stateWords } from '../../world/words.ts';
import { Tree } from '../activity/tree.tsx';
import { taskPercent } from '../board/progress.ts';
import { SayBox } from '../chat/say_box.tsx';
import { agentThread } from '../chat/threads.ts';
import { Bar } from '../kit/bar.tsx';
import { Face } from '../kit/face.tsx';
import { Icon } from '../kit/icon.tsx';
import { Panel } from '../kit/panel.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { AtDesk } from './at_desk.tsx';
import { Checked } from './checked.tsx';
import { Controls } from './controls.tsx';
import { accepts } from './runner.ts';
import { Cost } from './cost.tsx';
import { Family } from './family.tsx';
import { roleOrOriginWords } from './people.tsx';
import { StateTag } from './state_tag.tsx';
import { StreamTail } from './stream_tail.tsx';
import { Why } from './why.tsx';
import * as say from '../../contracts/words.gen.ts';

/** Shows one agent: its status and the reason, its output, its controls and a message field. */
export function AgentPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { store, shell, focus } = useOffice();
  const agent = store.agents.value.find((a) => a.agent_id === id);
  if (!agent) {
    return (
      <Panel title="Not here" label={say.thingAgent} class="agent-panel" onClose={onClose}>
        <p class="empty">{say.agentGone}</p>
      </Panel>
    );
  }
  const task = store.tasks.value.find((t) => t.task_id === agent.task_id);
  const nodes = store.hud.value.filter((n) => n.agent_id === id);
  const session = agent.session ?? nodes.findLast((n) => n.session)?.session;
  const need = store.needs.value.find((n) => n.agent_id === id);
  // Prefer the full answer; agent.said is only the start of it.
  const said = nodes.findLast((n) => n.said)?.said ?? agent.said;
  const follows = focus.follow.value === id;
  const name = agent.name ?? agent.agent_id;
  return (
    <Panel title={<Words class="two-lines">{name}</Words>} label={`About ${name}`} class="agent-panel" onClose={onClose} tools={<StateTag agent={agent} />}>
      <div class="agent-top">
        <Face id={id} of={agent} size={48} />
        <div class="agent-words">
          <Words>{roleOrOriginWords(agent)}</Words>
          {!agent.source && <span class={agent.from?.scripted ? 'tag rehearsal' : 'tag'}>{runnerWords(agent)}</span>}
          {agent.model && <span class="tag">{agent.model}</span>}
          {/* The panel's header already shows the state. */}
          {agent.status_line && agent.status_line !== stateWords(agent.state) && (
            <p>
              <Words>{agent.status_line}</Words>
            </p>
          )}
        </div>
      </div>
      {need && (
        <button type="button" class="button calm" onClick={() => shell.open({ kind: need.kind === 'review' ? 'artifact' : 'decision', id: need.ref })}>
          <Icon of={Hand} />
          {say.needs[need.kind]}
        </button>
      )}
      <div class="options">
        <button type="button" class="button small" aria-pressed={follows} title="Follow (F)" onClick={() => (focus.follow.value = follows ? null : id)}>
          <Icon of={Eye} size={14} />
          {follows ? 'Stop following' : 'Follow'}
        </button>
        <button type="button" class="button small" onClick={() => (focus.lookAt.value = { kind: 'agent', id })}>
          <Icon of={Crosshair} size={14} />
          Show
        </button>
        {accepts(agent, 'chat') && (
          <button type="button" class="button small" onClick={() => shell.talk(agentThread(id))}>
            <Icon of={MessageCircle} size={14} />
            {say.viewChat}
          </button>
        )}
      </div>
      {said && (
        <section>
          <h3>{say.lastReply}</h3>
          <p class="node-said agent-said">
            <Words>{said}</Words>
          </p>
        </section>
      )}
      <Why agent={agent} />
      <Checked of={agent.checked} />
      <AtDesk id={id} />
      <Family agent={agent} />
      {task && (
        <section class="agent-task">
          <h3>{say.thingTask}</h3>
          <button type="button" class="row" onClick={() => shell.openBoard(task.task_id)}>
            <Words>{task.title}</Words>
            <span class="node-span">{Math.round(taskPercent(task))}%</span>
          </button>
          <Bar percent={taskPercent(task)} label={say.thingTask} />
        </section>
      )}
      <StreamTail agentId={id} />
      {nodes.length > 0 && (
        <section>
          <h3>{say.viewActivity}</h3>
          <Tree nodes={nodes} />
        </section>
      )}
      {agent.usage && <Cost usage={agent.usage} />}
      {session && (
        <p class="soft small">
          Session <code>{session}</code>
        </p>
      )}
      <Controls agent={agent} session={session} />
      {accepts(agent, 'chat') && <SayBox thread={agentThread(id)} to={name} />}
    </Panel>
  );
}
