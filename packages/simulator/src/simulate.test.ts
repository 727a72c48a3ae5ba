import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { simulate } from './simulate.ts'
import { systemClock } from './system-clock.ts'

async function withFolder(use: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'berth-'))
  try {
    await use(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

describe('simulate', () => {
  test('writes the kubeconfig before it says ready, and ends when it is told to', () =>
    withFolder(async (dir) => {
      const stop = new AbortController()
      const said: string[] = []
      const kubeconfig = join(dir, 'kubeconfig')
      await simulate(
        { kind: 'run', nodes: 1, pods: 1, port: 0, kubeconfig, dir },
        {
          clock: systemClock(),
          random: Math.random,
          stop: stop.signal,
          write(text) {
            said.push(text)
            if (text === 'ready\n') stop.abort()
          },
        },
      )
      expect(said).toHaveLength(2)
      expect(await readFile(kubeconfig, 'utf8')).toContain('"current-context": "berth"')
    }))

  test('names the file that it cannot write', () =>
    withFolder(async (dir) => {
      const world = { clock: systemClock(), random: Math.random, stop: AbortSignal.abort(), write: () => undefined }
      const run = simulate({ kind: 'run', nodes: 0, pods: 0, port: 0, kubeconfig: join(dir, 'no', 'file') }, world)
      await expect(run).rejects.toMatchObject({
        code: 'BERTH_SIMULATOR_KUBECONFIG',
        hint: expect.stringContaining('writable') as unknown,
      })
    }))
})
