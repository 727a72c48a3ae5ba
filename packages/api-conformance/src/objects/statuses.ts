import { caseGroup, type CaseGroup, type Json, type CaseSession } from '../runner/conformance-case.ts'
import { deployment, node, pod } from '../manifests/manifests.ts'
import { NO_SCHEDULER } from '../runner/no-scheduler.ts'

const containers = [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }]
const template = (name: string, spec: object = {}): object => ({
  metadata: { labels: { app: name } },
  spec: { schedulerName: NO_SCHEDULER, containers, ...spec },
})
const selector = (name: string): object => ({ matchLabels: { app: name } })
const NEVER = { restartPolicy: 'Never' }

// Kinds with a status, each with a spec that no controller acts on.
const KINDS: Readonly<Record<string, (name: string) => object>> = {
  'apps/v1/deployments': (name) => deployment(name),
  'apps/v1/replicasets': (name) => ({ spec: { replicas: 0, selector: selector(name), template: template(name) } }),
  'apps/v1/statefulsets': (name) => ({
    spec: { replicas: 0, serviceName: name, selector: selector(name), template: template(name) },
  }),
  'apps/v1/daemonsets': (name) => ({
    spec: { selector: selector(name), template: template(name, { nodeSelector: { nowhere: name } }) },
  }),
  'batch/v1/jobs': (name) => ({ spec: { suspend: true, template: template(name, NEVER) } }),
  'batch/v1/cronjobs': (name) => ({
    spec: { suspend: true, schedule: '0 0 1 1 *', jobTemplate: { spec: { template: template(name, NEVER) } } },
  }),
  'policy/v1/poddisruptionbudgets': (name) => ({ spec: { minAvailable: 1, selector: selector(name) } }),
  pods: (name) => pod(name),
  services: () => ({ spec: { ports: [{ port: 80 }] } }),
  resourcequotas: () => ({ spec: { hard: { 'count/secrets': '9' } } }),
  persistentvolumeclaims: () => ({
    spec: { storageClassName: 'none', accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  }),
  replicationcontrollers: (name) => ({ spec: { replicas: 0, selector: { app: name }, template: template(name) } }),
  '/api/v1/nodes': (name) => node(name),
  '/api/v1/namespaces': () => ({}),
  '/api/v1/persistentvolumes': () => ({
    spec: {
      storageClassName: 'none',
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/nowhere' },
    },
  }),
  '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies': () => ({
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['none'] },
        ],
      },
      validations: [{ expression: 'true' }],
    },
  }),
}

const HELD = 'example.com/held'
const kept = ({ metadata }: Json): unknown => ({
  label: metadata.labels?.told,
  annotation: metadata.annotations?.told,
  isHeld: (metadata.finalizers ?? []).includes(HELD),
})

/** Writes of the status, and what else they change. */
export const statuses: CaseGroup = caseGroup(
  'status',
  Object.fromEntries(
    Object.entries(KINDS).map(([path, make]) => [
      `metadata-of-${path.split('/').at(-1)}`,
      async ({ at, name, post, patch }: CaseSession) => {
        const collection = path.startsWith('/') ? path : at(path)
        await post(collection, { metadata: { name }, ...make(name) }, { isQuiet: true })
        const metadata = { labels: { told: 'a' }, annotations: { told: 'b' }, finalizers: [HELD] }
        await patch('merge', `${collection}/${name}/status`, { metadata }, { show: kept })
      },
    ]),
  ),
)
