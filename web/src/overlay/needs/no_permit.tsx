/** Shows why the buttons are disabled and, with `how`, how to get operator access. */
export function NoPermit({ reason, how }: { reason: string; how: boolean }) {
  return (
    <p class="frozen" role="note">
      {reason}
      {how && (
        <>
          {' '}
          Run <code>bullpen open</code> in a terminal and continue in the browser window it opens.
        </>
      )}
    </p>
  );
}
