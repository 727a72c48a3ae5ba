import { createClusterState } from '@berth/fit-engine'
import { parseRecordingLine, type RecordedChanges } from '@berth/scheduler-config'
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
  prioritize: () => new PriorityAnswer([], []),
  misfit: () => undefined,
  annotate: (pod) => ({ pod, annotations: undefined }),
  subscribe: () => () => undefined,
  notReady: () => undefined,
}

function start(options: { readonly maxBytes?: number; readonly append?: (text: string) => void } = {}) {
  const state = createClusterState()
  const nodes = new Map<string, Node>()
  let text = ''
  const recorded = recordVerdicts(evaluator, {
    view: { state, nodes: () => nodes.values() },
    append: options.append ?? ((more) => (text += more)),
    maxBytes: options.maxBytes ?? 100_000,
    plugins: [],
    ignoredResources: [],
    now: () => 0,
    log: silentLogger,
  })
  const lines = () => text.trimEnd().split('\n').map(parseRecordingLine)
  const changes = (): RecordedChanges | undefined => lines().findLast((line) => line?.kind === 'changes')
  return { state, nodes, recorded, lines, changes }
}

describe('recordVerdicts', () => {
  test('records only what changed since the call before, with the nodes of assumed pods', () => {
    const { state, nodes, recorded, lines, changes } = start()
    nodes.set('node-a', node('node-a'))
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
    nodes.delete('node-a')
    recorded.filter(request)
    expect(changes()).toMatchObject({ goneNodes: ['node-a'], goneNominated: [{ metadata: { uid: 'waits' } }] })
  })

  test('records no annotations, environment, commands, images, addresses and volumes', () => {
    const { state, nodes, recorded, lines } = start()
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
    nodes.set('node-a', recordedNode)
    state.setNode(recordedNode)
    state.setPod(holder)
    recorded.filter({ ...request, pod: { ...holder, metadata: { ...holder.metadata, uid: 'asked' } } })
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
