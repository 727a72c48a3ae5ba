import { realApiServerBinaries } from '@berth/e2e/real-api-server/real-api-server'
import type { Bench } from '../measurement.ts'
import { benchLatency } from './latency-cases.ts'
import { benchRates } from './rate-cases.ts'

/** Measures the extender over mutual TLS: single calls, its memory, and the rate of a real kube-scheduler. */
export const extenderBench: Bench = {
  name: 'extender',
  summary: 'the extender over mutual TLS: p99 of calls, memory, and kube-scheduler against a pass-through extender',
  async run(options) {
    requireBinaries()
    return [...(await benchLatency(options)), ...(await benchRates(options))]
  },
}

/** @throws Error when the programs of Kubernetes are missing. */
export function requireBinaries(): void {
  if (realApiServerBinaries() !== undefined) return
  throw new Error(
    'run the benchmark: kube-scheduler, etcd and kube-apiserver are missing: run e2e/node-image/build-node-image',
  )
}
