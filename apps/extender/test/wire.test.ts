import { readdirSync, readFileSync } from 'node:fs'
import type { HostPriority } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { readBindRequest, readNodesRequest, readPreemptRequest } from '../src/extender-args.ts'
import { post, startTestExtender } from './test-extender.ts'

interface Call {
  readonly verb: string
  readonly body: string
  /** The extender's response, which this kube-scheduler understood: it bound the pod or nominated a node. */
  readonly response: string
}

interface Recording {
  readonly program: string
  readonly withNames: readonly Call[]
  readonly withNodes: readonly Call[]
}

const folder = new URL('recordings/wire/', import.meta.url)
const recordings = readdirSync(folder).map(
  (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Recording,
)
const cases = recordings.flatMap(({ program, withNames, withNodes }) => [
  { it: `${program} with node names`, calls: withNames, hasNodes: false },
  { it: `${program} with whole nodes`, calls: withNodes, hasNodes: true },
])

const bodyOf = (calls: readonly Call[], verb: string): string => calls.find((call) => call.verb === verb)?.body ?? ''

/** Returns the keys of a response, or the scored nodes of a prioritize response. */
function formOf(response: unknown): unknown {
  if (Array.isArray(response)) return (response as readonly HostPriority[]).map(({ Host }) => Host).toSorted()
  return Object.keys(response as object)
}

describe('bytes of real kube-schedulers', () => {
  test('there are recordings of 1.29, 1.34, 1.36 and 1.37', () => {
    const minors = recordings.map(({ program }) => /1\.\d+/.exec(program)?.[0] ?? program)
    expect(minors.toSorted()).toEqual(['1.29', '1.34', '1.36', '1.37'])
  })

  test.for(cases)('the fields of every verb are read from the calls of $it', ({ calls, hasNodes }) => {
    expect(calls.map(({ verb }) => verb)).toEqual(['filter', 'prioritize', 'preempt', 'bind'])
    for (const verb of ['filter', 'prioritize']) {
      const { pod, names, nodes } = readNodesRequest(JSON.parse(bodyOf(calls, verb)))
      expect(pod.metadata).toMatchObject({ namespace: 'default', name: expect.stringMatching(/^holder-\d$/) as string })
      expect(names.toSorted()).toEqual(['node-1', 'node-2', 'node-3'])
      expect(nodes !== undefined).toBe(hasNodes)
    }
    const { pod, victims } = readPreemptRequest(JSON.parse(bodyOf(calls, 'preempt')))
    expect(pod.metadata.name).toBe('urgent')
    expect(victims.size).toBeGreaterThan(0)
    for (const { Pods } of victims.values()) expect(Pods).toEqual([{ UID: expect.stringMatching(/^.+$/) as string }])
    const { Node, PodUID } = readBindRequest(JSON.parse(bodyOf(calls, 'bind')))
    expect(Node).toMatch(/^node-\d$/)
    expect(PodUID).not.toBe('')
  })

  test.for(cases)('responses have the form that $it understood', async ({ calls }) => {
    // The nodes score differently: a response without a difference lists none of them.
    const scoringStrategy = { type: 'LeastAllocated', resources: [{ name: 'example.com/dongle' }] }
    const plugins = [{ name: 'NodeResourcesFit', weight: 1, args: { scoringStrategy } }]
    await using extender = await startTestExtender({ bindAs: 'replica-a', plugins })
    for (const dongles of [1, 2, 3])
      await extender.createNode(`node-${dongles}`, { 'example.com/dongle': `${dongles}` })
    await extender.settle()
    for (const { verb, body, response } of calls) {
      const answer = await extender.drive(post(extender.address, `/${verb}`, body))
      expect(answer.status).toBe(200)
      expect(formOf(answer.json())).toEqual(formOf(JSON.parse(response)))
    }
    const metrics = await extender.metrics.registry.metrics()
    expect(metrics).not.toContain('result="bad_request"')
  })
})
