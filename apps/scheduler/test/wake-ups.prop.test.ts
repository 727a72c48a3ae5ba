import { POD_GROUP_LABEL } from '@berth/fit-engine'
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WakeIndex } from '../src/queue/wake-ups/wake-index.ts'
import { BLESSED, GROUP_SIZE, groupOf, WakeUpWorld } from './wake-up-world.ts'

const DONGLE = 'example.com/dongle'
const NODES = 3
const kinds = ['leave', 'leave', 'grow', 'label', 'taint', 'taint', 'bless', 'bind-claim', 'delete', 'node'] as const

const step = fc.record({
  kind: fc.constantFrom('add', 'add', 'add', 'add', 'add', 'fail', ...kinds),
  row: fc.nat(NODES - 1),
  pod: fc.nat(30),
  dongles: fc.integer({ min: 0, max: 3 }),
  cpu: fc.integer({ min: 1, max: 3 }),
  priority: fc.nat(2),
  selects: fc.option(fc.constantFrom('a', 'b'), { nil: undefined, freq: 3 }),
  host: fc.boolean(),
  antiAffine: fc.boolean(),
  needsBlessing: fc.nat(5).map((n) => n === 0),
  claim: fc.option(fc.constantFrom('c1', 'c2'), { nil: undefined, freq: 4 }),
  /** How many pods are popped before the first of them is decided. */
  inFlight: fc.integer({ min: 1, max: 4 }),
  settles: fc.boolean(),
})
const steps = fc.array(step, { minLength: 5, maxLength: 40, size: 'max' })
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

function newPod(name: string, made: Step, group: string | undefined): Pod {
  const { dongles, cpu, priority, selects, host, antiAffine, needsBlessing, claim } = made
  const requests = { cpu: `${cpu}`, ...(dongles > 0 && { [DONGLE]: `${dongles}` }) }
  const labels = { ...(antiAffine && { app: 'alone' }), ...(group !== undefined && { [POD_GROUP_LABEL]: group }) }
  const annotations = needsBlessing ? { [BLESSED]: '' } : {}
  const alone = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'alone' } } }
  return {
    metadata: { name, namespace: 'default', uid: name, labels, annotations },
    spec: {
      priority,
      ...(selects !== undefined && { nodeSelector: { zone: selects } }),
      ...(antiAffine && { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [alone] } } }),
      ...(claim !== undefined && { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: claim } }] }),
      containers: [{ name: 'c', resources: { requests }, ...(host && { ports: [{ containerPort: 1, hostPort: 1 }] }) }],
    },
  }
}

function newNode(row: number, dongles: number, zone: string): Node {
  const name = `n${row}`
  return {
    metadata: { name, labels: { zone, 'kubernetes.io/hostname': name } },
    spec: {},
    status: { allocatable: { cpu: '4', pods: '4', [DONGLE]: `${dongles}` } },
  }
}

/** The cluster of a history, and what each step does to it. */
class History {
  readonly world: WakeUpWorld
  readonly pods = new Map<string, Pod>()
  readonly #nodes = new Map<number, Node>()
  #members = 0

  constructor(plant?: (index: WakeIndex) => WakeIndex, indexAbove?: number) {
    this.world = new WakeUpWorld(plant, indexAbove)
    for (let row = 0; row < NODES - 1; row++) this.#setNode(row, newNode(row, 1, 'a'))
    for (const name of ['c1', 'c2']) this.world.state.objects.set('persistentVolumeClaims', claim(name, false))
  }

