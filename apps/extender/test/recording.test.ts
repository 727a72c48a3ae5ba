import { seededRandom } from '@berth/clock/testing'
import { type ClusterState, createClusterState } from '@berth/fit-engine'
import { createRecordedState, parseRecordingLine, type RecordedChanges } from '@berth/scheduler-config'
import { type Node, type Pod, silentLogger } from '@berth/types'
import { describe, expect, test } from 'vitest'
import type { Evaluator } from '../src/evaluator.ts'
import { FilterAnswer } from '../src/responses/filter-answer.ts'
import { PriorityAnswer } from '../src/responses/priority-answer.ts'
import { recordVerdicts } from '../src/recording/record-verdicts.ts'

const node = (name: string): Node => ({ metadata: { name }, status: { allocatable: { cpu: '4', pods: '10' } } })
const pod = (name: string, spec: Partial<Pod['spec']> = {}): Pod => ({
  metadata: { name, namespace: 'default', uid: name },
  spec: { containers: [], ...spec },
})
const request = { pod: pod('web'), names: ['node-a'], nodes: undefined }
const evaluator: Evaluator = {
  filter: () => new FilterAnswer({ passed: ['node-a'], failed: [], unresolvable: [] }, null),
  passes: () => true,
  prioritize: ({ names }) => new PriorityAnswer(names, [3, 7]),
  misfit: () => 'Insufficient example.com/dongle',
  annotate: (pod) => ({ pod, annotations: undefined }),
  subscribe: () => () => undefined,
  notReady: () => undefined,
}

function start(options: { readonly maxBytes?: number; readonly append?: (text: string) => void } = {}) {
  const state = createClusterState()
  let text = ''
  const recorded = recordVerdicts(evaluator, {
    view: { state },
    append: options.append ?? ((more) => (text += more)),
    maxBytes: options.maxBytes ?? 100_000,
    plugins: [],
    ignoredResources: [],
    now: () => 0,
    log: silentLogger,
  })
  const lines = () => text.trimEnd().split('\n').map(parseRecordingLine)
  const changes = (): RecordedChanges | undefined => lines().findLast((line) => line?.kind === 'changes')
  return { state, recorded, lines, changes }
}

/** Returns what decisions read of the state, in a fixed order. */
function contentOf(state: ClusterState): unknown {
  const nodes = state.nodeNames().toSorted()
  const onNodes = (entries: readonly (readonly [Pod, string | undefined])[]): readonly string[] =>
    entries.map(([{ metadata }, nodeName]) => `${metadata.uid} on ${nodeName}`).toSorted()
  return {
    nodes,
    pods: onNodes([...state.pods()].map((pod) => [pod, state.placementOf(pod)?.nodeName])),
    nominated: onNodes(nodes.flatMap((name) => state.nominatedPods(name).map((pod) => [pod, name]))),
    budgets: state.objects
      .list('podDisruptionBudgets')
      .map(({ metadata, status }) => `${metadata.name}: ${status?.disruptionsAllowed}`)
      .toSorted(),
  }
}

