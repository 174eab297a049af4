import { Board } from '../board/board.tsx';
import { BoardCard } from '../board/board_card.tsx';
import { Ghost } from '../board/ghost.tsx';
import { Distances } from '../campus/distances.tsx';
import { StudioList } from '../campus/studios.tsx';
import { useOffice } from '../office.ts';
import { TextView } from '../text/text_view.tsx';
import { Announcer } from './announcer.tsx';
import { Banner } from './banner.tsx';
import { Bulletins } from './bulletins.tsx';
import { Chip } from './chip.tsx';
import { Dialogs } from './dialogs.tsx';
import { Dock } from './dock.tsx';
import { FinaleCard } from './finale_card.tsx';
import { Phone } from './phone.tsx';
import { RequestBar } from './request_bar.tsx';
import { Side } from './side.tsx';
import { Toasts } from './toasts.tsx';
import { WholeRoom } from './whole_room.tsx';

/** The whole overlay, in one of three layouts: text, phone, or panels around the room. */
export function Root() {
  const { shell } = useOffice();
  return (
    <>
      <SkipLinks />
      {shell.asText.value ? <TextView /> : shell.phone.value ? <SmallFrame /> : <WideFrame />}
      {!shell.asText.value && <Bulletins />}
      {!shell.asText.value && <WholeRoom />}
      {!shell.asText.value && <Distances />}
      <FinaleCard />
      <Banner />
      <Dialogs />
      <Ghost />
      <Toasts />
      <Announcer />
    </>
  );
}

function WideFrame() {
  const { shell } = useOffice();
  return (
    <>
      <Chip />
      <StudioList />
      <Dock />
      <Side name={shell.panel.value} />
      {shell.board.value ? <Board onClose={() => (shell.board.value = false)} /> : <BoardCard />}
      <RequestBar />
    </>
  );
}

function SmallFrame() {
  return (
    <>
      <Chip />
      <Phone />
    </>
  );
}

/** Skip links: the first elements that the Tab key reaches. */
function SkipLinks() {
  const { shell } = useOffice();
  return (
    <nav class="skips" aria-label="Skip">
      <button
        type="button"
        class="skip"
        onClick={() => {
          shell.show('needs');
          // Wait: the panel may not be rendered yet.
          setTimeout(() => document.getElementById('needs')?.focus(), 0);
        }}
      >
        Skip to what needs you
      </button>
      {!shell.listOnly.value && (
        <button type="button" class="skip" onClick={() => (shell.textChosen.value = !shell.textChosen.value)}>
          {shell.textChosen.value ? 'Back to the room' : 'Text view'}
        </button>
      )}
    </nav>
  );
}