  #setNode(row: number, node: Node): void {
    const old = this.#nodes.get(row)
    this.#nodes.set(row, node)
    this.world.state.setNode(node)
    this.world.observe(old === undefined ? { kind: 'node-added', node } : { kind: 'node-updated', old, node })
  }

  /** @param isGrouped - An added pod joins the latest group, or begins one when that is complete. */
  apply(name: string, next: Step, isGrouped = false): void {
    const { world, pods } = this
    const { kind, row, dongles, selects = 'a' } = next
    const node = this.#nodes.get(row)
    if (kind === 'add') {
      const pod = newPod(name, next, isGrouped ? `g${Math.floor(this.#members++ / GROUP_SIZE)}` : undefined)
      pods.set(name, pod)
      world.add(pod)
    } else if (kind === 'leave' || kind === 'delete') {
      const names = [...(kind === 'leave' ? world.bound : pods).keys()]
      const victim = names[next.pod % Math.max(1, names.length)] ?? ''
      const pod = pods.get(victim)
      if (pod === undefined) return
      pods.delete(victim)
      world.remove(pod)
    } else if (kind === 'fail') world.failures += 1
    else if (kind === 'bind-claim') this.#bindClaim(next.host ? 'c1' : 'c2')
    else if (node === undefined) this.#setNode(row, newNode(row, dongles, selects))
    else if (kind === 'grow') {
      this.#setNode(row, { ...node, status: { allocatable: { ...node.status?.allocatable, [DONGLE]: `${dongles}` } } })
    } else if (kind === 'label') {
      const labels = { ...node.metadata.labels, zone: selects }
      this.#setNode(row, { ...node, metadata: { ...node.metadata, labels } })
    } else if (kind === 'bless') {
      const annotations = next.host ? { [BLESSED]: '' } : {}
      this.#setNode(row, { ...node, metadata: { ...node.metadata, annotations } })
    } else {
      const taints = next.host ? [{ key: 'k', effect: 'NoSchedule' }] : []
      this.#setNode(row, { ...node, spec: { taints } })
    }
  }

  #bindClaim(name: string): void {
    const { objects } = this.world.state
    const volume: PersistentVolume = {
      metadata: { name: `v-${name}` },
      spec: { claimRef: { namespace: 'default', name } },
    }
    const object = claim(name, true)
    objects.set('persistentVolumes', volume)
    objects.set('persistentVolumeClaims', object)
    this.world.observe({ kind: 'object-updated', resource: 'persistentVolumeClaims', object, old: claim(name, false) })
  }

  [Symbol.dispose](): void {
    this.world[Symbol.dispose]()
  }
}

function claim(name: string, isBound: boolean): PersistentVolumeClaim {
  const annotations = isBound ? { 'pv.kubernetes.io/bind-completed': 'yes' } : {}
  return {
    metadata: { name, namespace: 'default', uid: name, annotations },
    spec: { accessModes: ['ReadWriteMany'], storageClassName: '', ...(isBound && { volumeName: `v-${name}` }) },
  }
}

/**
 * Runs random histories in which attempts overlap with changes. At the end, every waiting pod must be one that does not
 * fit.
 *
 * @returns The number of attempts.
 */
async function runHistories(
  numRuns: number,
  plant?: (index: WakeIndex) => WakeIndex,
  indexAbove?: number,
): Promise<number> {
  let attempts = 0
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      using history = new History(plant, indexAbove)
      const { world } = history
      for (const [i, next] of drawn.entries()) {
        history.apply(`p${i}`, next)
        world.popUpTo(next.inFlight)
        if (next.settles) await world.settle()
      }
      await world.settle()
      for (const { place, info } of world.queue.pods()) {
        expect(place).toBe('unschedulable')
        expect(world.decide(info.pod).feasible).toEqual([])
      }
      expect(world.queue.counts().inFlight).toBe(0)
      attempts += world.attempts
    }),
    { numRuns, ...(plant !== undefined && { seed: 1, endOnFailure: true }) },
  )
  return attempts
}

/**
 * Runs random histories of groups that are placed together or not at all. A waiting group that fits after a step must
 * be one that no hint of its members would have requeued either.
 *
 * @returns The number of members that were placed.
 */
async function runGroupHistories(numRuns: number, plant?: (index: WakeIndex) => WakeIndex): Promise<number> {
  let placed = 0
  await fc.assert(
    fc.asyncProperty(steps, async (drawn) => {
      using history = new History(plant)
      const { world, pods } = history
      for (const [i, next] of drawn.entries()) {
        world.hinted.clear()
        // Members that wait for little else fit more often.
        history.apply(
          `p${i}`,
          { ...next, cpu: 1, claim: undefined, needsBlessing: false, selects: undefined },
          !next.antiAffine,
        )
        await world.settle()
        const waiting = [...world.queue.pods()].filter(({ place }) => place === 'unschedulable')
        for (const { info } of waiting) {
          const group = groupOf(info.pod)
          const members = group === undefined ? [] : [...pods.values()].filter((pod) => groupOf(pod) === group)
          const unbound = members.filter(({ metadata: { name = '' } }) => !world.bound.has(name))
          const isComplete = members.length >= GROUP_SIZE && unbound.length > 0
          const isMissed = world.hinted.has(info.key) && isComplete && world.fitTogether(unbound)
          expect({ pod: info.key, isMissed }).toEqual({ pod: info.key, isMissed: false })
        }
      }
      placed += [...world.bound.values()].filter((pod) => groupOf(pod) !== undefined).length
    }),
    { numRuns, ...(plant !== undefined && { seed: 1, endOnFailure: true }) },
  )
  return placed
}

