import { homedir } from 'node:os'
import { join } from 'node:path'
import { connectTransport, loadKubeconfig, type Transport } from '@berth/k8s-client'
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
  const parts = { log: silentLogger, clock: systemClock() }
  const transport = connectTransport(access, parts)
  const others = new Map<string, Transport>()
  return {
    handle: transport.handle,
    handleAs(token) {
      const credentials = { headers: { authorization: `Bearer ${token}` } }
      const other = others.get(token) ?? connectTransport({ ...access, credentials: async () => credentials }, parts)
      others.set(token, other)
      return other.handle
    },
    pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    runId: `r${Date.now().toString(36).slice(-4)}`,
    async [Symbol.asyncDispose]() {
      for (const each of [transport, ...others.values()]) await each[Symbol.asyncDispose]()
    },
  }
}
