import type { Container, Pod, PodSpec, PodStatus, ResourceList } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { QuantityError } from '../errors.ts'
import { isTerminal } from './is-terminal.ts'
import { podLimits } from './pod-limits.ts'
import { podRequestList } from './pod-request-list.ts'
import { boundPodRequest, isEmptyRequest, podRequest } from './pod-request.ts'
import { resourceAmounts } from '../quantity/resource-amounts.ts'
import { balancedScoreRequests, fitScoreRequests } from './score-requests.ts'

const c = (requests?: ResourceList, more: Partial<Container> = {}): Container => ({
  name: 'c',
  ...(requests && { resources: { requests } }),
  ...more,
})
const sidecar = (requests: ResourceList): Container => c(requests, { name: 's', restartPolicy: 'Always' })
const pod = (spec: Partial<PodSpec>, status?: PodStatus): Pod => ({
  metadata: { name: 'p' },
  spec: { containers: [], ...spec },
  ...(status && { status }),
})
const text = (list: ReadonlyMap<string, { canonical(): string }>): Readonly<Record<string, string>> =>
  Object.fromEntries([...list].map(([name, quantity]) => [name, quantity.canonical()]))

describe('podRequestList', () => {
  test.for([
    { it: 'adds up the containers', spec: { containers: [c({ cpu: 1 }), c({ cpu: 2 })] }, cpu: '3' },
    {
      it: 'takes a larger init container',
      spec: { containers: [c({ cpu: 1 }), c({ cpu: 2 })], initContainers: [c({ cpu: 5 })] },
      cpu: '5',
    },
    {
      it: 'adds a sidecar to containers that start after it',
      spec: { containers: [c({ cpu: 1 }), c({ cpu: 2 })], initContainers: [sidecar({ cpu: 1 }), c({ cpu: 3 })] },
      cpu: '4',
    },
    {
      it: 'does not add a sidecar to init containers before it',
      spec: { containers: [c({ cpu: 1 }), c({ cpu: 2 })], initContainers: [c({ cpu: 5 }), sidecar({ cpu: 1 })] },
      cpu: '5',
    },
    {
      it: 'adds up sidecars in their order',
      spec: { containers: [c({ cpu: 1 })], initContainers: [sidecar({ cpu: 1 }), c({ cpu: 4 }), sidecar({ cpu: 2 })] },
      cpu: '5',
    },
    {
      it: 'adds overhead to pod-level requests',
      spec: { containers: [c({ cpu: 9 })], resources: { requests: { cpu: 2 } }, overhead: { cpu: '250m' } },
      cpu: '2250m',
    },
    {
      it: 'ignores ephemeral containers and limits',
      spec: {
        containers: [c({ cpu: 1 }, { resources: { requests: { cpu: 1 }, limits: { cpu: 8 } } })],
        ephemeralContainers: [c({ cpu: 7 })],
      },
      cpu: '1',
    },
  ])('$it', ({ spec, cpu }) => {
    expect(text(podRequestList(pod(spec)))).toEqual({ cpu })
  })

  test('takes allowed names from the pod level and the others from the containers', () => {
    const requests = podRequestList(
      pod({
        containers: [c({ cpu: 1, memory: '3Gi', 'example.com/d': 2 })],
        resources: { requests: { memory: '1Gi', 'hugepages-2Mi': '4Mi', 'example.com/d': 9, storage: 1 } },
      }),
    )
    expect(text(requests)).toEqual({ cpu: '1', memory: '1Gi', 'hugepages-2Mi': '4Mi', 'example.com/d': '2' })
  })

  test('ignores pod-level resources with names that are not allowed there', () => {
    expect(text(podRequestList(pod({ containers: [c({ cpu: 1 })], resources: { requests: { 'a.b/c': 2 } } })))).toEqual(
      { cpu: '1' },
    )
  })

  test('keeps a name with a request of 0', () => {
    expect(text(podRequestList(pod({ containers: [c({ 'example.com/d': '0' })] })))).toEqual({ 'example.com/d': '0' })
  })

  test('treats names of object properties as ordinary names', () => {
    const requests: ResourceList = JSON.parse('{"__proto__": "2", "constructor": "3", "example.com/toString": "1"}')
    const list = podRequestList(pod({ containers: [c(requests), c(requests)], overhead: requests }))
    expect([...list].map(([name, quantity]) => [name, quantity.canonical()])).toEqual([
      ['__proto__', '6'],
      ['constructor', '9'],
      ['example.com/toString', '3'],
    ])
  })

  test('refuses a pod with an amount that is not a quantity', () => {
    expect(() => podRequestList(pod({ containers: [c({ cpu: 'much' })] }))).toThrow(QuantityError)
  })

  test('takes the decimal form from the compared quantity, like upstream', () => {
    const initContainers = [c({ cpu: '1.00000000000000000000' }), c({ cpu: '2' })]
    expect(podRequestList(pod({ initContainers })).get('cpu')?.form).toBe('decimal')
  })
})

