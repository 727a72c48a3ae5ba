import { DevicePluginClient } from '@berth/kubelet-api'
import { nodeOptions } from '@berth/tools/chart/node-options'
import { credentials } from '@grpc/grpc-js'
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

/** The built device plugin. */
export const MAIN: string = join(import.meta.dirname, '..', '..', 'apps', 'device-plugin', 'dist', 'main.cjs')
const DEADLINE_MS = 60_000

/** Ids of the healthy devices of one list. */
type DeviceList = readonly string[]

/** Memory of a process, in bytes. */
export interface Memory {
  readonly resident: number
  /** Without the pages of the program's file, which the kernel shares and can drop. */
  readonly anonymous: number
}

/** A device plugin in its own process, with the benchmark as its kubelet. */
export interface PluginProcess extends AsyncDisposable {
  readonly pid: number
  readonly client: DevicePluginClient
  /** From the start of the process to the first list. */
  readonly firstListMs: number
  /** Waits for a list that satisfies the condition. Returns how long that took since the call, milliseconds. */
  untilList(isWanted: (ids: DeviceList) => boolean): Promise<number>
  memory(): Promise<Memory>
}

/** Starts Berth's device plugin with one resource and opens its stream. */
export async function startPlugin(resource: object): Promise<PluginProcess> {
  const { nodeFlags, env } = nodeOptions('device-plugin')
  return await startProcess((sockets) => ({
    program: process.execPath,
    args: [
      ...nodeFlags,
      MAIN,
      '--health-address=127.0.0.1:0',
      '--plugins-registry',
      sockets,
      '--resources',
      JSON.stringify([resource]),
    ],
    env,
  }))
}

/**
 * Starts upstream's sample-device-plugin, which has two devices, and opens its stream. It does not register, because the
 * directory of the kubelet's socket is compiled in.
 */
export async function startSamplePlugin(program: string): Promise<PluginProcess> {
  return await startProcess((sockets) => ({
    program,
    args: [],
    env: { PLUGIN_SOCK_DIR: sockets, REGISTER_CONTROL_FILE: join(sockets, 'never-deleted') },
  }))
}

async function startProcess(
  commandFor: (sockets: string) => {
    readonly program: string
    readonly args: readonly string[]
    readonly env?: Readonly<Record<string, string>>
  },
): Promise<PluginProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'dp-bench-'))
  const sockets = join(directory, 'sockets')
  await mkdir(sockets)
  const startedMs = performance.now()
  const { program, args, env = {} } = commandFor(sockets)
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'ignore'] })
  const socket = await poll(async () => (await readdir(sockets)).find((name) => /\.sock$|^dp\./.test(name)))
  const client = new DevicePluginClient(`unix://${join(sockets, socket)}`, credentials.createInsecure())
  let last: DeviceList | undefined
  const stream = client.listAndWatch({})
  stream.on(
    'data',
    ({ devices }: { readonly devices: readonly { readonly ID: string; readonly health: string }[] }) => {
      last = devices.filter(({ health }) => health === 'Healthy').map(({ ID }) => ID)
    },
  )
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
    async memory() {
      const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
      const bytes = (key: string): number => Number(new RegExp(`^${key}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024
      return { resident: bytes('VmRSS'), anonymous: bytes('RssAnon') }
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
