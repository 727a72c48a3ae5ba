import type { Pod, PodSpec } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { applyApiServerDefaults } from './apply-api-server-defaults.ts'
import { podRequestList } from './pod-request-list.ts'

const pod = (spec: Partial<PodSpec>): Pod => ({ metadata: { name: 'p' }, spec: { containers: [], ...spec } })

describe('applyApiServerDefaults', () => {
  test('copies limits into absent requests of containers and init containers, rounded up to milli', () => {
    const resources = { limits: { cpu: '100500u', 'example.com/d': '2' }, requests: { memory: '1Gi' } }
    const expected = {
      limits: { cpu: '101m', 'example.com/d': '2' },
      requests: { cpu: '101m', 'example.com/d': '2', memory: '1Gi' },
    }
    const { spec } = applyApiServerDefaults(
      pod({ containers: [{ name: 'c', resources }], initContainers: [{ name: 'i', resources }] }),
    )
    expect([spec.containers[0]?.resources, spec.initContainers?.[0]?.resources]).toEqual([expected, expected])
  })

  test.for([
    { it: 'beyond an int64', amount: '8Ei', and: '1', total: '8Ei' },
    { it: 'below a milli', amount: '1.0001Ki', and: '1023897m', total: '2Ki' },
    { it: 'of a fraction', amount: '0.5Ki', and: '512', total: '1Ki' },
    { it: 'of an exponent', amount: '1e3', and: '1', total: '1001' },
  ])('keeps the format of an amount $it, so that sums print the same', ({ amount, and, total }) => {
    const container = (name: string, memory: string) => ({ name, resources: { requests: { memory } } })
    const sum = podRequestList(
      applyApiServerDefaults(pod({ containers: [container('a', amount), container('b', and)] })),
    )
    expect(sum.get('memory')?.canonical()).toBe(total)
  })

  test('does not change its argument', () => {
    const given = pod({ containers: [{ name: 'c', resources: { limits: { cpu: 1 } } }] })
    const copy = structuredClone(given)
    applyApiServerDefaults(given)
    expect(given).toEqual(copy)
  })

  test.for([
    { it: 'adds none', resources: undefined, container: { requests: { cpu: 1 } }, result: undefined },
    { it: 'keeps an empty object', resources: {}, container: { requests: { cpu: 1 } }, result: {} },
    {
      it: 'takes requests from containers before limits',
      resources: { limits: { cpu: 4, memory: '1Gi' } },
      container: { requests: { cpu: 1, 'a.b/c': 1 } },
      result: { limits: { cpu: '4', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
    },
    {
      it: 'defaults the limits of huge pages, then their requests',
      resources: { requests: { cpu: 2 } },
      container: { limits: { 'hugepages-2Mi': '4Mi' } },
      result: { limits: { 'hugepages-2Mi': '4Mi' }, requests: { cpu: '2', 'hugepages-2Mi': '4Mi' } },
    },
    {
      it: 'adds no limit for huge pages that the pod requests',
      resources: { requests: { 'hugepages-2Mi': '2Mi' } },
      container: { limits: { 'hugepages-2Mi': '4Mi' } },
      result: { requests: { 'hugepages-2Mi': '2Mi' } },
    },
  ])('at pod level $it', ({ resources, container, result }) => {
    const spec = { containers: [{ name: 'c', resources: container }], ...(resources && { resources }) }
    expect(applyApiServerDefaults(pod(spec)).spec.resources).toEqual(result)
  })

  test('sets the host ports of host-network pods to their container ports', () => {
    const ports = [{ containerPort: 80 }, { containerPort: 81, hostPort: 8081, protocol: 'UDP' }]
    const { spec } = applyApiServerDefaults(pod({ hostNetwork: true, containers: [{ name: 'c', ports }] }))
    expect(spec.containers[0]?.ports).toEqual([
      { containerPort: 80, hostPort: 80, protocol: 'TCP' },
      { containerPort: 81, hostPort: 8081, protocol: 'UDP' },
    ])
    expect(applyApiServerDefaults(pod({ containers: [{ name: 'c', ports }] })).spec.containers[0]?.ports?.[0]).toEqual({
      containerPort: 80,
      protocol: 'TCP',
    })
  })

  test('rounds overhead and every amount of the status', () => {
    const amounts = { cpu: '1u' }
    const rounded = { cpu: '1m' }
    const status = { name: 'c', allocatedResources: amounts, resources: { requests: amounts } }
    const stored = applyApiServerDefaults({
      ...pod({ overhead: amounts }),
      status: {
        containerStatuses: [status, { name: 'd' }],
        initContainerStatuses: [status],
        allocatedResources: amounts,
        resources: { limits: amounts },
      },
    })
    const roundedStatus = { name: 'c', allocatedResources: rounded, resources: { requests: rounded } }
    expect([stored.spec.overhead, stored.status]).toEqual([
      rounded,
      {
        containerStatuses: [roundedStatus, { name: 'd' }],
        initContainerStatuses: [roundedStatus],
        allocatedResources: rounded,
        resources: { limits: rounded },
      },
    ])
  })

  test('treats a name such as __proto__ as an ordinary key', () => {
    const limits = JSON.parse('{"__proto__": "1"}') as Record<string, string>
    const requests = applyApiServerDefaults(pod({ containers: [{ name: 'c', resources: { limits } }] })).spec
      .containers[0]?.resources?.requests
    expect(Object.entries(requests ?? {})).toEqual([['__proto__', '1']])
  })
})
