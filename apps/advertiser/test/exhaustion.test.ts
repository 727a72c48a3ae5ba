import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
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
import type { Node } from '@berth/types'
import { afterAll, beforeAll, expect, test } from 'vitest'

const name = 'example.com/dongle'
const main = join(import.meta.dirname, '../src/main.ts')
const dir = mkdtempSync(join(tmpdir(), 'berth-exhaustion-'))
const config = join(dir, 'config.yaml')
/** Both ends of the connections between the advertiser and the API server. */
const sockets = new Set<Socket>()
const proxy = createServer((client) => {
  const server = connect(cluster.served?.port ?? 0, '127.0.0.1')
  for (const [socket, other] of [
    [client, server],
    [server, client],
  ] as const) {
    sockets.add(socket)
    socket.on('error', () => undefined).once('close', () => other.destroy())
    socket.pipe(other)
  }
})
let cluster: EmbeddedCluster

beforeAll(async () => {
  cluster = await startEmbeddedCluster({ nodes: 1, clock: systemClock(), random: Math.random, serve: {} })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const { port } = proxy.address() as AddressInfo
  const text = cluster.served?.kubeconfig() ?? ''
  writeFileSync(join(dir, 'kubeconfig'), text.replaceAll(`:${cluster.served?.port}`, `:${port}`))
})
afterAll(async () => {
  endConnections()
  proxy.close()
  await cluster[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true })
})

function endConnections(): void {
  for (const socket of sockets) socket.destroy()
  sockets.clear()
}

const start = (logPath: string): LoggedProgram => {
  const flags = ['--kubeconfig', join(dir, 'kubeconfig'), '--config', config, '--health-address', '127.0.0.1:0']
  return startLoggedProgram(['--conditions=@berth/source', main, ...flags], logPath)
}
const configure = (units: number): void =>
  writeFileSync(config, `resources:\n  - {name: ${name}, units: ${units}, nodes: {names: [node-1]}}\n`)

async function advertised(): Promise<string | undefined> {
  const { body } = await callJson(cluster.handle, 'GET', '/api/v1/nodes/node-1')
  const { capacity, allocatable } = (body as Node).status ?? {}
  return `${capacity?.[name]}/${allocatable?.[name]}`
}

async function untilAdvertised(units: number): Promise<void> {
  await eventually(async () => ((await advertised()) === `${units}/${units}` ? true : undefined), {
    what: `${units} units on the node`,
    timeoutMs: 60_000,
    signal: new AbortController().signal,
  })
}

test('keeps what it advertises without file descriptors, and applies a changed configuration when it has them again', async () => {
  configure(4)
  await using program = start(join(dir, 'descriptors.log'))
  await untilAdvertised(4)
  {
    using _ = withoutFileDescriptors(program.pid)
    configure(6)
    // None can be opened again.
    endConnections()
    await pause(3_000)
    expect(await advertised()).toBe('4/4')
    expect(program.child.exitCode).toBe(null)
  }
  await untilAdvertised(6)
})

test('works while the disk of its log is full, and logs again when there is room', async () => {
  configure(4)
  using disk = mountSmallFileSystem()
  await using program = start(join(disk.dir, 'log'))
  await untilAdvertised(4)
  disk.fill(join(disk.dir, 'log'))
  for (const units of [5, 6]) {
    configure(units)
    await untilAdvertised(units)
  }
  expect(program.child.exitCode).toBe(null)
  disk.free()
  const before = program.output().length
  configure(7)
  await untilAdvertised(7)
  await expect.poll(() => program.output().length).toBeGreaterThan(before)
})

test('is killed when its memory is exhausted, what it advertises stays, and its successor goes on', async () => {
  configure(4)
  await using program = start(join(dir, 'memory.log'))
  await untilAdvertised(4)
  expect(await killByMemory(program)).toBe('SIGKILL')
  configure(5)
  expect(await advertised()).toBe('4/4')
  // Its successor does not wait until it expires.
  await callJson(
    cluster.handle,
    'DELETE',
    '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/berth-advertiser',
  )
  await using _ = start(join(dir, 'successor.log'))
  await untilAdvertised(5)
})