describe('podRequest', () => {
  test('keeps the names that a scheduler accounts and drops the others', () => {
    const requests = {
      cpu: '1500m',
      memory: '1.5Ki',
      'ephemeral-storage': '1Gi',
      'a.b/c': 2,
      'hugepages-2Mi': '2Mi',
      storage: 5,
    }
    expect(podRequest(pod({ containers: [c(requests)] }))).toEqual({
      milliCpu: 1500n,
      memory: 1536n,
      ephemeralStorage: 1073741824n,
      scalar: new Map([
        ['a.b/c', 2n],
        ['hugepages-2Mi', 2097152n],
      ]),
    })
  })

  test('is never below 0', () => {
    expect(podRequest(pod({ containers: [c({ cpu: '-1', 'a.b/c': '-2' })] }))).toMatchObject({
      milliCpu: 0n,
      scalar: new Map([['a.b/c', 0n]]),
    })
  })

  test.for([
    { it: 'without requests is empty', requests: {}, empty: true },
    { it: 'with zero cpu is empty', requests: { cpu: 0 }, empty: true },
    { it: 'with a scalar name is not empty, even with 0', requests: { 'a.b/c': 0 }, empty: false },
    { it: 'with memory is not empty', requests: { memory: 1 }, empty: false },
  ])('$it', ({ requests, empty }) => {
    expect(isEmptyRequest(podRequest(pod({ containers: [c(requests)] })))).toBe(empty)
  })
})

describe('boundPodRequest', () => {
  const resizing = (
    resources: ResourceList | undefined,
    allocatedResources?: ResourceList,
    reason?: string,
  ): PodStatus => ({
    containerStatuses: [
      {
        name: 'c',
        ...(resources && { resources: { requests: resources } }),
        ...(allocatedResources && { allocatedResources }),
      },
    ],
    ...(reason !== undefined && { conditions: [{ type: 'PodResizePending', status: 'True', reason }] }),
  })

  test.for([
    { it: 'without status is the spec', status: undefined, milliCpu: 500n },
    { it: 'counts what the container still uses', status: resizing({ cpu: '800m' }), milliCpu: 800n },
    { it: 'counts what is allocated', status: resizing({}, { cpu: '900m' }), milliCpu: 900n },
    {
      it: 'counts the spec when it is the largest',
      status: resizing({ cpu: '100m' }, { cpu: '100m' }),
      milliCpu: 500n,
    },
    {
      it: 'ignores the allocation without actual resources',
      status: resizing(undefined, { cpu: '900m' }),
      milliCpu: 500n,
    },
    {
      it: 'ignores the spec when the resize is infeasible',
      status: resizing({ cpu: '200m' }, { cpu: '300m' }, 'Infeasible'),
      milliCpu: 300n,
    },
    {
      it: 'counts the spec when the resize is deferred',
      status: resizing({ cpu: '200m' }, { cpu: '300m' }, 'Deferred'),
      milliCpu: 500n,
    },
  ])('$it', ({ status, milliCpu }) => {
    const resized = pod({ containers: [c({ cpu: '500m' })] }, status)
    expect(boundPodRequest(resized).milliCpu).toBe(milliCpu)
    expect(podRequest(resized).milliCpu).toBe(500n)
  })

  test('reads the status of sidecars but not of other init containers', () => {
    const initContainerStatuses = [
      { name: 's', resources: { requests: { cpu: 2 } } },
      { name: 'i', resources: { requests: { cpu: 9 } } },
    ]
    const spec = { containers: [c({ cpu: 1 })], initContainers: [sidecar({ cpu: 1 }), c({ cpu: 1 }, { name: 'i' })] }
    expect(boundPodRequest(pod(spec, { initContainerStatuses })).milliCpu).toBe(3000n)
  })

  test.for([
    { it: 'counts what the pod uses', status: { resources: { requests: { cpu: 4 } } }, milliCpu: 4000n },
    { it: 'counts what is allocated', status: { resources: {}, allocatedResources: { cpu: 3 } }, milliCpu: 3000n },
    {
      it: 'counts 0 for a name that is missing from the status of an infeasible resize',
      status: { resources: {}, conditions: [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }] },
      milliCpu: 0n,
    },
  ])('at pod level $it', ({ status, milliCpu }) => {
    expect(boundPodRequest(pod({ resources: { requests: { cpu: 2 } } }, status)).milliCpu).toBe(milliCpu)
  })

  test.for([
    {
      it: 'defaults both for a container without requests',
      spec: { containers: [c(), c({ cpu: 0 })] },
      cpu: 100n,
      memory: 419430400n,
    },
    { it: 'defaults nothing for a pod without containers', spec: {}, cpu: 0n, memory: 0n },
    {
      it: 'defaults at pod level what neither the pod nor a container requests',
      spec: { containers: [c({ cpu: 1 }), c()], resources: { requests: { cpu: 3 } } },
      cpu: 3000n,
      memory: 419430400n,
    },
    {
      it: 'defaults nothing at pod level that a container requests',
      spec: { containers: [c({ memory: 5 }), c()], resources: { requests: { cpu: 3 } } },
      cpu: 3000n,
      memory: 5n,
    },
  ])('$it', ({ spec, cpu, memory }) => {
    expect(boundPodRequest(pod(spec))).toMatchObject({ nonZeroMilliCpu: cpu, nonZeroMemory: memory })
  })

  test('keeps negative amounts', () => {
    expect(boundPodRequest(pod({ containers: [c({ cpu: -1 })] })).milliCpu).toBe(-1000n)
  })
})

