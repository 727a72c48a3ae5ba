import { caseGroup, type Answer, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { node, pod } from '../manifests/manifests.ts'
import { NO_SCHEDULER } from '../runner/no-scheduler.ts'

const INDEX = 'batch.kubernetes.io/job-completion-index'
const container = { name: 'main', image: 'registry.k8s.io/pause:3.10' }

/** No scheduler binds the pods, so that they stay as their controller created them. */
const template = (labels: object | undefined, spec: object = {}): object => ({
  ...(labels === undefined ? {} : { metadata: { labels } }),
  spec: { schedulerName: NO_SCHEDULER, containers: [container], ...spec },
})

const job = (name: string, spec: object = {}): object => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template: template(undefined, { restartPolicy: 'Never' }), ...spec },
})

const status = (body: Json): unknown => body.status
/** Picks the conditions and counters of a job, without its times. */
const outcome = ({ status: { conditions, startTime, completionTime, ...rest } }: Json): unknown => ({
  ...rest,
  hasStartTime: startTime !== undefined,
  hasCompletionTime: completionTime !== undefined,
  conditions: (conditions ?? []).map(({ type, status: is, reason, message }: Json) => ({ type, is, reason, message })),
})
const hasCondition =
  (type: string, is = 'True') =>
  ({ body }: Answer): boolean =>
    (body.status?.conditions ?? []).some((each: Json) => each.type === type && each.status === is)
const isActive =
  (count: number) =>
  ({ body }: Answer): boolean =>
    body.status?.active === count
const hasItems =
  (count: number) =>
  ({ body }: Answer) =>
    body.items?.length === count

const owners = (object: Json): unknown =>
  object.metadata.ownerReferences.map(({ apiVersion, kind, name, controller, blockOwnerDeletion }: Json) => ({
    apiVersion,
    kind,
    name,
    controller,
    blockOwnerDeletion,
  }))
const madePod = (object: Json): unknown => ({
  labels: object.metadata.labels,
  annotations: object.metadata.annotations,
  finalizers: object.metadata.finalizers,
  generateName: object.metadata.generateName,
  owners: owners(object),
  hostname: object.spec.hostname,
  subdomain: object.spec.subdomain,
  affinity: object.spec.affinity,
  tolerations: object.spec.tolerations,
  env: object.spec.containers[0].env,
})
const madePods = ({ items }: Json): unknown =>
  items
    .map(madePod)
    .toSorted((a: Json, b: Json) =>
      (a.annotations?.[INDEX] ?? a.hostname) < (b.annotations?.[INDEX] ?? b.hostname) ? -1 : 1,
    )

/** Returns the paths of the pods of a job. */
async function podsOfJob({ at, name, until }: CaseSession, count: number): Promise<readonly string[]> {
  const { body } = await until(at('pods') + `?labelSelector=job-name=${name}`, hasItems(count), { show: () => 'pods' })
  return body.items.map(({ metadata }: Json) => at('pods', metadata.name, 'status'))
}

/** Writes the phase into the status of pods. */
async function setPhases(session: CaseSession, paths: readonly string[], phase: string): Promise<void> {
  for (const path of paths) await session.patch('merge', path, { status: { phase } }, { isQuiet: true })
}

/** Returns a case with a job whose `count` pods all end in a phase, until the job has the condition. */
const finishesJob =
  (phase: string, spec: object, count: number, condition: string) =>
  async (session: CaseSession): Promise<void> => {
    const { at, name, post, until } = session
    await post(at('batch/v1/jobs'), job(name, spec), { isQuiet: true })
    await setPhases(session, await podsOfJob(session, count), phase)
    await until(at('batch/v1/jobs', name), hasCondition(condition), { show: outcome })
    await until(
      `${at('pods')}?labelSelector=job-name=${name}`,
      ({ body }) => body.items?.every((each: Json) => each.metadata.finalizers === undefined),
      {
        show: ({ items }) => items.map(({ status: { phase: is } }: Json) => is),
      },
    )
  }

const statefulSet =
  (spec: object, count: number) =>
  async ({ at, name, post, until }: CaseSession): Promise<void> => {
    const labels = { app: name }
    await post(
      at('apps/v1/statefulsets'),
      {
        metadata: { name },
        spec: {
          serviceName: 'none',
          replicas: 3,
          selector: { matchLabels: labels },
          template: template(labels),
          ...spec,
        },
      },
      { isQuiet: true },
    )
    await until(`${at('pods')}?labelSelector=app=${name}`, hasItems(count), {
      show: ({ items }) =>
        items.map((each: Json) => {
          const { 'controller-revision-hash': hash, ...others } = each.metadata.labels
          return {
            name: each.metadata.name,
            hasHash: hash !== undefined,
            labels: others,
            hostname: each.spec.hostname,
            subdomain: each.spec.subdomain,
          }
        }),
    })
    await until(at('apps/v1/statefulsets', name), ({ body }) => body.status?.replicas === count, {
      show: ({ status: { currentRevision, updateRevision, ...rest } }) => ({
        ...rest,
        isSame: currentRevision === updateRevision,
      }),
    })
  }

