import { Bulletins } from '../frame/bulletins.tsx';
import { Chip } from '../frame/chip.tsx';
import { RequestBar } from '../frame/request_bar.tsx';
import { AgentPanel } from '../agent/agent_panel.tsx';
import { Inbox } from '../needs/inbox.tsx';
import { Chat } from '../chat/chat.tsx';
import { Feed } from '../feed/feed.tsx';
import { Words } from '../kit/words.tsx';
import { useOffice } from '../office.ts';
import { TextPeople } from './text_people.tsx';
import { TextStudios } from './text_studios.tsx';
import { TextProjects } from './text_projects.tsx';
import { TextArtifacts } from './text_artifacts.tsx';
import * as say from '../../contracts/words.gen.ts';

/** Shows the whole office as headings, lists and tables, with the same commands as the room. */
export function TextView() {
  const { shell, store, focus, noRoom } = useOffice();
  const person = shell.panel.value === 'agent' && focus.selected.value?.kind === 'agent' ? focus.selected.value.id : null;
  return (
    <div class="text-view">
      <div class="text-top">
        <Chip />
        <nav class="options" aria-label="View">
          {!shell.listOnly.value && (
            <button type="button" class="button" onClick={() => (shell.textChosen.value = false)}>
              Back to the room
            </button>
          )}
          <button type="button" class="button" onClick={() => (shell.dialog.value = { kind: 'palette' })}>
            {say.findAnything}
          </button>
          <button type="button" class="button" onClick={() => (shell.dialog.value = { kind: 'connect' })}>
            Connect agents
          </button>
          <button type="button" class="button" onClick={() => (shell.dialog.value = { kind: 'settings' })}>
            Settings
          </button>
        </nav>
      </div>
      <main id="text-main" class="text-main" tabIndex={-1}>
        {shell.listOnly.value && noRoom?.value && (
          <p class="frozen" role="status">
            <Words>{noRoom.value}</Words>
          </p>
        )}
        <RequestBar />
        <Bulletins />
        <section class="card text-part" id="needs" tabIndex={-1} aria-labelledby="text-needs">
          <h2 id="text-needs">Needs you ({store.needs.value.length})</h2>
          <Inbox />
        </section>
        <TextStudios />
        <section class="card text-part" aria-labelledby="text-people">
          <h2 id="text-people">People ({store.agents.value.length})</h2>
          <TextPeople />
          {person !== null && <AgentPanel key={person} id={person} onClose={() => shell.show('needs')} />}
        </section>
        <section class="card text-part" aria-labelledby="text-projects">
          <h2 id="text-projects">Projects and tasks</h2>
          <TextProjects />
        </section>
        <section class="card text-part" aria-labelledby="text-artifacts">
          <h2 id="text-artifacts">Deliverables ({store.artifacts.value.length})</h2>
          <TextArtifacts />
        </section>
        <section class="card text-part" aria-labelledby="text-chat">
          <h2 id="text-chat">{say.viewChat}</h2>
          <Chat />
        </section>
        <section class="card text-part" aria-labelledby="text-feed">
          <h2 id="text-feed">Events</h2>
          <Feed />
        </section>
      </main>
    </div>
  );
}
