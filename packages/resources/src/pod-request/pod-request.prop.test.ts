import type { Container, Pod, ResourceList } from '@berth/types'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyApiServerDefaults } from './apply-api-server-defaults.ts'
import { boundPodRequest, podRequest } from './pod-request.ts'

const NAMES = ['cpu', 'memory', 'ephemeral-storage', 'example.com/dongle', '__proto__'] as const

const requests: fc.Arbitrary<ResourceList> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), fc.integer({ min: 0, max: 9 })), { selector: ([name]) => name })
  .map((entries) => JSON.parse(`{${entries.map(([name, amount]) => `"${name}":"${amount}"`).join()}}`) as ResourceList)

const container: fc.Arbitrary<Container> = requests.map((list) => ({ name: 'c', resources: { requests: list } }))
const initContainer: fc.Arbitrary<Container> = fc
  .tuple(container, fc.boolean())
  .map(([made, isSidecar]) => (isSidecar ? { ...made, restartPolicy: 'Always' } : made))

const pod: fc.Arbitrary<Pod> = fc
  .record({
    containers: fc.array(container, { maxLength: 3 }),
    initContainers: fc.array(initContainer, { maxLength: 4 }),
    overhead: requests,
  })
  .map((spec) => ({ metadata: { name: 'p' }, spec }))

const amountOf = (list: ResourceList | undefined, name: string): number =>
  list !== undefined && Object.hasOwn(list, name) ? Number(list[name]) : 0

/** Computes the request naively: the largest sum of what runs at any moment of the pod's life. */
function largestMoment({ spec }: Pod, name: string): number {
  const requestOf = (made: Container): number => amountOf(made.resources?.requests, name)
  const init = spec.initContainers ?? []
  const sidecarsBefore = (end: number): number =>
    init
      .slice(0, end)
      .filter((made) => made.restartPolicy === 'Always')
      .map(requestOf)
      .reduce((a, b) => a + b, 0)
  const starting = init.map((made, i) => sidecarsBefore(i) + requestOf(made))
  const running = sidecarsBefore(init.length) + spec.containers.map(requestOf).reduce((a, b) => a + b, 0)
  return Math.max(running, ...starting) + amountOf(spec.overhead, name)
}

describe('podRequest', () => {
  test('equals the largest sum of what runs at one moment', () => {
    fc.assert(
      fc.property(pod, (made) => {
        const request = podRequest(made)
        expect(request.milliCpu).toBe(BigInt(largestMoment(made, 'cpu') * 1000))
        expect(request.memory).toBe(BigInt(largestMoment(made, 'memory')))
        expect(request.ephemeralStorage).toBe(BigInt(largestMoment(made, 'ephemeral-storage')))
        expect(request.scalar.get('example.com/dongle') ?? 0n).toBe(BigInt(largestMoment(made, 'example.com/dongle')))
        expect(request.scalar.has('__proto__')).toBe(false)
      }),
    )
  })

  test('never decreases when a container is added', () => {
    fc.assert(
      fc.property(pod, container, fc.boolean(), (made, added, isInit) => {
        const { containers, initContainers = [] } = made.spec
        const grown: Pod = {
          ...made,
          spec: isInit
            ? { ...made.spec, initContainers: [...initContainers, added] }
            : { ...made.spec, containers: [...containers, added] },
        }
        const [before, after] = [podRequest(made), podRequest(grown)]
        expect(after.milliCpu >= before.milliCpu && after.memory >= before.memory).toBe(true)
        for (const [name, amount] of before.scalar) expect((after.scalar.get(name) ?? -1n) >= amount).toBe(true)
      }),
    )
  })

  test('equals the request on a node, and never exceeds the request with scoring defaults', () => {
    fc.assert(
      fc.property(pod, (made) => {
        const bound = boundPodRequest(made)
        expect(bound).toMatchObject(podRequest(made))
        expect(bound.nonZeroMilliCpu >= bound.milliCpu && bound.nonZeroMemory >= bound.memory).toBe(true)
      }),
    )
  })

  test('is unchanged by applying defaults to whole requests, and applying them twice changes nothing', () => {
    fc.assert(
      fc.property(pod, (made) => {
        const stored = applyApiServerDefaults(made)
        expect(podRequest(stored)).toEqual(podRequest(made))
        expect(applyApiServerDefaults(stored)).toEqual(stored)
      }),
    )
  })
})
