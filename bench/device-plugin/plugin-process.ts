import { DevicePluginClient } from '@berth/kubelet-api'
import { credentials } from '@grpc/grpc-js'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const MAIN = join(import.meta.dirname, '..', '..', 'apps', 'device-plugin', 'dist', 'main.cjs')
const NODE_FLAGS = ['--max-semi-space-size=1', '--max-old-space-size=48']
const DEADLINE_MS = 60_000

/** Ids of the devices of one list. */
type DeviceList = readonly string[]

/** The built device plugin in its own process, with the benchmark as its kubelet. */
export interface PluginProcess extends AsyncDisposable {
  readonly pid: number
  readonly client: DevicePluginClient
  /** From the start of the process to the first list. */
  readonly firstListMs: number
  /** Waits for a list that satisfies the condition. Returns how long that took since the call, milliseconds. */
  untilList(isWanted: (ids: DeviceList) => boolean): Promise<number>
  /** Returns the resident memory, in bytes. */
  residentBytes(): Promise<number>
}

/** Starts the device plugin with one resource and opens its stream. */
export async function startPlugin(resource: object): Promise<PluginProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'dp-bench-'))
  const sockets = join(directory, 'sockets')
  await mkdir(sockets)
  const startedMs = performance.now()
  const args = [
    '--health-address=127.0.0.1:0',
    '--plugins-registry',
    sockets,
    '--resources',
    JSON.stringify([resource]),
  ]
  const child = spawn(process.execPath, [...NODE_FLAGS, MAIN, ...args], { stdio: ['ignore', 'ignore', 'inherit'] })
  const socket = await poll(async () => (await readdir(sockets)).find((name) => name.endsWith('.sock')))
  const client = new DevicePluginClient(`unix://${join(sockets, socket)}`, credentials.createInsecure())
  let last: DeviceList | undefined
  const stream = client.listAndWatch({})
  stream.on('data', ({ devices }: { readonly devices: readonly { readonly ID: string }[] }) => {
    last = devices.map(({ ID }) => ID)
  })
  stream.on('error', () => {})
  await poll(async () => last)
  const firstListMs = performance.now() - startedMs
  return {
    pid: child.pid ?? 0,
    client,
    firstListMs,
    async untilList(isWanted) {
      const sinceMs = performance.now()
      await poll(async () => (last !== undefined && isWanted(last) ? true : undefined), 1)
      return performance.now() - sinceMs
    },
    async residentBytes() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
    },
    async [Symbol.asyncDispose]() {
      client.close()
      const ended = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGTERM')
      await ended
      await rm(directory, { recursive: true })
    },
  }
}

async function poll<T>(look: () => Promise<T | undefined>, intervalMs = 5): Promise<T> {
  const endMs = performance.now() + DEADLINE_MS
  for (;;) {
    const found = await look()
    if (found !== undefined) return found
    if (performance.now() > endMs) throw new Error('start the device plugin: no answer within 60 s')
    await setTimeout(intervalMs)
  }
}
