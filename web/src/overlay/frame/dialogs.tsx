import { ArtifactDialog } from '../artifact/artifact_dialog.tsx';
import { AssignDialog } from '../board/assign_dialog.tsx';
import { CancelDialog } from '../board/cancel_dialog.tsx';
import { ConnectDialog } from '../connect/open.tsx';
import { useOffice } from '../office.ts';
import { Palette } from '../palette/palette.tsx';
import { ReceiptDialog } from '../proof/receipt_dialog.tsx';
import { CostDialog } from './cost_dialog.tsx';
import { KeysDialog } from './keys_dialog.tsx';
import { SettingsDialog } from './settings_dialog.tsx';

/** Shows the open dialog. */
export function Dialogs() {
  const view = useOffice().shell.dialog.value;
  switch (view?.kind) {
    case 'artifact':
      return <ArtifactDialog key={view.id} id={view.id} part={view.part} />;
    case 'assign':
      return <AssignDialog key={view.taskId} taskId={view.taskId} />;
    case 'cancel':
      return <CancelDialog key={view.taskId} taskId={view.taskId} />;
    case 'receipt':
      return <ReceiptDialog key={view.taskId} taskId={view.taskId} />;
    case 'connect':
      return <ConnectDialog />;
    case 'settings':
      return <SettingsDialog />;
    case 'cost':
      return <CostDialog />;
    case 'keys':
      return <KeysDialog />;
    case 'palette':
      return <Palette />;
    default:
      return null;
  }
}
