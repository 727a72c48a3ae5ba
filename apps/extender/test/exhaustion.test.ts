import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { systemClock } from '@berth/clock'
import { startEmbeddedCluster, type EmbeddedCluster } from '@berth/simulator'
import { callJson } from '@berth/simulator/testing'
import {
  eventually,
  killByMemory,
  type LoggedProgram,
  mountSmallFileSystem,
  startLoggedProgram,
  withoutFileDescriptors,
} from '@berth/testing'
import type { Pod } from '@berth/types'
import { afterAll, beforeAll, expect, test } from 'vitest'

const main = join(import.meta.dirname, '../src/main.ts')
const { signal } = new AbortController()
const NODE = 'node-1'
/** CPUs of the node. */
const CAPACITY = 8
const dir = mkdtempSync(join(tmpdir(), 'berth-exhaustion-'))
let cluster: EmbeddedCluster

beforeAll(async () => {
  cluster = await startEmbeddedCluster({ nodes: 1, clock: systemClock(), random: Math.random, serve: {} })
  writeFileSync(join(dir, 'kubeconfig'), cluster.served?.kubeconfig() ?? '')
})
afterAll(async () => {
  await cluster[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

interface Extender extends AsyncDisposable {
  readonly program: LoggedProgram
  /** Returns whether a pod with so many CPUs fits on the node. Calls over one connection that stays open. */
  fits(cpus: number): Promise<boolean>
  /** Returns the same over a new connection. */
  fitsAnew(cpus: number): Promise<boolean>
}

/** Starts an extender and waits until it knows the node. */
async function startExtender(logPath: string, ...more: readonly string[]): Promise<Extender> {
  const flags = ['--kubeconfig', join(dir, 'kubeconfig'), '--insecure-http', '--listen', '127.0.0.1:0']
  const args = ['--conditions=@berth/source', main, ...flags, '--health-address', '127.0.0.1:0', ...more]
  const program = startLoggedProgram(args, logPath)
  const served = /"address":"[^"]+:(\d+)"[^\n]*"Serving scheduler extender"/
  const port = await until('the extender to serve', async () => served.exec(program.output())?.[1])
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const fits = async (cpus: number, over: Agent | false): Promise<boolean> => {
    const requests = { cpu: String(cpus) }
    const pod: Pod = {
      metadata: { name: 'web', namespace: 'default' },
      spec: { containers: [{ name: 'main', image: 'app', resources: { requests } }] },
    }
    const headers = { 'content-type': 'application/json' }
    const call = request({
      host: '127.0.0.1',
      port,
      path: '/filter',
      method: 'POST',
      agent: over,
      headers,
      timeout: 2_000,
    })
    call.on('timeout', () => call.destroy(new Error('the extender does not answer')))
    call.end(JSON.stringify({ Pod: pod, NodeNames: [NODE] }))
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    const answer = JSON.parse(await text(response)) as { readonly NodeNames: readonly string[]; readonly Error: string }
    if (answer.Error !== '') throw new Error(answer.Error)
    return answer.NodeNames.includes(NODE)
  }
  const extender: Extender = {
    program,
    fits: (cpus) => fits(cpus, agent),
    fitsAnew: (cpus) => fits(cpus, false),
    async [Symbol.asyncDispose]() {
      agent.destroy()
      await program[Symbol.asyncDispose]()
    },
  }
  await until('the extender to know the node', async () => (await extender.fits(CAPACITY)) || undefined)
  return extender
}

function until<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  return eventually(look, { what, timeoutMs: 60_000, signal })
}

/** Binds a pod with one CPU to the node. Returns a function that deletes it. */
async function occupy(name: string): Promise<() => Promise<void>> {
  const containers = [{ name: 'main', image: 'app', resources: { requests: { cpu: '1' } } }]
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name }, spec: { nodeName: NODE, containers } }
  await callJson(cluster.handle, 'POST', '/api/v1/namespaces/default/pods', { body })
  return async () => {
    await callJson(cluster.handle, 'DELETE', `/api/v1/namespaces/default/pods/${name}`, {
      body: { gracePeriodSeconds: 0 },
    })
  }
}

test('without file descriptors, it serves its open connections with a current view, and accepts new ones afterwards', async () => {
  await using extender = await startExtender(join(dir, 'descriptors.log'))
  {
    using _ = withoutFileDescriptors(extender.program.pid)
    // It is not accepted, or reset.
    await expect(extender.fitsAnew(1)).rejects.toThrow(/does not answer|ECONNRESET|socket hang up/)
    const vacate = await occupy('during')
    await until('the watch to report the pod', async () => !(await extender.fits(CAPACITY)) || undefined)
    expect(await extender.fits(CAPACITY - 1)).toBe(true)
    await vacate()
    await until('the watch to report the deletion', async () => (await extender.fits(CAPACITY)) || undefined)
  }
  expect([await extender.fitsAnew(CAPACITY), await extender.fitsAnew(CAPACITY + 1)]).toEqual([true, false])
  expect(extender.program.child.exitCode).toBe(null)
})

test('serves while the disk of its log is full', async () => {
  using disk = mountSmallFileSystem()
  await using extender = await startExtender(join(disk.dir, 'log'), '--log-level', 'debug')
  disk.fill(join(disk.dir, 'log'))
  // Each view of the cluster and each call is a line of the log.
  const vacate = await occupy('during')
  await until('the watch to report the pod', async () => !(await extender.fits(CAPACITY)) || undefined)
  await vacate()
  await until('the watch to report the deletion', async () => (await extender.fits(CAPACITY)) || undefined)
  expect([await extender.fitsAnew(CAPACITY), await extender.fitsAnew(CAPACITY + 1)]).toEqual([true, false])
  expect(extender.program.child.exitCode).toBe(null)
})

test('is killed when its memory is exhausted, and its successor counts the same pods', async () => {
  await using extender = await startExtender(join(dir, 'memory.log'))
  expect(await killByMemory(extender.program)).toBe('SIGKILL')
  await using successor = await startExtender(join(dir, 'successor.log'))
  expect([await successor.fitsAnew(CAPACITY), await successor.fitsAnew(CAPACITY + 1)]).toEqual([true, false])
})
