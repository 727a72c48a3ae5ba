import { homedir } from 'node:os'
import { join } from 'node:path'
import { connectTransport, loadKubeconfig } from '@berth/k8s-client'
import { systemClock } from '@berth/process/shutdown'
import type { ExchangeTarget } from '@berth/simulator/exchanges'
import { silentLogger } from '@berth/types'

/** Folder with what the real server answered, one file for each group of exchanges. */
export const recordingsFolder: string = join(
  import.meta.dirname,
  '..',
  '..',
  'packages',
  'simulator',
  'src',
  'exchanges',
  'recorded',
)

/** The real API server that a kubeconfig leads to, as exchanges speak to it. */
export function connectExchangeTarget(kubeconfig: string): ExchangeTarget & AsyncDisposable {
  const access = loadKubeconfig({ path: kubeconfig, env: process.env, home: homedir() })
  const transport = connectTransport(access, { log: silentLogger, clock: systemClock() })
  return {
    handle: transport.handle,
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    runId: `r${Date.now().toString(36).slice(-4)}`,
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}
