import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RealApiServer } from '@berth/e2e/real-api-server/real-api-server'
import { untilReady } from '@berth/e2e/real-scheduler/until-ready'
import { startProgram } from '@berth/process/testing'
import { nodeOptions } from '@berth/tools/chart/node-options'
import { stringify } from 'yaml'

/** The built advertiser. */
export const MAIN: string = join(import.meta.dirname, '..', '..', 'apps', 'advertiser', 'dist', 'main.js')
const READY_WITHIN_MS = 300_000

/** An advertiser in its own process. Disposing ends it with SIGTERM. */
export interface AdvertiserProcess extends AsyncDisposable {
  readonly pid: number
  /** HOST:PORT of /readyz and /metrics. */
  readonly health: string
  /** Resolves when every node of the first list has been reconciled. */
  ready(): Promise<void>
}

/** Starts the built advertiser with resources for nodes. */
export async function startAdvertiser(server: RealApiServer, resources: readonly object[]): Promise<AdvertiserProcess> {
  const write = (name: string, text: string): string => {
    const path = join(server.dir, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  const kubeconfig = write('advertiser.kubeconfig', server.kubeconfig())
  const file = write('advertiser.yaml', stringify({ kubeconfig, healthAddress: '127.0.0.1:0', resources }))
  const args = ['--config', file, '--log-format', 'json']
  const { child, ended, line } = startProgram(MAIN, args, nodeOptions('advertiser'))
  const killAtExit = (): void => void child.kill('SIGKILL')
  process.once('exit', killAtExit)
  const { address } = await line('Serving health')
  const health = String(address)
  return {
    pid: child.pid ?? 0,
    health,
    ready: () => untilReady(health, READY_WITHIN_MS),
    async [Symbol.asyncDispose]() {
      process.off('exit', killAtExit)
      child.kill('SIGTERM')
      await ended
    },
  }
}