test('no pod that fits stays unschedulable, whatever changes and whichever attempts overlap', async () => {
  expect(await runHistories(200)).toBeGreaterThan(1_000)
})

test('no pod that fits stays unschedulable while the queue begins and ends to use the index', async () => {
  expect(await runHistories(200, undefined, 3)).toBeGreaterThan(1_000)
})

test('no pod group stays unschedulable that fits and that the hints of its members would requeue', async () => {
  expect(await runGroupHistories(60)).toBeGreaterThan(10)
})

const withoutTopic =
  (prefix: string) =>
  (index: WakeIndex): WakeIndex => ({
    ...index,
    subjectOf: (change) => {
      const { topics, freedNode } = index.subjectOf(change)
      return { topics: topics.filter((topic) => !topic.startsWith(prefix) && topic !== 'any-change'), freedNode }
    },
  })

test.for<readonly [string, (index: WakeIndex) => WakeIndex]>([
  [
    'forgets that pods leave room',
    (index) => ({ ...index, subjectOf: (change) => ({ ...index.subjectOf(change), freedNode: undefined }) }),
  ],
  ['forgets changes of taints', withoutTopic('node-taints')],
  ['forgets changes of labels', withoutTopic('node-label')],
  ['forgets changes of claims', withoutTopic('claim ')],
  ['forgets that pods leave ports', withoutTopic('pod-')],
  [
    'indexes the pods of a plugin without hints',
    (index) => ({
      ...index,
      conditionsOf: (info) => ({ ...index.conditionsOf(info), topics: index.conditionsOf(info).topics ?? [] }),
    }),
  ],
  ['offers room to the first pod only', (index) => ({ ...index, roomOn: alternately((name) => index.roomOn(name)) })],
])('a planted mistake is found: the index %s', async ([, plant]) => {
  await expect(runHistories(400, plant)).rejects.toThrow('Property failed')
})

const indexesMembersAlone = (index: WakeIndex): WakeIndex => ({
  ...index,
  conditionsOf: (info) => index.conditionsOf({ ...info, pod: withoutGroup(info.pod) }),
  isHelpedBeyondRoom: (info, change) => index.isHelpedBeyondRoom({ ...info, pod: withoutGroup(info.pod) }, change),
})

test.for<readonly [string, (index: WakeIndex) => WakeIndex, number]>([
  ['is placed', (index) => index, 2],
  ['is missed with a planted mistake: members wait for their own room', indexesMembersAlone, 0],
])('a group whose small member can leave the node to the large one %s', async ([, plant, count]) => {
  using world = new WakeUpWorld(plant)
  const setNode = (row: number, dongles: number): void => world.state.setNode(newNode(row, dongles, 'a'))
  setNode(0, 3)
  setNode(1, 1)
  const pod = (name: string, dongles: number, group?: string): Pod => ({
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      labels: group === undefined ? {} : { [POD_GROUP_LABEL]: group },
    },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1', [DONGLE]: `${dongles}` } } }] },
  })
  const tenant = { ...pod('tenant', 1), spec: { ...pod('tenant', 1).spec, nodeName: 'n1' } }
  world.state.setPod(tenant)
  for (const member of [pod('a-small', 1, 'g'), pod('b-large', 3, 'g')]) world.add(member)
  await world.settle()
  expect(world.bound.size).toBe(0)
  expect(world.bound.size).toBe(0)
  world.remove(tenant)
  await world.settle()
  expect(world.bound.size).toBe(count)
})

function alternately<A, R>(call: (argument: A) => R): (argument: A) => R | undefined {
  let calls = 0
  return (argument) => (calls++ % 2 === 0 ? call(argument) : undefined)
}

function withoutGroup(pod: Pod): Pod {
  const { [POD_GROUP_LABEL]: _, ...labels } = pod.metadata.labels ?? {}
  return { ...pod, metadata: { ...pod.metadata, labels } }
}
