import { systemClock } from '@berth/clock'
import { homedir } from 'node:os'
import { connectTransport, loadKubeconfig, type Transport } from '@berth/k8s-client'
import type { ConformanceTarget } from '@berth/api-conformance'
import { silentLogger } from '@berth/types'

/** Connects to the API server that a kubeconfig names, as the target of conformance cases. */
export function connectConformanceTarget(kubeconfig: string): ConformanceTarget & AsyncDisposable {
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
    startOfSecond: () => new Promise((resolve) => setTimeout(resolve, 1000 - (Date.now() % 1000))),
    runId: `r${Date.now().toString(36).slice(-4)}`,
    async [Symbol.asyncDispose]() {
      for (const each of [transport, ...others.values()]) await each[Symbol.asyncDispose]()
    },
  }
}
