import { type AuditedRequest, readAuditLog } from '../cluster/audit-log.ts'
import { createObject } from '../cluster/create-object.ts'
import { expectThat, pausePod, type TestCluster } from '../cluster/test-cluster.ts'
import type { Check } from './check.ts'
import { firstConsumerChecks } from './first-consumer.ts'
import { controlPlaneOf } from './scheduler-manifest.ts'

/** The user in kubeadm's kubeconfig of kube-scheduler. */
export const SCHEDULER_USER = 'system:kube-scheduler'
const BERTH_AGENT = 'berth-scheduler'
const DESK = 'example.com/desk'
/** The roles that Kubernetes itself binds to the user. */
const BOOTSTRAP_ROLES = [
  'ClusterRole system:kube-scheduler',
  'ClusterRole system:volume-scheduler',
  'kube-system Role extension-apiserver-authentication-reader',
  'kube-system Role system::leader-locking-kube-scheduler',
]
/** A request of each kind that the check causes. Without them, the absence of refusals would prove nothing. */
const CAUSED = [
  'create events.k8s.io/events',
  'create pods/binding',
  'delete pods',
  'list nodes',
  'patch persistentvolumes',
  'patch pods/status',
  'update coordination.k8s.io/leases',
]

interface RoleBinding {
  readonly metadata: { readonly namespace?: string }
  readonly roleRef: { readonly kind: string; readonly name: string }
  readonly subjects?: readonly { readonly kind: string; readonly name: string }[]
}

/** Returns the roles that are bound to a user by its name. */
async function rolesOf(testCluster: TestCluster, user: string): Promise<readonly string[]> {
  const text = await testCluster.kubectl('get', 'clusterrolebindings,rolebindings', '-A', '-o', 'json')
  const { items } = JSON.parse(text) as { readonly items: readonly RoleBinding[] }
  const own = items.filter(({ subjects = [] }) => subjects.some(({ kind, name }) => kind === 'User' && name === user))
  return own
    .map(({ metadata: { namespace }, roleRef }) => [namespace, roleRef.kind, roleRef.name].filter(Boolean).join(' '))
    .toSorted()
}

/** Returns what a request did, for example `create pods/binding`. */
function actionOf({ verb, objectRef = {}, requestURI }: AuditedRequest): string {
  const { apiGroup, resource, subresource } = objectRef
  if (resource === undefined) return `${verb} ${requestURI}`
  return `${verb} ${[apiGroup, resource, subresource].filter(Boolean).join('/')}`
}

/** Makes a pod of high priority take the place of one of low priority. */
async function preempt(testCluster: TestCluster): Promise<void> {
  const [node = ''] = testCluster.workers
  await testCluster.advertise(node, DESK, '1')
  const classes = { low: testCluster.uniqueName('low'), high: testCluster.uniqueName('high') }
  for (const [name, value] of [
    [classes.low, 10],
    [classes.high, 1_000],
  ] as const) {
    await createObject(testCluster, 'PriorityClass', name, { apiVersion: 'scheduling.k8s.io/v1', value })
  }
  const [meek, urgent] = [testCluster.uniqueName('meek'), testCluster.uniqueName('urgent')]
  await testCluster.createPod(pausePod(meek, { [DESK]: '1' }, { priorityClassName: classes.low }))
  await testCluster.untilRunning(meek)
  await testCluster.createPod(pausePod(urgent, { [DESK]: '1' }, { priorityClassName: classes.high }))
  await testCluster.untilRunning(urgent)
}

/**
 * Checks that the scheduler of the manifest needs no other rights than kube-scheduler. The API server must audit the requests of
 * {@link SCHEDULER_USER}.
 */
export const schedulerRightsCheck: Check = {
  name: `no request is refused while it places, preempts, binds a volume and writes events as ${SCHEDULER_USER}`,
  component: 'scheduler',
  failureText: `requests of ${BERTH_AGENT}`,
  async run(testCluster) {
    const node = await controlPlaneOf(testCluster)
    const requests = async (): Promise<readonly AuditedRequest[]> =>
      (await readAuditLog(node)).filter(({ userAgent }) => userAgent?.split('/')[0] === BERTH_AGENT)
    await testCluster.until(`requests of ${BERTH_AGENT} in the audit log`, async () =>
      (await requests()).length > 0 ? true : undefined,
    )
    const roles = await rolesOf(testCluster, SCHEDULER_USER)
    expectThat(roles.join() === BOOTSTRAP_ROLES.join(), `${SCHEDULER_USER} has the roles ${roles.join(', ')}`)

    await preempt(testCluster)
    const [localVolume] = firstConsumerChecks('default-scheduler')
    await localVolume?.run(testCluster)

    const missing = (all: readonly AuditedRequest[]): readonly string[] => {
      const done = new Set(all.map(actionOf))
      return CAUSED.filter((action) => !done.has(action))
    }
    await testCluster.until(`the audit log to contain ${CAUSED.join(', ')}`, async () =>
      missing(await requests()).length === 0 ? true : undefined,
    )
    const all = await requests()
    const refused = all.filter(({ responseStatus }) => [401, 403].includes(responseStatus?.code ?? 0))
    expectThat(refused.length === 0, `refused: ${[...new Set(refused.map(actionOf))].join(', ')}`)
    const others = all.filter(({ user: { groups = [] } }) => groups.some((group) => group !== 'system:authenticated'))
    expectThat(others.length === 0, `the user has the groups ${others[0]?.user.groups?.join(', ')}`)
    console.log(`audited ${all.length} requests: ${[...new Set(all.map(actionOf))].toSorted().join(', ')}`)
  },
}
