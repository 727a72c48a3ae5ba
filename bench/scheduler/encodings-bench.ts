import { realApiServerBinaries } from '@berth/e2e/real-api-server/real-api-server'
import type { Bench, Measurement } from '../measurement.ts'
import { rounded, summarize } from '../statistics.ts'
import { type RaceResult, runRace } from './run-race.ts'
import type { RaceEncoding } from './start-runner.ts'
import { sharedWorkload } from './workloads/waiting-pods.ts'

const encodings: readonly RaceEncoding[] = ['application/json', 'application/vnd.kubernetes.protobuf']
const values = { cpuUsPerPod: 'scheduler', serverCpuUsPerPod: 'kube-apiserver' } as const

/** Measures what protobuf saves the scheduler and the API server. */
export const encodingsBench: Bench = {
  name: 'encodings',
  summary: 'CPU time per pod of the scheduler and of kube-apiserver, with JSON and with protobuf',
  async run({ isQuick, progress }) {
    if (realApiServerBinaries() === undefined)
      throw new Error('run the encodings benchmark: kube-apiserver is missing: run e2e/node-image/build-node-image')
    const [nodes, pods, rounds] = isQuick ? [200, 300, 1] : [1_000, 1_500, 5]
    const results = new Map(encodings.map((encoding) => [encoding, new Array<RaceResult>()]))
    for (let round = 0; round < rounds; round++) {
      // The first encoding changes from round to round.
      for (const encoding of round % 2 === 0 ? encodings : encodings.toReversed()) {
        const result = await runRace('berth', { workload: sharedWorkload({ nodes, pods }), encoding })
        results.get(encoding)?.push(result)
        const [own, servers] = [rounded(result.cpuUsPerPod), rounded(result.serverCpuUsPerPod)]
        progress(`${encoding}: ${own} us of CPU time a pod, kube-apiserver ${servers} us`)
      }
    }
    return [...results].flatMap(([encoding, measured]) =>
      (['cpuUsPerPod', 'serverCpuUsPerPod'] as const).map((value): Measurement => ({
        bench: 'encodings',
        case: `${encoding}, ${pods} pods, ${nodes} nodes: CPU time a pod, ${values[value]}`,
        unit: 'us',
        ...summarize(measured.map((result) => result[value])),
      })),
    )
  },
}
