import { readFileSync } from 'node:fs'
import type { ExtenderFilterResult, HostPriority, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { readBindRequest, readNodesRequest } from '../src/extender-args.ts'
import { post, startTestExtender, type TestExtender } from './test-extender.ts'

const DONGLE = 'example.com/dongle'
const one = { [DONGLE]: '1' }

interface Recording {
  readonly calls: readonly { readonly verb: string; readonly body: string }[]
}

/** Calls as a real kube-scheduler v1.36.3 sent them for pods in an API server of that version. */
const { calls } = JSON.parse(
  readFileSync(new URL('recordings/kube-scheduler-1.36.3.json', import.meta.url), 'utf8'),
) as Recording
const bodyOf = (verb: string): string => calls.find((call) => call.verb === verb)?.body ?? ''

/** Starts an extender with three of the nodes that the recorded calls name; node-3 has no free dongle. */
async function start(): Promise<TestExtender> {
  const extender = await startTestExtender({ bindAs: 'replica-a' })
  for (const name of ['node-1', 'node-2', 'node-3']) await extender.createNode(name, one)
  await extender.createBoundPod('holder', 'node-3', one)
  await extender.settle()
  return extender
}

describe('checklist 7.12 with the bytes of kube-scheduler 1.36', () => {
  test('7.12.1 and 7.12.4: filter answers 200 with every key, and each node is in one place', async () => {
    await using extender = await start()
    const answer = await post(extender.address, '/filter', bodyOf('filter'))
    const result = answer.json() as Required<ExtenderFilterResult>
    expect(answer.status).toBe(200)
    expect(Object.keys(result)).toEqual(['Nodes', 'NodeNames', 'FailedNodes', 'FailedAndUnresolvableNodes', 'Error'])
    expect(result).toMatchObject({
      Nodes: null,
      FailedNodes: { 'node-3': 'Insufficient example.com/dongle' },
      Error: '',
    })
    expect(result.NodeNames?.toSorted()).toEqual(['node-1', 'node-2'])
    const { names } = readNodesRequest(JSON.parse(bodyOf('filter')))
    expect(Object.keys(result.FailedAndUnresolvableNodes)).toHaveLength(names.length - 3)
  })

  test('7.12.4: NodeNames is an empty list when no node passes', async () => {
    await using extender = await startTestExtender()
    const { json } = await post(extender.address, '/filter', bodyOf('filter'))
    expect(json()).toMatchObject({ NodeNames: [], Error: '' })
  })

  test('7.12.5: prioritize answers whole numbers in the order of the call, and the same ones again', async () => {
    await using extender = await start()
    const first = (await post(extender.address, '/prioritize', bodyOf('prioritize'))).json() as readonly HostPriority[]
    const { names } = readNodesRequest(JSON.parse(bodyOf('prioritize')))
    expect(first.map(({ Host }) => Host)).toEqual(names)
    expect(first.every(({ Score }) => Number.isInteger(Score) && Score >= 0 && Score <= 10)).toBe(true)
    expect((await post(extender.address, '/prioritize', bodyOf('prioritize'))).json()).toEqual(first)
  })

  test('7.12.6: filter reserves nothing', async () => {
    await using extender = await start()
    const passes = async (): Promise<unknown> =>
      ((await post(extender.address, '/filter', bodyOf('filter'))).json() as ExtenderFilterResult).NodeNames
    expect(await passes()).toEqual(await passes())
    expect(extender.view.stats().assumed).toBe(0)
  })

  test('7.12.7: filter counts the pods that this replica binds', async () => {
    await using extender = await start()
    const pod: Pod = await extender.createPod('web', one)
    await extender.settle()
    extender.view.assume(pod, 'node-1')
    const { json } = await post(extender.address, '/filter', bodyOf('filter'))
    expect(json()).toMatchObject({ NodeNames: ['node-2'] })
    extender.view.forget(pod)
  })

  test('7.12.8: bind names the pod with its uid and the node', () => {
    expect(readBindRequest(JSON.parse(bodyOf('bind')))).toEqual({
      PodName: 'pod-225',
      PodNamespace: 'default',
      PodUID: 'e90c8b1d-4cd7-413f-9f23-06aad7237920',
      Node: 'node-3',
    })
  })
})
