/** Waits for a signal; at once when it is aborted already. Never rejects, and keeps no process alive by itself. */
export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
