import { planVolumes } from '@berth/fit-engine'
import { resourceRefs } from '@berth/k8s-client'
import type { PersistentVolume, Pod } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { startVolumeCluster, type VolumeCluster } from './volume-cluster.ts'

const size = fc.integer({ min: 1, max: 4 })
/** Local volumes, and pods with one to three claims each, created in any order. */
const scene = fc
  .record({
    volumes: fc.array(fc.record({ node: fc.constantFrom('node-a', 'node-b'), size }), { maxLength: 10 }),
    pods: fc.array(fc.array(size, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 }),
  })
  .chain(({ volumes, pods }) => {
    const steps = [...volumes.map((_, i) => `volume ${i}`), ...pods.map((_, i) => `pod ${i}`)]
    return fc.record({
      volumes: fc.constant(volumes),
      pods: fc.constant(pods),
      steps: fc.shuffledSubarray(steps, { minLength: steps.length }),
    })
  })
type Scene = typeof scene extends fc.Arbitrary<infer T> ? T : never

const claimNames = (pod: number, claims: readonly number[]): readonly string[] =>
  claims.map((_, claim) => `claim-${pod}-${claim}`)

async function play(cluster: VolumeCluster, { volumes, pods, steps }: Scene): Promise<void> {
  await cluster.createClass('local')
  for (const step of steps) {
    const [kind, number] = step.split(' ')
    const index = Number(number)
    const volume = volumes[index]
    const claims = pods[index] ?? []
    if (kind === 'volume' && volume !== undefined) {
      await cluster.createVolume(`pv-${index}`, volume.node, { storage: `${volume.size}Gi` })
    } else {
      const names = claimNames(index, claims)
      for (const [i, name] of names.entries()) await cluster.createClaim(name, { storage: `${claims[i] ?? 0}Gi` })
      await cluster.createPodWith(`pod-${index}`, ...names)
    }
  }
  await cluster.clock.advance(60_000)
}

/** Returns the volume of each claim, and checks that no claim has two. */
async function volumesByClaim({ admin }: VolumeCluster): Promise<ReadonlyMap<string, PersistentVolume>> {
  const { items } = await admin.client.list<PersistentVolume>(resourceRefs.persistentVolumes, {})
  const taken = items.filter(({ spec }) => spec.claimRef != null)
  const byClaim = new Map(taken.map((volume) => [volume.spec.claimRef?.name ?? '', volume]))
  expect(byClaim.size).toBe(taken.length)
  return byClaim
}

/** The outcome for a pod: whether it is placed, and the faults of its placement. */
interface Outcome {
  readonly isPlaced: boolean
  readonly problems: readonly string[]
}

/** Checks that a placed pod has a bound volume of its node for each claim. */
async function placedOutcome(
  cluster: VolumeCluster,
  nodeName: string,
  names: readonly string[],
  byClaim: ReadonlyMap<string, PersistentVolume>,
): Promise<Outcome> {
  const problems: string[] = []
  for (const name of names) {
    const volume = byClaim.get(name)
    const [term] = volume?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? []
    const { spec, status } = await cluster.claim(name)
    if (term?.matchExpressions?.[0]?.values?.[0] !== nodeName) problems.push(`${name} has no volume on ${nodeName}`)
    if (status?.phase !== 'Bound' || spec.volumeName !== volume?.metadata.name) problems.push(`${name} is not bound`)
  }
  return { isPlaced: true, problems }
}

/** Checks that a pod which waits fits nowhere, and keeps no volume from other pods. */
function waitingOutcome(
  { view: { state } }: VolumeCluster,
  pod: Pod,
  names: readonly string[],
  byClaim: ReadonlyMap<string, PersistentVolume>,
): Outcome {
  const fitting = ['node-a', 'node-b'].filter(
    (name) => planVolumes(pod, state.node(state.rowOf(name) ?? 0), state.objects).kind !== 'rejected',
  )
  const kept = names.filter((name) => byClaim.has(name))
  return {
    isPlaced: false,
    problems: [...fitting.map((name) => `fits ${name}`), ...kept.map((name) => `keeps ${name}`)],
  }
}

test('places every pod that fits, each with volumes of its node, and gives no volume to two claims', async () => {
  const outcomes: Outcome[] = []
  await fc.assert(
    fc.asyncProperty(scene, async (played) => {
      await using cluster = await startVolumeCluster()
      await play(cluster, played)
      const byClaim = await volumesByClaim(cluster)
      for (const [index, claims] of played.pods.entries()) {
        const pod = await cluster.pod(`pod-${index}`)
        const names = claimNames(index, claims)
        const { nodeName } = pod.spec
        const outcome =
          nodeName === undefined
            ? waitingOutcome(cluster, pod, names, byClaim)
            : await placedOutcome(cluster, nodeName, names, byClaim)
        expect(outcome.problems).toEqual([])
        outcomes.push(outcome)
      }
      expect(cluster.view.stats()).toMatchObject({ assumed: 0, assumedObjects: 0 })
    }),
    { numRuns: 40 },
  )
  expect(new Set(outcomes.map(({ isPlaced }) => isPlaced))).toEqual(new Set([true, false]))
}, 60_000)
