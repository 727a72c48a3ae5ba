import { createTestClock } from '@berth/clock/testing'
import type { Device } from '@berth/types'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { needsPreStart, preStart, type PreStartHooks } from './pre-start.ts'

const devices: Device[] = ['a', 'b'].map((id) => ({ id, health: 'Healthy', paths: [`/dev/${id}`] }))

function prepare(hooks: PreStartHooks) {
  const clock = createTestClock()
  return { clock, done: preStart('e.x/d', devices, { ...hooks, inventory: devices, clock }) }
}

const program = (text: string, timeoutSeconds = 10): PreStartHooks => ({
  source: {},
  config: { command: [process.execPath, '--eval', text, '{id}', '{path}'], timeoutSeconds },
})

test('is needed for a source with the hook and for a configured program', () => {
  expect([{ source: {} }, { source: { preStart: async () => {} } }, program('')].map(needsPreStart)).toEqual([
    false,
    true,
    true,
  ])
})

test('passes the ids and the devices of the resource to the source', async () => {
  const calls: unknown[] = []
  const source = { preStart: async (...[ids, known]: readonly unknown[]) => void calls.push([ids, known]) }
  await prepare({ source }).done
  expect(calls).toEqual([[['a', 'b'], devices]])
})

test('runs the program for each device, and reports the first line of one that fails', async () => {
  const check = (id: string): string =>
    `const [, id, path] = process.argv; if (path !== '/dev/' + id || process.env.BERTH_DEVICE_ID !== id) process.exit(3)
     if (id === '${id}') { console.log('reset of', id, 'failed'); process.exit(1) }`
  await prepare(program(check('none'))).done
  await expect(prepare(program(check('b'))).done).rejects.toMatchObject({
    code: 'BERTH_DEVICE_PLUGIN_PRE_START',
    message: 'prepare e.x/d a, b: reset of b failed',
  })
})

test('names a program that does not exist', async () => {
  const missing = { source: {}, config: { command: ['/nonexistent/reset'], timeoutSeconds: 1 } }
  await expect(prepare(missing).done).rejects.toThrow('/nonexistent/reset cannot be run (ENOENT)')
})

test('kills a program at its deadline', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'pre-start-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const writesItsPid = `require('fs').writeFileSync('${directory}/' + process.pid, ''); setInterval(() => {}, 1000)`
  const { clock, done } = prepare(program(writesItsPid, 2))
  const failure = done.catch(String)
  const pids = await vi.waitFor(async () => {
    const names = await readdir(directory)
    expect(names).toHaveLength(devices.length)
    return names.map(Number)
  }, 60_000)
  clock.advance(2_000)
  expect(await failure).toContain('prepare e.x/d a, b: no answer within 2 s')
  await vi.waitFor(() => {
    for (const pid of pids) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  }, 60_000)
})

test('does not wait for a source that does not answer, and aborts its signal', async () => {
  const state: { signal?: AbortSignal } = {}
  const source = {
    preStart: (_ids: readonly string[], _devices: readonly Device[], signal: AbortSignal) => {
      state.signal = signal
      return new Promise<void>(() => {})
    },
  }
  const { clock, done } = prepare({ source })
  const failure = done.catch(String)
  clock.advance(25_000)
  expect(await failure).toContain('no answer within 25 s')
  expect(state.signal?.aborted).toBe(true)
})
