import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningProgram, startProgram } from '@berth/process/testing'
import { nodeOptions } from '@berth/tools/chart/node-options'
import { stringify } from 'yaml'
import type { KeyPair } from './certificates.ts'

/** Options of {@link startExtender}. */
export interface ExtenderProcessOptions {
  /** Folder for its files. */
  readonly dir: string
  /** Distinguishes the files of several extenders in one folder. */
  readonly name: string
  /** Text of the kubeconfig. */
  readonly kubeconfig: string
  readonly server: KeyPair
  /** Certificate of the authority of the callers. */
  readonly ca: string
  /** Further keys of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Whether to start the bundle in dist, with the flags and the environment of the chart, instead of the source. Default: false. */
  readonly isBuilt?: boolean
}

/** A running extender. Disposing ends it with SIGTERM. */
export interface ExtenderProcess extends AsyncDisposable {
  readonly port: number
  /** HOST:PORT of /readyz and /metrics. */
  readonly health: string
  readonly pid: number
  /** Ends it with SIGKILL, as a node failure does. */
  kill(): Promise<void>
}

const app = join(import.meta.dirname, '..', '..', 'apps', 'extender')

/** Starts an extender with mutual TLS on free loopback ports, and waits until it serves. */
export async function startExtender(options: ExtenderProcessOptions): Promise<ExtenderProcess> {
  const { dir, name, kubeconfig, server, ca, config = {}, isBuilt = false } = options
  const write = (suffix: string, text: string): string => {
    const path = join(dir, `extender-${name}.${suffix}`)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const file = write(
    'yaml',
    stringify({
      kubeconfig: write('kubeconfig', kubeconfig),
      listen: '127.0.0.1:0',
      healthAddress: '127.0.0.1:0',
      tlsCertFile: write('crt', server.cert),
      tlsPrivateKeyFile: write('key', server.key),
      clientCaFile: write('ca', ca),
      kubeApiQps: 2_000,
      kubeApiBurst: 4_000,
      ...config,
    }),
  )
  const main = join(app, ...(isBuilt ? ['dist', 'main.js'] : ['src', 'main.ts']))
  const running: RunningProgram = startProgram(main, ['--config', file], isBuilt ? nodeOptions('extender') : {})
  const { child, ended } = running
  const killAtExit = (): void => void child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const { address: health } = await running.line('Serving health')
  const { address } = await running.line('Serving scheduler extender')
  const end = async (signal: 'SIGTERM' | 'SIGKILL'): Promise<void> => {
    process.off('exit', killAtExit)
    child.kill(signal)
    await ended
  }
  await untilReady(String(health))
  return {
    port: Number(String(address).split(':').at(-1)),
    health: String(health),
    pid: child.pid ?? 0,
    kill: () => end('SIGKILL'),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  }
}

async function untilReady(health: string): Promise<void> {
  const deadlineMs = performance.now() + 60_000
  while (performance.now() < deadlineMs) {
    const response = await fetch(`http://${health}/readyz`).catch(() => undefined)
    if (response?.status === 200) return
    await new Promise((resolve) => void setTimeout(resolve, 50))
  }
  throw new Error(`the extender at ${health} is not ready within 60 s`)
}