const service = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { selector: { app: name }, ports: [{ port: 80, targetPort: 'http' }], ...spec },
})
const slicesOf = ({ at, name }: CaseSession): string =>
  `${at('discovery.k8s.io/v1/endpointslices')}?labelSelector=kubernetes.io/service-name=${name}`
const shownSlices = ({ items }: Json): unknown =>
  items.map(({ metadata, addressType, endpoints, ports }: Json) => ({
    labels: metadata.labels,
    owners: owners({ metadata }),
    addressType,
    endpoints,
    ports,
  }))

/** Creates a service with one pod on a node, with these conditions in its status. */
const endpoint =
  (ready: 'True' | 'False', spec: object = {}) =>
  async (session: CaseSession): Promise<void> => {
    const { at, name, post, patch, until } = session
    await post('/api/v1/nodes', node(name), { isQuiet: true })
    await post(at('services'), service(name, spec), { isQuiet: true })
    const ports = [{ name: 'http', containerPort: 8080 }]
    const labels = { app: name }
    await post(at('pods'), pod(name, {}, { nodeName: name, containers: [{ ...container, ports }] }, { labels }), {
      isQuiet: true,
    })
    const conditions = [{ type: 'Ready', status: ready }]
    await patch(
      'merge',
      at('pods', name, 'status'),
      { status: { phase: 'Running', podIP: '10.9.8.7', podIPs: [{ ip: '10.9.8.7' }], conditions } },
      { isQuiet: true },
    )
    await until(slicesOf(session), ({ body }) => body.items?.[0]?.endpoints?.length === 1, { show: shownSlices })
    await until(at('endpoints', name), ({ body }) => body.subsets?.length === 1, {
      show: ({ metadata, subsets }) => ({ labels: metadata.labels, subsets }),
    })
  }

