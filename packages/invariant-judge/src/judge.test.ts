import type { Node, Pod } from '@berth/types'
import { describe, expect, test } from 'vitest'
import type { AuditRecord } from './audit-record.ts'
import { createJudge, type Judge } from './judge.ts'
import type { LeaderRule } from './judge-leases.ts'

const DONGLE = 'example.com/dongle'
const GPU = 'example.com/gpu'
const START_MS = Date.UTC(2026, 0, 1)
const STALE_MS = 60_000

/** A judge, and an audit log of which each write comes a second after the previous one. */
function court(leader?: LeaderRule) {
  const judge = createJudge({
    binders: /^berth-scheduler/,
    components: /^berth-/,
    schedulerName: 'berth-scheduler',
    staleMs: STALE_MS,
    hardware: 'kube-system/hardware',
    ...(leader !== undefined && { leader }),
  })
  let atMs = START_MS
  const write = (verb: string, objectRef: object, more: Partial<AuditRecord> = {}): void => {
    judge.observe({
      stage: 'ResponseComplete',
      verb,
      requestURI: '/',
      userAgent: 'test',
      objectRef,
      responseStatus: { code: 200 },
      stageTimestamp: new Date((atMs += 1_000)).toISOString(),
      ...more,
    })
  }
  const pods = { resource: 'pods', namespace: 'default' }
  return {
    judge,
    write,
    pass: (ms: number) => void (atMs += ms),
    node: (name: string, amounts: Readonly<Record<string, string>>, more: Partial<Node> = {}): void => {
      const list = { pods: '10', ...amounts }
      const status = { capacity: list, allocatable: list }
      write(
        'update',
        { resource: 'nodes', name, subresource: 'status' },
        { responseObject: { metadata: { name }, ...more, status } },
      )
    },
    pod: (name: string, requests: Readonly<Record<string, string>>, spec: Partial<Pod['spec']> = {}): void => {
      const containers = [{ name: 'main', image: 'i', resources: { requests } }]
      const metadata = { name, namespace: 'default', uid: `uid-${name}` }
      const responseObject = { metadata, spec: { schedulerName: 'berth-scheduler', containers, ...spec } }
      write('create', pods, { responseObject })
    },
    /** Renews or takes the Lease of the schedulers for 15 s; an empty holder releases it. */
    lead: (userAgent: string, holderIdentity = userAgent, name = 'scheduler'): void => {
      const spec = { holderIdentity, leaseDurationSeconds: 15 }
      const target = { resource: 'leases', namespace: 'kube-system', name }
      write('update', target, { userAgent, requestObject: { metadata: { name }, spec } })
    },
    refuse: (name: string): void => {
      const metadata = { name, namespace: 'default', uid: `uid-${name}` }
      const status = { phase: 'Failed', reason: 'UnexpectedAdmissionError', message: 'Allocate failed' }
      const responseObject = { metadata, spec: { nodeName: 'n1', containers: [] }, status }
      write('patch', { ...pods, name, subresource: 'status' }, { responseObject })
    },
    bind: (
      name: string,
      node: string,
      userAgent = 'berth-scheduler/a',
      uid: string | undefined = `uid-${name}`,
    ): void => {
      const requestObject = { metadata: { name, ...(uid !== '' && { uid }) }, target: { name: node } }
      const responseObject = { kind: 'Status' }
      write('create', { ...pods, name, subresource: 'binding' }, { userAgent, requestObject, responseObject })
    },
    remove: (name: string) => write('delete', { ...pods, name }, { responseObject: { kind: 'Status' } }),
    hardware: (devices: object): void => {
      const responseObject = { metadata: { name: 'hardware' }, data: { devices: JSON.stringify(devices) } }
      write('create', { resource: 'configmaps', namespace: 'kube-system' }, { responseObject })
    },
    declare: (units: number): void => {
      const spec = { resourceName: DONGLE, units, nodes: { names: ['n1'] } }
      write(
        'update',
        { resource: 'extendedresources', name: 'o' },
        { responseObject: { metadata: { name: 'o' }, spec } },
      )
    },
  }
}

const texts = (judge: Judge): readonly string[] =>
  judge.violations().map(({ invariant, text }) => `${invariant} ${text}`)

describe('I1', () => {
  const holding = (name: string, id: string) => ({
    name,
    namespace: 'default',
    containers: [{ name: 'main', devices: [{ resourceName: GPU, deviceIds: [id] }] }],
  })

  test('two containers that hold one device are a violation', () => {
    const { judge, hardware } = court()
    hardware({ n1: { [GPU]: { a: true, b: true } } })
    judge.observePodResources('n1', { podResources: [holding('p', 'a'), holding('q', 'b')] })
    expect(texts(judge)).toEqual([])
    judge.observePodResources('n1', { podResources: [holding('p', 'a'), holding('q', 'a')] })
    expect(texts(judge)).toEqual([`I1 default/p main and default/q main hold ${GPU} a on n1`])
  })

  test('a device that does not exist is a violation', () => {
    const { judge, hardware } = court()
    hardware({ n1: { [GPU]: { a: true } } })
    judge.observePodResources('n1', { podResources: [holding('p', 'z')] })
    expect(texts(judge)).toEqual([expect.stringContaining('does not exist') as string])
  })
})

