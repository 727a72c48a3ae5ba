import { caseGroup, type CaseGroup, type Json } from '../runner/conformance-case.ts'
import { deployment, pod } from '../manifests/manifests.ts'
import {
  createLimitRange,
  createQuota,
  createSecuredNamespace,
  untilDefaultPriority,
} from '../manifests/pod-surroundings.ts'

const shownResources = ({ metadata, spec }: Json): unknown => [
  metadata.annotations,
  spec.containers.map(({ resources }: Json) => resources),
]

const limited = (cpu: string, memory = '64Mi'): object => ({ requests: { cpu, memory }, limits: { cpu, memory } })

const RESTRICTED = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    {
      name: 'main',
      image: 'none',
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
    },
  ],
}
const shownName = ({ metadata }: Json): unknown => metadata.name

/** Admission: quotas, limit ranges, pod security and priority classes. */
export const admitting: CaseGroup = caseGroup('admit', {
  'quota-counts': async (session) => {
    const path = await createQuota(session, {
      pods: '3',
      'requests.cpu': '1',
      'limits.memory': '1Gi',
      'count/configmaps': '20',
    })
    await session.post(session.at('pods'), pod(session.name, limited('250m')), { isQuiet: true })
    await session.until(path, ({ body }) => body.status?.used?.pods === '1', { show: ({ status }) => status })
  },
  'quota-is-exceeded': async (session) => {
    await createQuota(session, { 'requests.cpu': '500m', 'requests.example.com/dongle': '2' })
    await session.post(session.at('pods'), pod(session.name, limited('400m')), { isQuiet: true })
    await session.post(session.at('pods'), pod(`${session.name}-2`, limited('200m')))
    const dongles = { requests: { cpu: '1m', 'example.com/dongle': 3 }, limits: { 'example.com/dongle': 3 } }
    await session.post(session.at('pods'), pod(`${session.name}-3`, dongles))
  },
  'quota-wants-limits': async (session) => {
    await createQuota(session, { 'limits.cpu': '1', 'requests.memory': '1Gi' })
    await session.post(session.at('pods'), pod(session.name))
    await session.post(session.at('pods'), pod(session.name, { limits: { cpu: '1' } }))
  },
  'quota-of-objects': async (session) => {
    await createQuota(session, { 'count/leases.coordination.k8s.io': '1', services: '0' })
    const lease = (name: string): object => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name },
      spec: {},
    })
    await session.post(session.at('coordination.k8s.io/v1/leases'), lease(session.name), { show: shownName })
    await session.post(session.at('coordination.k8s.io/v1/leases'), lease(`${session.name}-2`))
    await session.post(session.at('services'), { metadata: { name: session.name }, spec: { ports: [{ port: 80 }] } })
  },
  'quota-of-best-effort': async (session) => {
    await createQuota(session, { pods: '0' }, { scopes: ['BestEffort'] })
    await session.post(session.at('pods'), pod(session.name))
    await session.post(session.at('pods'), pod(session.name, limited('10m')), { show: shownName })
  },
  'limit-range-gives-defaults': async (session) => {
    const limit = { type: 'Container', default: { cpu: '200m', memory: '64Mi' }, defaultRequest: { cpu: '100m' } }
    await createLimitRange(session, limit, pod('probe'))
    await session.post(session.at('pods'), pod(session.name), { show: shownResources })
    await session.post(session.at('pods'), pod(`${session.name}-2`, { requests: { cpu: '50m' } }), {
      show: shownResources,
    })
  },
  'limit-range-has-bounds': async (session) => {
    await createLimitRange(
      session,
      { type: 'Container', min: { cpu: '100m' }, max: { cpu: '1', memory: '1Gi' } },
      pod('probe'),
    )
    await session.post(session.at('pods'), pod(session.name, limited('50m')))
    await session.post(session.at('pods'), pod(session.name, limited('2')))
    await session.post(session.at('pods'), pod(session.name), { show: shownResources })
  },
  'limit-range-of-pods': async (session) => {
    const limit = { type: 'Pod', max: { cpu: '1' }, maxLimitRequestRatio: { memory: '2' } }
    await createLimitRange(session, limit, pod('probe', limited('2')))
    await session.post(
      session.at('pods'),
      pod(session.name, { requests: { memory: '1Mi' }, limits: { cpu: '500m', memory: '3Mi' } }),
    )
    await session.post(session.at('pods'), pod(session.name, limited('2')))
  },
  'pod-security-restricted': async (session) => {
    const pods = await createSecuredNamespace(session, { enforce: 'restricted' })
    await session.post(pods, pod('plain'))
    await session.post(pods, pod('good', {}, RESTRICTED), { show: shownName })
  },
  'pod-security-baseline': async (session) => {
    const pods = await createSecuredNamespace(session, { enforce: 'baseline' })
    await session.post(pods, pod('plain'), { show: shownName })
    await session.post(pods, pod('host', {}, { hostNetwork: true, hostPID: true }))
    const securityContext = { privileged: true, capabilities: { add: ['SYS_ADMIN', 'CHOWN'] } }
    const ports = [{ containerPort: 80, hostPort: 80 }]
    await session.post(
      pods,
      pod(
        'strong',
        {},
        {
          containers: [
            { name: 'a', image: 'none', securityContext, ports },
            { name: 'b', image: 'none', securityContext },
          ],
        },
      ),
    )
    await session.post(pods, pod('path', {}, { volumes: [{ name: 'v', hostPath: { path: '/' } }] }))
  },
  'pod-security-details': async (session) => {
    const pods = await createSecuredNamespace(session, { enforce: 'restricted' })
    await session.post(
      pods,
      pod(
        'root',
        {},
        {
          ...RESTRICTED,
          securityContext: { runAsNonRoot: false, runAsUser: 0, seccompProfile: { type: 'Unconfined' } },
        },
      ),
    )
    await session.post(
      pods,
      pod(
        'path',
        {},
        {
          ...RESTRICTED,
          volumes: [
            { name: 'v', hostPath: { path: '/' } },
            { name: 'e', emptyDir: {} },
          ],
        },
      ),
    )
  },
  'pod-security-warns': async (session) => {
    const pods = await createSecuredNamespace(session, { warn: 'restricted' })
    await session.post(pods, pod('plain'), { show: shownName })
    await session.post(pods.replace('/api/v1', '/apis/apps/v1').replace(/pods$/, 'deployments'), deployment('plain'), {
      show: shownName,
    })
  },
  'one-default-priority': async (session) => {
    const { name, post } = session
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses'
    const priority = (called: string): object => ({ metadata: { name: called }, value: 5, globalDefault: true })
    await post(path, priority(name), { show: shownName })
    await untilDefaultPriority(session, 5)
    await post(path, priority(`${name}-2`))
  },
})
