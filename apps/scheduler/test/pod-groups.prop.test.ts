import { array, assert, asyncProperty, constantFrom, integer, oneof, record, type Arbitrary } from 'fast-check'
import { expect, test } from 'vitest'
import { boundPod, createGang, deleteGroup, memberOf, NATIVE, servePodGroups } from './pod-group-cluster.ts'
import { startTestCluster } from './test-cluster.ts'

const DONGLE = 'example.com/dongle'
const gangs = ['red', 'blue', 'green'] as const
type Gang = (typeof gangs)[number]

type Step =
  | { readonly kind: 'members'; readonly gang: Gang; readonly count: number }
  | { readonly kind: 'single' | 'node'; readonly units: number }
  | { readonly kind: 'delete-pod'; readonly index: number }
  | { readonly kind: 'replace-group'; readonly gang: Gang }
  | { readonly kind: 'wait'; readonly seconds: number }

const gang = constantFrom(...gangs)
const step: Arbitrary<Step> = oneof(
  { weight: 5, arbitrary: record({ kind: constantFrom('members'), gang, count: integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: record({ kind: constantFrom('single'), units: integer({ min: 1, max: 2 }) }) },
  { weight: 2, arbitrary: record({ kind: constantFrom('node'), units: integer({ min: 1, max: 4 }) }) },
  { weight: 2, arbitrary: record({ kind: constantFrom('delete-pod'), index: integer({ min: 0, max: 30 }) }) },
  { weight: 1, arbitrary: record({ kind: constantFrom('replace-group'), gang }) },
  { weight: 2, arbitrary: record({ kind: constantFrom('wait'), seconds: integer({ min: 1, max: 20 }) }) },
)

test('never leaves a gang bound in part, judged by the bind calls, and binds whole gangs', async () => {
  let wholeGangs = 0
  let waitingGangs = 0
  await assert(
    asyncProperty(
      array(integer({ min: 2, max: 4 }), { minLength: 3, maxLength: 3 }),
      array(step, { minLength: 6, maxLength: 20 }),
      async (minCounts, steps) => {
        const bound = new Set<string>()
        await using cluster = await startTestCluster({
          intercept: (handle) => async (request) => {
            const response = await handle(request)
            const pod = boundPod(request)
            if (pod !== undefined && response.status === 201) bound.add(pod)
            return response
          },
        })
        await servePodGroups(cluster, NATIVE)
        for (const [i, name] of gangs.entries()) await createGang(cluster, NATIVE, name, minCounts[i] ?? 2)
        const pods: string[] = []
        // A gang that lost a bound member may be below minCount until it is complete again.
        const excused = new Set<string>()
        const check = (): void => {
          for (const [i, name] of gangs.entries()) {
            const count = [...bound].filter((pod) => pod.startsWith(`${name}-`)).length
            const minCount = minCounts[i] ?? 2
            if (count >= minCount) {
              excused.delete(name)
              wholeGangs += 1
            } else if (pods.some((pod) => pod.startsWith(`${name}-`))) waitingGangs += 1
            if (excused.has(name)) continue
            expect({ name, minCount, isPartial: count > 0 && count < minCount }).toMatchObject({ isPartial: false })
          }
        }
        let created = 0
        for (const each of steps) {
          switch (each.kind) {
            case 'members':
              for (let i = 0; i < each.count; i++) {
                const name = `${each.gang}-${created++}`
                await cluster.createPod(name, { requests: { [DONGLE]: '1' }, spec: memberOf(each.gang) })
                pods.push(name)
              }
              break
            case 'single':
              await cluster.createPod(`single-${created}`, { requests: { [DONGLE]: `${each.units}` } })
              pods.push(`single-${created++}`)
              break
            case 'node':
              await cluster.createNode(`node-${created++}`, { [DONGLE]: `${each.units}` })
              break
            case 'delete-pod': {
              const [name] = pods.splice(each.index % Math.max(1, pods.length), 1)
              if (name === undefined) break
              if (bound.delete(name)) excused.add(name.split('-', 1)[0] ?? '')
              await cluster.deletePod(name)
              // A bind of the pod that was in flight no longer counts.
              await cluster.settle()
              bound.delete(name)
              break
            }
            case 'replace-group':
              await deleteGroup(cluster, NATIVE, each.gang)
              await createGang(cluster, NATIVE, each.gang, minCounts[gangs.indexOf(each.gang)] ?? 2)
              break
            case 'wait':
              await cluster.clock.advance(each.seconds * 1_000)
          }
          await cluster.settle()
          check()
        }
        await cluster.clock.advance(60_000)
        check()
      },
    ),
    { numRuns: 30, seed: 11 },
  )
  expect(wholeGangs).toBeGreaterThan(20)
  expect(waitingGangs).toBeGreaterThan(20)
}, 120_000)
