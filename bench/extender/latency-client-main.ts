/** Calls an extender, one call at a time, and prints the times of each verb and number of names. */
import type { ExtenderFilterResult } from '@berth/types'
import { readFileSync } from 'node:fs'
import { assertCorrect } from '../measurement.ts'
import { connectToExtender, nodesBody } from './extender-client.ts'
import { type LatencyPlan, timesMessage } from './latency-plan.ts'

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as LatencyPlan
const { port, ca, caller, namesPerCall, rounds, callsPerRound } = plan
using client = await connectToExtender(port, ca, caller)
for (const names of namesPerCall) {
  // No node of the cluster has a free dongle, so that a filter response has a reason for each name. kube-scheduler asks for
  // scores of nodes that passed only.
  const bodies = { filter: nodesBody(names), prioritize: nodesBody(names, 'cpu') }
  for (const verb of ['filter', 'prioritize'] as const) {
    const body = bodies[verb]
    const times: number[][] = []
    for (let round = 0; round < rounds; round++) {
      // The garbage of this process must not be collected during a call.
      globalThis.gc?.()
      const samples: number[] = []
      for (let i = 0; i < callsPerRound; i++) {
        const { ms, response } = await client.call(verb, body)
        checkAnswer(verb, response, names)
        samples.push(ms)
      }
      times.push(samples)
    }
    console.log(JSON.stringify({ msg: timesMessage(verb, names), times }))
  }
}

function checkAnswer(verb: 'filter' | 'prioritize', response: unknown, names: number): void {
  const { Error, NodeNames, FailedNodes } = response as ExtenderFilterResult
  const count =
    verb === 'filter'
      ? (NodeNames?.length ?? 0) + Object.keys(FailedNodes ?? {}).length
      : (response as readonly unknown[]).length
  assertCorrect((Error ?? '') === '' && count === names, `${verb} judged ${count} of ${names} nodes: ${Error}`)
}