describe('I2', () => {
  test('a bind beyond the allocatable amount is a violation, and one after a deletion is none', () => {
    const { judge, node, pod, bind, remove } = court()
    node('n1', { [DONGLE]: '1' })
    for (const name of ['p', 'q', 'r']) pod(name, { [DONGLE]: '1' })
    bind('p', 'n1')
    remove('p')
    bind('q', 'n1')
    expect(texts(judge)).toEqual([])
    bind('r', 'n1')
    expect(texts(judge)).toEqual([
      expect.stringMatching(/^I2 default\/r was bound to n1 .*: 1 taken \+ 1 > 1$/) as string,
    ])
  })

  test('a node may have shrunk shortly before the bind, but not long before', () => {
    const { judge, node, pod, bind, pass } = court()
    node('n1', { [DONGLE]: '2' })
    pod('p', { [DONGLE]: '2' })
    pod('q', { [DONGLE]: '2' }, { nodeSelector: { zone: 'a' } })
    node('n1', { [DONGLE]: '1' })
    bind('p', 'n1')
    expect(texts(judge)).toEqual([])
    pass(STALE_MS)
    node('n1', { [DONGLE]: '1' })
    bind('q', 'n1')
    expect(texts(judge)).toEqual([expect.stringContaining('its label zone is not a') as string])
  })

  test('bindings of other clients are not judged, and count only once they can be known', () => {
    const { judge, node, pod, bind, pass } = court()
    node('n1', { [DONGLE]: '1' })
    for (const name of ['p', 'q', 'r']) pod(name, { [DONGLE]: '1' })
    bind('p', 'n1', 'other')
    bind('q', 'n1')
    expect(texts(judge)).toEqual([])
    pass(STALE_MS)
    bind('r', 'n1')
    expect(texts(judge)).toHaveLength(1)
  })
})

describe('I3', () => {
  test('a second binding and one without uid are violations', () => {
    const { judge, node, pod, bind } = court()
    node('n1', {})
    pod('p', {})
    bind('p', 'n1')
    bind('p', 'n1')
    expect(texts(judge)).toEqual(['I3 default/p was bound to n1 and again to n1'])
    pod('q', {})
    bind('q', 'n1', 'berth-scheduler/a', '')
    expect(texts(judge).at(-1)).toContain('without its uid')
  })

  test.for([
    { it: 'a pod that fits', spec: {}, amount: '1', isLeft: true },
    { it: 'a pod that requests too much', spec: {}, amount: '2', isLeft: false },
    { it: 'a pod of another zone', spec: { nodeSelector: { zone: 'b' } }, amount: '1', isLeft: false },
    { it: 'a pod of another scheduler', spec: { schedulerName: 'other' }, amount: '1', isLeft: false },
  ])('$it is left behind: $isLeft', ({ spec, amount, isLeft }) => {
    const { judge, node, pod } = court()
    node('n1', { [DONGLE]: '1' })
    pod('p', { [DONGLE]: amount }, spec)
    judge.checkSettled()
    expect(texts(judge).some((text) => text.includes('left behind'))).toBe(isLeft)
  })

  test('a taint keeps a pod away unless it is tolerated', () => {
    const taints = [{ key: 'dedicated', value: 'lab', effect: 'NoSchedule' }]
    const isLeft = (tolerations: NonNullable<Pod['spec']['tolerations']>): boolean => {
      const { judge, node, pod } = court()
      node('n1', {}, { spec: { taints } })
      pod('p', {}, { tolerations })
      judge.checkSettled()
      return texts(judge).some((text) => text.includes('left behind'))
    }
    expect(isLeft([])).toBe(false)
    expect(isLeft([{ key: 'dedicated', operator: 'Exists' }])).toBe(true)
    expect(isLeft([{ key: 'dedicated', value: 'other' }])).toBe(false)
  })
})

test('I3: a pod that its kubelet refuses is a violation if it was bound after the faults', () => {
  const { judge, node, pod, bind, refuse } = court()
  node('n1', {})
  pod('p', {})
  bind('p', 'n1')
  refuse('p')
  judge.checkAccepted(START_MS + 60_000)
  expect(texts(judge)).toEqual([])
  judge.checkAccepted(START_MS)
  expect(texts(judge)).toEqual(['I3 n1 refused default/p: UnexpectedAdmissionError: Allocate failed'])
})

