import { vi } from 'vitest'
import type { TestCluster } from '../test-cluster.ts'

/** Runs `ui` with these flags while some work runs with the address that it printed. */
export async function whileServing(
  cluster: TestCluster,
  flags: readonly string[],
  work: (address: URL) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const before = cluster.terminal.output().length
  const command = cluster.runUntil(stop.signal, 'ui', ...flags)
  try {
    const printed = vi.waitFor(() => new URL(cluster.terminal.output().slice(before).trim()), { timeout: 60_000 })
    await work(await Promise.race([printed, command.then((output) => new URL(output))]))
  } finally {
    stop.abort()
    await command
  }
}

/** Returns the headers of a request with the token of an address. */
export const bearer = (address: URL): Record<string, string> => ({
  authorization: `Bearer ${new URLSearchParams(address.hash.slice(1)).get('token')}`,
})
