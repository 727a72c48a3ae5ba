import { expectThat, pausePod, type TestCluster } from '../cluster/test-cluster.ts'
import { mergeValues } from '../cluster/merge-values.ts'
import { MAX_ZERO_MS, observeUnits, type ObservedUnits } from '../cluster/observe-units.ts'
import { readCertificates } from '../cluster/read-certificates.ts'
import { advertiserNodeValues, declareSeats, SEAT } from './advertiser-nodes.ts'
import { devicePluginValues, SLOT } from './device-plugin.ts'
import { DONGLE } from './dongles.ts'
import { holdDevice } from './held-device.ts'
import { untilPluginsReplaced } from './kubelet.ts'

/** Returns the chart values of these checks: a resource of each app, and one that objects declare. */
export function versionChangeValues(workers: readonly string[]): unknown {
  // kube-scheduler then calls the extender for each pod with a slot.
  const extender = { managedResources: [{ name: SLOT }] }
  // An API server finds no ConfigMap as the parameter of a policy any more once all such policies were deleted (v1.36.3: the
  // informer is stopped and never started again). An earlier scenario of this cluster may have done that.
  const advertiser = { policy: { enabled: false } }
  return mergeValues(advertiserNodeValues(workers), devicePluginValues, { extender, advertiser })
}

const SCHEDULERS = ['berth-kube-scheduler', 'berth-scheduler']

/**
 * Checks that a change of the release takes nothing away from the cluster: units stay in capacity, running pods keep their
 * devices, an object and its definition stay, and each certificate that both versions have. Afterwards each scheduler places
 * a pod.
 *
 * @param change - Changes the release and waits until its pods are ready.
 */
export async function expectNothingLost(testCluster: TestCluster, change: () => Promise<void>): Promise<void> {
  const [first = '', second = ''] = testCluster.workers
  const object = testCluster.uniqueName('seats')
  await declareSeats(testCluster, object)
  await testCluster.untilUnits(first, SEAT, '3/3')
  await testCluster.untilUnits(first, DONGLE, '4/4')
  for (const node of [first, second]) await testCluster.untilUnits(node, SLOT, '4/4')
  const holders = [
    await holdDevice(testCluster, SLOT, 'slot-holder', { node: first }),
    await holdDevice(testCluster, SLOT, 'other-holder', { node: second }),
  ]
  const dongle = testCluster.uniqueName('dongle-holder')
  await testCluster.createPod(pausePod(dongle, { [DONGLE]: '3' }))
  const { metadata } = await testCluster.untilRunning(dongle)
  const [identities, certificates] = [await identitiesOf(testCluster, object), await readCertificates(testCluster)]

  const slots = [first, second].map((node) => ({ node, resource: SLOT }))
  const advertised = [DONGLE, SEAT].map((resource) => ({ node: first, resource }))
  const observed = await observeUnits(testCluster.client, [...slots, ...advertised], change())
  for (const each of observed) expectKept(each)

  expectThat((await testCluster.untilRunning(dongle)).metadata.uid === metadata.uid, `${dongle} was replaced`)
  for (const { expectUntouched } of holders) await expectUntouched()
  await untilPluginsReplaced(testCluster)
  await expectOthersGetTheRest(testCluster, first, holders[0]?.id ?? '')
  const now = await identitiesOf(testCluster, object)
  expectThat(now === identities, `the object or its definition was replaced: ${identities} is now ${now}`)
  await expectSameCertificates(testCluster, certificates)
  for (const schedulerName of SCHEDULERS) await expectPlaced(testCluster, second, schedulerName)
}

/** Checks what a node showed: the whole capacity at all times, and no allocatable unit for one node status at most. */
function expectKept({ node, resource, seen, longestZeroMs }: ObservedUnits): void {
  const shown = `${node} showed ${seen.join(', ')} ${resource}, ${longestZeroMs.toFixed(0)} ms without an allocatable one`
  console.log(shown)
  const units = resource === SEAT ? '3' : '4'
  expectThat(
    seen.every((each) => each.startsWith(`${units}/`)),
    shown,
  )
  // The kubelet may see a device plugin end before the next one serves. It does not touch other resources.
  if (resource === SLOT) expectThat(longestZeroMs <= MAX_ZERO_MS, shown)
  else expectThat(seen.join(' ') === `${units}/${units}`, shown)
}

/** Checks that the remaining slots of a node are handed out, and not the one that a pod holds. */
async function expectOthersGetTheRest(testCluster: TestCluster, node: string, heldId: string): Promise<void> {
  const rest = await holdDevice(testCluster, SLOT, 'rest', { node, units: 3 })
  const ids = rest.id.split(',')
  expectThat(new Set([...ids, heldId]).size === 4, `pods hold ${rest.id} and ${heldId}: two share a slot`)
  await testCluster.deletePod(rest.pod)
}

/** Checks that a scheduler places a pod with a slot. */
async function expectPlaced(testCluster: TestCluster, node: string, schedulerName: string): Promise<void> {
  const name = testCluster.uniqueName(`placed-by-${schedulerName}`)
  const nodeSelector = { 'kubernetes.io/hostname': node }
  await testCluster.createPod(pausePod(name, { [SLOT]: '1' }, { schedulerName, nodeSelector }))
  await testCluster.untilRunning(name)
  await testCluster.deletePod(name)
}

/** Returns the uids of an object of `ExtendedResource` and of its definition, and the generation of the object. */
async function identitiesOf(testCluster: TestCluster, object: string): Promise<string> {
  const path = 'jsonpath={.metadata.uid} {.metadata.deletionTimestamp}'
  const definition = await testCluster.kubectl('get', 'crd', 'extendedresources.berth.dev', '-o', path)
  const read = await testCluster.kubectl('get', 'extendedresources', object, '-o', `${path} {.spec}`)
  return `${definition} ${read}`
}

/** Checks that the release has both certificates, and that none of a name that it had before is another one. */
async function expectSameCertificates(testCluster: TestCluster, before: ReadonlyMap<string, string>): Promise<void> {
  // Those of the other version may be left to the garbage collector.
  const now = await testCluster.until('two certificates', async () => {
    const found = await readCertificates(testCluster)
    return found.size === 2 ? found : undefined
  })
  const changed = [...now].filter(([name, data]) => before.has(name) && before.get(name) !== data)
  expectThat(changed.length === 0, `other certificates: ${changed.map(([name]) => name).join(', ')}`)
  console.log(
    `certificates: ${[...now.keys()].map((name) => `${name} (${before.has(name) ? 'kept' : 'new'})`).join(', ')}`,
  )
}
