import { systemClock } from '@berth/clock'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { simulate } from './simulate.ts'

const noConnection = (): Promise<never> => Promise.reject(new Error('nothing to join'))

async function withFolder(use: (dir: string) => Promise<void>): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'berth-'))
  try {
    await use(dir)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

describe('simulate', () => {
  test('writes the kubeconfig for its owner only before it prints "ready", and ends on stop', () =>
    withFolder(async (dir) => {
      const stop = new AbortController()
      const said: string[] = []
      const kubeconfig = join(dir, 'kubeconfig')
      await writeFile(kubeconfig, 'old'.repeat(10_000), { mode: 0o644 })
      await simulate(
        { kind: 'run', nodes: 1, pods: 1, port: 0, kubeconfig, dir, devices: {}, schedulesPods: false },
        {
          clock: systemClock(),
          random: Math.random,
          stop: stop.signal,
          connect: noConnection,
          write(text) {
            said.push(text)
            if (text === 'ready\n') stop.abort()
          },
        },
      )
      expect(said).toHaveLength(2)
      expect(JSON.parse(await readFile(kubeconfig, 'utf8'))).toMatchObject({ 'current-context': 'berth' })
      expect(((await stat(kubeconfig)).mode & 0o777).toString(8)).toBe('600')
    }))

  test('appends requests to the audit log', () =>
    withFolder(async (dir) => {
      const stop = new AbortController()
      const auditLog = join(dir, 'audit.jsonl')
      const options = { port: 0, kubeconfig: join(dir, 'kubeconfig'), devices: {}, schedulesPods: false, auditLog }
      await simulate(
        { kind: 'run', nodes: 1, pods: 0, ...options },
        {
          clock: systemClock(),
          random: Math.random,
          stop: stop.signal,
          connect: noConnection,
          write: (text) => void (text === 'ready\n' && stop.abort()),
        },
      )
      const events = (await readFile(auditLog, 'utf8')).trim().split('\n')
      expect(events.map((line) => JSON.parse(line) as unknown)).toContainEqual(
        expect.objectContaining({ verb: 'create', objectRef: { resource: 'nodes', apiVersion: 'v1' } }),
      )
    }))

  test('reports an audit log that is not writable', () =>
    withFolder(async (dir) => {
      const options = { port: 0, kubeconfig: join(dir, 'a'), devices: {}, schedulesPods: false, auditLog: dir }
      const environment = {
        clock: systemClock(),
        random: Math.random,
        stop: AbortSignal.abort(),
        write: () => undefined,
      }
      const run = simulate({ kind: 'run', nodes: 0, pods: 0, ...options }, { ...environment, connect: noConnection })
      await expect(run).rejects.toMatchObject({ code: 'BERTH_SIMULATOR_AUDIT_LOG' })
    }))

  test('reports a kubeconfig that is not writable', () =>
    withFolder(async (dir) => {
      const run = simulate(
        {
          kind: 'run',
          nodes: 0,
          pods: 0,
          port: 0,
          kubeconfig: join(dir, 'no', 'file'),
          devices: {},
          schedulesPods: false,
        },
        {
          clock: systemClock(),
          random: Math.random,
          stop: AbortSignal.abort(),
          write: () => undefined,
          connect: noConnection,
        },
      )
      await expect(run).rejects.toMatchObject({
        code: 'BERTH_SIMULATOR_KUBECONFIG',
        hint: expect.stringContaining('writable') as unknown,
      })
    }))
})
