import type { Pod } from '@berth/types'
import { createObject } from '../cluster/create-object.ts'
import { expectThat, pausePod, type TestCluster } from '../cluster/test-cluster.ts'
import type { Check } from './check.ts'

const BENCH = 'example.com/bench'

/** An API of pod groups that the cluster serves. */
export type GroupApi = 'scheduling.k8s.io/v1alpha2' | 'scheduling.x-k8s.io/v1alpha1'

/** The scheduler and the API that the checks use. */
export interface GroupChecksOptions {
  readonly schedulerName: string
  readonly api: GroupApi
}

const typeOf = (api: GroupApi): string => `podgroups.${api.split('/')[0]}`

/** Creates a gang and returns its name. */
async function createGang(testCluster: TestCluster, api: GroupApi, minCount: number): Promise<string> {
  const name = testCluster.uniqueName('gang')
  const isNative = api === 'scheduling.k8s.io/v1alpha2'
  const spec = isNative ? { schedulingPolicy: { gang: { minCount } } } : { minMember: minCount }
  await createObject(testCluster, typeOf(api), name, { apiVersion: api, kind: 'PodGroup', spec })
  return name
}

/** Makes a pod a member of a gang. */
function inGang(pod: Pod, api: GroupApi, gang: string): Pod {
  if (api === 'scheduling.k8s.io/v1alpha2') {
    return { ...pod, spec: { ...pod.spec, schedulingGroup: { podGroupName: gang } } }
  }
  return { ...pod, metadata: { ...pod.metadata, labels: { 'scheduling.x-k8s.io/pod-group': gang } } }
}

/** Creates members that need one bench each, and returns their names. */
async function createMembers(
  testCluster: TestCluster,
  { schedulerName, api }: GroupChecksOptions,
  gang: string,
  count: number,
): Promise<readonly string[]> {
  const names = Array.from({ length: count }, (_, i) => testCluster.uniqueName(`member-${i + 1}`))
  for (const name of names) {
    await testCluster.createPod(inGang(pausePod(name, { [BENCH]: '1' }, { schedulerName }), api, gang))
  }
  return names
}

async function nodesOf(testCluster: TestCluster, pods: readonly string[]): Promise<readonly string[]> {
  const path = 'jsonpath={.spec.nodeName}'
  const nodes = await Promise.all(pods.map((name) => testCluster.kubectl('get', 'pod', name, '-o', path)))
  return nodes.filter((node) => node !== '')
}

/** Waits for the condition PodGroupScheduled. The definition of scheduler-plugins has none. */
async function untilScheduled(
  testCluster: TestCluster,
  api: GroupApi,
  gang: string,
  status: 'True' | 'False',
): Promise<void> {
  if (api !== 'scheduling.k8s.io/v1alpha2') return
  const path = '{.status.conditions[?(@.type=="PodGroupScheduled")].status}'
  await testCluster.until(`PodGroupScheduled=${status} of ${gang}`, async () =>
    (await testCluster.kubectl('get', typeOf(api), gang, '-o', `jsonpath=${path}`)) === status ? true : undefined,
  )
}

/** Checks of gangs that any scheduler with pod groups passes. */
export const groupChecks = (options: GroupChecksOptions): readonly Check[] => [
  {
    name: 'a gang that fits is placed completely',
    component: 'scheduler',
    failureText: 'member-1',
    async run(testCluster) {
      const { api } = options
      const [first = '', second = ''] = testCluster.workers
      await testCluster.advertise(first, BENCH, '2')
      await testCluster.advertise(second, BENCH, '1')
      const gang = await createGang(testCluster, api, 3)
      for (const name of await createMembers(testCluster, options, gang, 3)) await testCluster.untilRunning(name)
      await untilScheduled(testCluster, api, gang, 'True')
    },
  },
  {
    name: 'a gang that does not fit takes no room, and is placed once there is room',
    component: 'scheduler',
    failureText: 'of member-1',
    async run(testCluster) {
      const { api, schedulerName } = options
      const [first = '', second = ''] = testCluster.workers
      await testCluster.advertise(first, BENCH, '2')
      const gang = await createGang(testCluster, api, 3)
      const members = await createMembers(testCluster, options, gang, 3)
      const { reporter } = await testCluster.untilEvent(members[0] ?? '', 'FailedScheduling')
      expectThat(reporter === schedulerName, `${reporter} refused it`)
      await untilScheduled(testCluster, api, gang, 'False')
      const bound = await nodesOf(testCluster, members)
      expectThat(bound.length === 0, `${bound.length} members were placed, and three do not fit`)

      // A pod of no gang finds both benches free.
      const other = testCluster.uniqueName('other')
      await testCluster.createPod(pausePod(other, { [BENCH]: '2' }, { schedulerName }))
      await testCluster.untilRunning(other)
      await testCluster.deletePod(other)

      await testCluster.advertise(second, BENCH, '1')
      for (const name of members) await testCluster.untilRunning(name)
      await untilScheduled(testCluster, api, gang, 'True')
    },
  },
]