describe('recordVerdicts', () => {
  test('records only what changed since the call before, with the nodes of assumed pods', () => {
    const { state, recorded, lines, changes } = start()
    state.setNode(node('node-a'))
    recorded.filter(request)
    expect(lines().map((line) => line?.kind)).toEqual(['start', 'changes', 'filter'])
    recorded.filter(request)
    expect(lines()).toHaveLength(4)
    state.assume(pod('flying'), 'node-a')
    recorded.filter(request)
    expect(changes()).toMatchObject({
      nodes: [],
      pods: [{ metadata: { uid: 'flying' }, spec: { nodeName: 'node-a' } }],
    })
    state.forget(pod('flying'))
    state.nominate(pod('waits'), 'node-a')
    recorded.filter(request)
    expect(changes()).toMatchObject({
      gonePods: [{ metadata: { uid: 'flying' } }],
      nominated: [{ pod: { metadata: { uid: 'waits' } }, node: 'node-a' }],
    })
    state.clearNomination(pod('waits'))
    state.deleteNode('node-a')
    recorded.filter(request)
    expect(changes()).toMatchObject({ goneNodes: ['node-a'], goneNominated: [{ metadata: { uid: 'waits' } }] })
  })

  test('records a pod that moves to another node once, and a node whose row was used by another one', () => {
    const { state, recorded, changes } = start()
    for (const name of ['node-a', 'node-b']) state.setNode(node(name))
    state.setPod(pod('moved', { nodeName: 'node-a' }))
    recorded.filter(request)
    state.setPod(pod('moved', { nodeName: 'node-b' }))
    recorded.filter(request)
    expect(changes()).toMatchObject({
      pods: [{ metadata: { uid: 'moved' }, spec: { nodeName: 'node-b' } }],
      gonePods: [],
    })
    state.deleteNode('node-a')
    state.setNode(node('node-c'))
    recorded.filter(request)
    expect(changes()).toMatchObject({ nodes: [{ metadata: { name: 'node-c' } }], goneNodes: ['node-a'], pods: [] })
  })

  test('the changes of random writes reproduce nodes, pods, nominations and budgets', () => {
    const { state, recorded, lines } = start({ maxBytes: Infinity })
    const random = seededRandom(7)
    const pick = (count: number): number => Math.floor(random() * count)
    for (let step = 0; step < 500; step++) {
      const [name, nodeName] = [`pod-${pick(20)}`, `node-${pick(6)}`]
      const budget = { metadata: { name, namespace: 'default' }, spec: {}, status: { disruptionsAllowed: pick(3) } }
      const write = [
        () => state.setNode(node(nodeName)),
        () => state.deleteNode(nodeName),
        () => state.setPod(pod(name, { nodeName })),
        () => state.deletePod(pod(name)),
        () => state.placementOf(pod(name)) ?? state.assume(pod(name), nodeName),
        () => state.forget(pod(name)),
        () => state.placementOf(pod(name)) ?? state.nominate(pod(name), nodeName),
        () => state.clearNomination(pod(name)),
        () => state.objects.set('podDisruptionBudgets', budget),
        () => state.objects.delete('podDisruptionBudgets', `default/${name}`),
      ][pick(10)]
      write?.()
      if (pick(3) === 0) recorded.filter(request)
    }
    for (let i = 0; i < 6; i++) state.setNode(node(`node-${i}`))
    recorded.filter(request)
    const replayed = createRecordedState()
    for (const line of lines()) if (line?.kind === 'changes') replayed.apply(line)
    expect(contentOf(replayed.state)).toEqual(contentOf(state))
  })

  test('records scores, the victims of the engine and why a bind was refused', () => {
    const { recorded, lines } = start()
    recorded.prioritize({ ...request, names: ['node-a', 'node-b'] })
    recorded.noteReview?.(
      pod('urgent'),
      new Map([['node-a', { Pods: [{ UID: 'one' }], NumPDBViolations: 0 }]]),
      new Map([['node-a', { Pods: [{ UID: 'one' }, { UID: 'two' }], NumPDBViolations: 1 }]]),
    )
    recorded.misfit(pod('web'), 'node-a')
    expect(lines().slice(1)).toMatchObject([
      { kind: 'prioritize', names: ['node-a', 'node-b'], scores: [3, 7] },
      { kind: 'preempt', proposed: [['node-a', ['one']]], reviewed: [['node-a', ['one', 'two']]] },
      { kind: 'bind', pod: { metadata: { name: 'web' } }, node: 'node-a', reason: 'Insufficient example.com/dongle' },
    ])
  })

  test('records no annotations, environment, commands, images, addresses and volumes', () => {
    const { state, recorded, lines } = start()
    const container = {
      name: 'main',
      image: 'secret.example.com/image',
      command: ['secret'],
      args: ['--secret'],
      env: [{ name: 'TOKEN', value: 'secret' }],
      envFrom: [{ secretRef: { name: 'secret' } }],
      volumeMounts: [{ name: 'secret', mountPath: '/secret' }],
      livenessProbe: { exec: { command: ['secret'] } },
      resources: { requests: { 'example.com/dongle': '1' } },
    }
    const annotations = { note: 'secret' }
    const holder = {
      metadata: { name: 'holder', namespace: 'default', uid: 'holder', labels: { app: 'web' }, annotations },
      spec: {
        nodeName: 'node-a',
        serviceAccountName: 'secret',
        containers: [container],
        initContainers: [container],
        volumes: [{ name: 'secret', secret: { secretName: 'secret' } }],
      },
    } as unknown as Pod
    const own = node('node-a')
    const recordedNode = {
      ...own,
      metadata: { ...own.metadata, annotations },
      status: { ...own.status, addresses: [{ type: 'Hostname', address: 'secret' }], images: [{ names: ['secret'] }] },
    } as unknown as Node
    state.setNode(recordedNode)
    state.setPod(holder)
    const asked = { ...holder, metadata: { ...holder.metadata, uid: 'asked' } }
    recorded.filter({ ...request, pod: asked })
    recorded.prioritize({ ...request, pod: asked })
    recorded.noteReview?.(asked, new Map(), new Map())
    recorded.misfit(asked, 'node-a')
    const text = JSON.stringify(lines())
    expect(text).toContain('example.com/dongle')
    expect(text).toContain('"app":"web"')
    expect(text).not.toContain('secret')
  })

  test('records the data of the ConfigMaps that plugins read, without annotations', () => {
    const { state, recorded, changes } = start()
    const metadata = { name: 'limits', namespace: 'ops', annotations: { note: 'secret' } }
    state.objects.set('configMaps', { metadata, data: { red: '4' } })
    recorded.filter(request)
    expect(changes()?.objects).toEqual([
      ['configMaps', { metadata: { name: 'limits', namespace: 'ops' }, data: { red: '4' } }],
    ])
    state.objects.delete('configMaps', 'ops/limits')
    recorded.filter(request)
    expect(changes()?.goneObjects).toEqual([['configMaps', 'ops/limits']])
  })

  test('stops at the maximum size with a last line that says so, and still answers', () => {
    const { recorded, lines } = start({ maxBytes: 1_000 })
    for (let i = 0; i < 50; i++) recorded.prioritize(request)
    recorded.misfit(pod('web'), 'node-a')
    for (let i = 0; i < 50; i++) expect(recorded.filter(request).NodeNames).toEqual(['node-a'])
    expect(lines().at(-1)).toEqual({ kind: 'end', reason: 'the recording reached 1000 bytes' })
    expect(JSON.stringify(lines()).length).toBeLessThan(1_500)
  })

  test('answers when the recording fails', () => {
    let isBroken = false
    const append = (): void => {
      if (isBroken) throw new Error('no space left')
    }
    const { recorded } = start({ append })
    isBroken = true
    expect(recorded.filter(request).NodeNames).toEqual(['node-a'])
  })
})