describe('I4', () => {
  test('a node offers what is declared, and what pods hold of it', () => {
    const { judge, node, pod, bind, declare } = court()
    declare(2)
    node('n1', { [DONGLE]: '3' })
    pod('p', { [DONGLE]: '3' })
    bind('p', 'n1')
    judge.checkSettled()
    expect(texts(judge)).toEqual([])
    node('n1', { [DONGLE]: '4' })
    judge.checkSettled()
    expect(texts(judge)).toEqual([`I4 ${DONGLE} on n1 is 4/4 and must be 3/3`])
  })

  test('a node offers the devices that exist', () => {
    const { judge, node, hardware } = court()
    hardware({ n1: { [GPU]: { a: true, b: false } } })
    node('n1', { [GPU]: '2' })
    judge.checkSettled()
    expect(texts(judge)).toEqual([`I4 ${GPU} on n1 is 2/2 and must be 2/1`])
  })

  test('a resource that is not declared any more is absent', () => {
    const { judge, node, declare, write } = court()
    declare(1)
    node('n1', { [DONGLE]: '1' })
    write('delete', { resource: 'extendedresources', name: 'o' }, { responseObject: { kind: 'Status' } })
    judge.checkSettled()
    expect(texts(judge)).toEqual([`I4 ${DONGLE} on n1 is 1/1 and must be absent/absent`])
  })
})

describe('Leases', () => {
  const leader = { lease: 'kube-system/scheduler', candidates: /^berth-scheduler/ }
  const [a, b] = ['berth-scheduler/a', 'berth-scheduler/b']

  test('a takeover before the Lease expired is a violation, and one afterwards or after a release is none', () => {
    const { judge, lead, pass } = court()
    lead(a)
    pass(14_000)
    lead(b)
    pass(14_000)
    lead(b, '')
    lead(a)
    expect(texts(judge)).toEqual([])
    pass(13_000)
    lead(b)
    expect(texts(judge)).toEqual([
      expect.stringMatching(/b took the Lease .* 14\.0 s after .*a had renewed it for 15\.0 s$/) as string,
    ])
  })

  test('each Lease has its own holder, and a kubelet does not compete', () => {
    const { judge, lead, write } = court()
    lead(a)
    lead('berth-advertiser', 'x', 'advertiser')
    const heartbeat = { resource: 'leases', namespace: 'kube-node-lease', name: 'n1' }
    for (const holderIdentity of ['n1', 'n2'])
      write('update', heartbeat, { requestObject: { spec: { holderIdentity, leaseDurationSeconds: 40 } } })
    expect(texts(judge)).toEqual([])
  })

  test.for([
    { it: 'the holder', agent: a, afterMs: 0, problem: /^$/ },
    { it: 'another replica', agent: b, afterMs: 0, problem: /while berth-scheduler.a held/ },
    { it: 'the holder of an expired Lease', agent: a, afterMs: 20_000, problem: /after it had renewed/ },
    { it: 'a replica after the release', agent: a, afterMs: 0, isReleased: true, problem: /had no holder/ },
  ])('a bind of $it: $problem', ({ agent, afterMs, isReleased = false, problem }) => {
    const { judge, node, pod, lead, bind, pass } = court(leader)
    node('n1', {})
    pod('p', {})
    lead(a)
    if (isReleased) lead(a, '')
    pass(afterMs)
    bind('p', 'n1', agent)
    expect(texts(judge).join('\n')).toMatch(problem)
  })
})

test('I5: a write of a component at rest is a violation, one of a Lease is none', () => {
  const { judge, write } = court()
  write('patch', { resource: 'leases', name: 'l' }, { userAgent: 'berth-advertiser' })
  judge.checkQuiet(START_MS)
  expect(texts(judge)).toEqual([])
  write(
    'patch',
    { resource: 'nodes', name: 'n1' },
    { userAgent: 'berth-advertiser', responseObject: { metadata: { name: 'n1' } } },
  )
  judge.checkQuiet(START_MS)
  expect(texts(judge)).toEqual([
    expect.stringContaining('I5 1 writes at rest, the first by berth-advertiser: patch nodes/n1') as string,
  ])
})

test('I5: one write of each object may be allowed', () => {
  const { judge, write } = court()
  const patch = (name: string): void => {
    write(
      'patch',
      { resource: 'nodes', name },
      { userAgent: 'berth-advertiser', responseObject: { metadata: { name } } },
    )
  }
  for (const name of ['n1', 'n2']) patch(name)
  judge.checkQuiet(START_MS, 1)
  expect(texts(judge)).toEqual([])
  patch('n2')
  judge.checkQuiet(START_MS, 1)
  expect(texts(judge)).toEqual([expect.stringContaining('I5 1 writes at rest') as string])
})

test.for([
  { it: 'refused', more: { responseStatus: { code: 409 } } },
  { it: 'tried in a dry run', more: { requestURI: '/api/v1/nodes/n1?dryRun=All' } },
  { it: 'received, but not answered', more: { stage: 'RequestReceived' } },
])('a write that was $it does not count', ({ more }) => {
  const { judge, write } = court()
  write('patch', { resource: 'nodes', name: 'n1' }, { userAgent: 'berth-advertiser', ...more })
  judge.checkQuiet(START_MS)
  expect(texts(judge)).toEqual([])
})