/** Controllers of workloads, services, nodes and namespaces, as far as they need no kubelet. */
export const controlling: CaseGroup = caseGroup('control', {
  'job-pod': async ({ at, name, post, until }) => {
    await post(at('batch/v1/jobs'), job(name))
    await until(at('batch/v1/jobs', name), isActive(1), { show: outcome })
    await until(`${at('pods')}?labelSelector=job-name=${name}`, hasItems(1), { show: madePods })
  },
  'job-parallel-alone': async ({ at, name, post, until }) => {
    await post(at('batch/v1/jobs'), job(name, { parallelism: 2 }), {
      show: ({ spec }) =>
        Object.fromEntries(Object.entries(spec).filter(([key]) => key !== 'selector' && key !== 'template')),
    })
    await until(at('batch/v1/jobs', name), isActive(2), { show: outcome })
  },
  'job-indexed': async ({ at, name, post, until }) => {
    await post(at('batch/v1/jobs'), job(name, { completions: 3, parallelism: 2, completionMode: 'Indexed' }), {
      isQuiet: true,
    })
    await until(at('batch/v1/jobs', name), isActive(2), { show: outcome })
    await until(`${at('pods')}?labelSelector=job-name=${name}`, hasItems(2), { show: madePods })
  },
  'job-suspended-and-resumed': async ({ at, name, post, patch, until }) => {
    await post(at('batch/v1/jobs'), job(name, { suspend: true }), { isQuiet: true })
    await until(at('batch/v1/jobs', name), hasCondition('Suspended'), { show: outcome })
    await patch('merge', at('batch/v1/jobs', name), { spec: { suspend: false } }, { isQuiet: true })
    await until(at('batch/v1/jobs', name), isActive(1), { show: outcome })
  },
  'job-succeeds': finishesJob('Succeeded', { completions: 2, parallelism: 2 }, 2, 'Complete'),
  'job-without-completions-succeeds': finishesJob('Succeeded', { parallelism: 2 }, 2, 'Complete'),
  'job-indexed-succeeds': finishesJob(
    'Succeeded',
    { completions: 3, parallelism: 3, completionMode: 'Indexed' },
    3,
    'Complete',
  ),
  'job-fails': finishesJob('Failed', { backoffLimit: 0 }, 1, 'Failed'),
  'job-misses-its-deadline': async ({ at, name, post, until }) => {
    await post(at('batch/v1/jobs'), job(name, { activeDeadlineSeconds: 1 }), { isQuiet: true })
    await until(at('batch/v1/jobs', name), hasCondition('Failed'), { show: outcome })
  },
  'job-is-deleted-when-its-time-is-over': async (session) => {
    const { at, name, post, until } = session
    await post(at('batch/v1/jobs'), job(name, { ttlSecondsAfterFinished: 1 }), { isQuiet: true })
    await setPhases(session, await podsOfJob(session, 1), 'Succeeded')
    await until(at('batch/v1/jobs', name), ({ status: code }) => code === 404, { show: ({ reason }) => reason })
    await until(`${at('pods')}?labelSelector=job-name=${name}`, hasItems(0), { show: ({ items }) => items.length })
  },
  'job-with-a-selector-of-its-own': ({ at, name, post }) =>
    post(
      at('batch/v1/jobs'),
      job(name, {
        selector: { matchLabels: { own: 'yes' } },
        template: template({ own: 'yes' }, { restartPolicy: 'Never' }),
      }),
    ),
  'daemon-set-without-a-node': async ({ at, name, post, until }) => {
    const labels = { app: name }
    const spec = { selector: { matchLabels: labels }, template: template(labels, { nodeSelector: { nowhere: 'yes' } }) }
    await post(at('apps/v1/daemonsets'), { metadata: { name }, spec }, { isQuiet: true })
    await until(at('apps/v1/daemonsets', name), ({ body }) => body.status?.observedGeneration === 1, { show: status })
    await until(`${at('apps/v1/controllerrevisions')}?labelSelector=app=${name}`, hasItems(1), {
      show: ({ items: [{ data, revision, metadata }] }) => ({ data, revision, owners: owners({ metadata }) }),
    })
  },
  'daemon-set-on-one-node': async ({ at, name, post, until }) => {
    const labels = { app: name }
    await post('/api/v1/nodes', { ...node(name), metadata: { name, labels: { only: name } } }, { isQuiet: true })
    const spec = {
      selector: { matchLabels: labels },
      template: template(labels, { nodeSelector: { only: name }, tolerations: [{ operator: 'Exists' }] }),
    }
    await post(at('apps/v1/daemonsets'), { metadata: { name }, spec }, { isQuiet: true })
    await until(`${at('pods')}?labelSelector=app=${name}`, hasItems(1), {
      show: ({ items: [made] }) => {
        const {
          labels: { 'controller-revision-hash': hash, ...others },
          ...rest
        } = madePod(made) as Json
        return { ...rest, labels: others, hasHash: hash !== undefined }
      },
    })
    await until(at('apps/v1/daemonsets', name), ({ body }) => body.status?.currentNumberScheduled === 1, {
      show: status,
    })
  },
  'stateful-set-in-order': statefulSet({}, 1),
  'stateful-set-in-parallel': statefulSet({ podManagementPolicy: 'Parallel' }, 3),
  'service-without-pods': async (session) => {
    const { at, name, post, until } = session
    await post(at('services'), service(name), { isQuiet: true })
    await until(slicesOf(session), hasItems(1), { show: shownSlices })
    await until(at('endpoints', name), ({ status: code }) => code === 200, {
      show: ({ metadata, subsets }) => ({ labels: metadata.labels, subsets }),
    })
  },
  'service-with-a-ready-pod': endpoint('True'),
  'service-with-a-pod-that-is-not-ready': endpoint('False'),
  'service-that-publishes-all': endpoint('False', { publishNotReadyAddresses: true }),
  'headless-service-with-a-ready-pod': endpoint('True', { clusterIP: 'None' }),
  'namespace-is-furnished': async ({ at, until }) => {
    await until(at('configmaps', 'kube-root-ca.crt'), ({ status: code }) => code === 200, {
      show: ({ metadata, data }) => ({ annotations: metadata.annotations, keys: Object.keys(data) }),
    })
    await until(at('serviceaccounts', 'default'), ({ status: code }) => code === 200, { show: ({ kind }) => kind })
  },
  'node-that-is-cordoned': async ({ name, post, patch, until }) => {
    await post('/api/v1/nodes', node(name), { isQuiet: true })
    await patch('merge', `/api/v1/nodes/${name}`, { spec: { unschedulable: true } }, { isQuiet: true })
    const keys = (body: Json): unknown =>
      (body.spec?.taints ?? [])
        .map(({ key, effect }: Json) => `${key}:${effect}`)
        .filter((each: string) => each.includes('unschedulable'))
    const isTainted = ({ body }: Answer): boolean => (keys(body) as readonly string[]).length === 1
    await until(`/api/v1/nodes/${name}`, isTainted, { show: keys })
  },
  'pod-without-a-node-that-is-deleted': async ({ at, name, post, delete: remove, until }) => {
    await post(at('pods'), pod(name), { isQuiet: true })
    await remove(at('pods', name), undefined, { isQuiet: true })
    await until(at('pods', name), ({ status: code }) => code === 404, { show: ({ reason }) => reason })
  },
  'budget-of-a-job': async ({ at, name, post, until }) => {
    await post(
      at('policy/v1/poddisruptionbudgets'),
      { metadata: { name }, spec: { minAvailable: 1, selector: { matchLabels: { app: name } } } },
      { isQuiet: true },
    )
    await until(at('policy/v1/poddisruptionbudgets', name), ({ body }) => body.status?.observedGeneration === 1, {
      show: ({ status: { conditions, ...rest } }) => ({
        ...rest,
        conditions: conditions.map(({ type, status: is, reason }: Json) => ({ type, is, reason })),
      }),
    })
  },
})
