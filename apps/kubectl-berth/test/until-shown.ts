import { expect, vi } from 'vitest'
import type { TestCluster } from './test-cluster.ts'

/** Advances the time until the command has printed a text. */
export async function untilShown(cluster: TestCluster, text: string): Promise<void> {
  const shows = async (): Promise<void> => {
    await cluster.terminal.clock.advance(2_000)
    expect(cluster.terminal.output()).toContain(text)
  }
  await vi.waitFor(shows, { timeout: 60_000 })
}