describe('score requests', () => {
  const spec = { containers: [c({ cpu: '500m' }), c({ 'a.b/c': 1 })], resources: { requests: { cpu: 4 } } }
  const status = { resources: { requests: { cpu: 6 } } }

  test('of Fit default absent requests and ignore the pod level and the status', () => {
    expect(fitScoreRequests(pod(spec, status))).toEqual(
      new Map([
        ['cpu', 600n],
        ['memory', 419430400n],
        ['a.b/c', 1n],
      ]),
    )
  })

  test('of BalancedAllocation are the actual requests', () => {
    expect(balancedScoreRequests(pod(spec, status))).toEqual(
      new Map([
        ['cpu', 6000n],
        ['a.b/c', 1n],
      ]),
    )
  })
})

describe('podLimits', () => {
  const limited = (limits: ResourceList, more: Partial<Container> = {}): Container => ({
    name: 'c',
    resources: { limits },
    ...more,
  })

  test('adds up containers, takes a larger init step, and adds overhead to existing limits', () => {
    const limits = podLimits(
      pod({
        containers: [limited({ cpu: 1, 'a.b/c': 0 })],
        initContainers: [limited({ memory: '1Gi' }, { restartPolicy: 'Always' }), limited({ cpu: 3 })],
        overhead: { cpu: '500m', 'a.b/c': 1, 'ephemeral-storage': 1 },
      }),
    )
    expect(text(limits)).toEqual({ cpu: '3500m', memory: '1Gi', 'a.b/c': '0' })
  })

  test('takes the limits of the pod level instead', () => {
    const limits = podLimits(pod({ containers: [limited({ cpu: 1 })], resources: { limits: { cpu: 8, 'a.b/c': 1 } } }))
    expect(text(limits)).toEqual({ cpu: '8' })
  })
})

describe('resourceAmounts', () => {
  test('returns whole units, cpu in milli', () => {
    const amounts = resourceAmounts({ cpu: '1.5', memory: '1Ki', pods: 110, 'a.b/c': '1500m' })
    expect(amounts).toEqual(
      new Map([
        ['cpu', 1500n],
        ['memory', 1024n],
        ['pods', 110n],
        ['a.b/c', 2n],
      ]),
    )
    expect(resourceAmounts(undefined).size).toBe(0)
  })
})

describe('isTerminal', () => {
  test.for([
    { phase: 'Succeeded', ended: true },
    { phase: 'Failed', ended: true },
    { phase: 'Running', ended: false },
    { phase: undefined, ended: false },
  ])('of phase $phase is $ended', ({ phase, ended }) => {
    expect(isTerminal(pod({}, phase === undefined ? undefined : { phase }))).toBe(ended)
  })
})
