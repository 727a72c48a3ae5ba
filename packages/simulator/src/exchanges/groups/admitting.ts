import { exchangeGroup, type ExchangeGroup, type Json } from '../exchange.ts'
import { deployment, pod } from '../manifests.ts'
import { limits, quota, secured } from '../pod-surroundings.ts'

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

/** Admission: quotas, limit ranges, pod security, priority classes. */
export const admitting: ExchangeGroup = exchangeGroup('admit', {
  'quota-counts': async (talk) => {
    const path = await quota(talk, { pods: '3', 'requests.cpu': '1', 'limits.memory': '1Gi', 'count/configmaps': '20' })
    await talk.post(talk.at('pods'), pod(talk.name, limited('250m')), { isQuiet: true })
    await talk.until(path, ({ body }) => body.status?.used?.pods === '1', { show: ({ status }) => status })
  },
  'quota-is-exceeded': async (talk) => {
    await quota(talk, { 'requests.cpu': '500m', 'requests.example.com/dongle': '2' })
    await talk.post(talk.at('pods'), pod(talk.name, limited('400m')), { isQuiet: true })
    await talk.post(talk.at('pods'), pod(`${talk.name}-2`, limited('200m')))
    const dongles = { requests: { cpu: '1m', 'example.com/dongle': 3 }, limits: { 'example.com/dongle': 3 } }
    await talk.post(talk.at('pods'), pod(`${talk.name}-3`, dongles))
  },
  'quota-wants-limits': async (talk) => {
    await quota(talk, { 'limits.cpu': '1', 'requests.memory': '1Gi' })
    await talk.post(talk.at('pods'), pod(talk.name))
    await talk.post(talk.at('pods'), pod(talk.name, { limits: { cpu: '1' } }))
  },
  'quota-of-objects': async (talk) => {
    await quota(talk, { 'count/leases.coordination.k8s.io': '1', services: '0' })
    const lease = (name: string): object => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name },
      spec: {},
    })
    await talk.post(talk.at('coordination.k8s.io/v1/leases'), lease(talk.name), { show: shownName })
    await talk.post(talk.at('coordination.k8s.io/v1/leases'), lease(`${talk.name}-2`))
    await talk.post(talk.at('services'), { metadata: { name: talk.name }, spec: { ports: [{ port: 80 }] } })
  },
  'quota-of-best-effort': async (talk) => {
    await quota(talk, { pods: '0' }, { scopes: ['BestEffort'] })
    await talk.post(talk.at('pods'), pod(talk.name))
    await talk.post(talk.at('pods'), pod(talk.name, limited('10m')), { show: shownName })
  },
  'limit-range-gives-defaults': async (talk) => {
    const limit = { type: 'Container', default: { cpu: '200m', memory: '64Mi' }, defaultRequest: { cpu: '100m' } }
    await limits(talk, limit, pod('probe'))
    await talk.post(talk.at('pods'), pod(talk.name), { show: shownResources })
    await talk.post(talk.at('pods'), pod(`${talk.name}-2`, { requests: { cpu: '50m' } }), { show: shownResources })
  },
  'limit-range-has-bounds': async (talk) => {
    await limits(talk, { type: 'Container', min: { cpu: '100m' }, max: { cpu: '1', memory: '1Gi' } }, pod('probe'))
    await talk.post(talk.at('pods'), pod(talk.name, limited('50m')))
    await talk.post(talk.at('pods'), pod(talk.name, limited('2')))
    await talk.post(talk.at('pods'), pod(talk.name), { show: shownResources })
  },
  'limit-range-of-pods': async (talk) => {
    const limit = { type: 'Pod', max: { cpu: '1' }, maxLimitRequestRatio: { memory: '2' } }
    await limits(talk, limit, pod('probe', limited('2')))
    await talk.post(
      talk.at('pods'),
      pod(talk.name, { requests: { memory: '1Mi' }, limits: { cpu: '500m', memory: '3Mi' } }),
    )
    await talk.post(talk.at('pods'), pod(talk.name, limited('2')))
  },
  'pod-security-restricted': async (talk) => {
    const pods = await secured(talk, { enforce: 'restricted' })
    await talk.post(pods, pod('plain'))
    await talk.post(pods, pod('good', {}, RESTRICTED), { show: shownName })
  },
  'pod-security-baseline': async (talk) => {
    const pods = await secured(talk, { enforce: 'baseline' })
    await talk.post(pods, pod('plain'), { show: shownName })
    await talk.post(pods, pod('host', {}, { hostNetwork: true, hostPID: true }))
    const securityContext = { privileged: true, capabilities: { add: ['SYS_ADMIN', 'CHOWN'] } }
    const ports = [{ containerPort: 80, hostPort: 80 }]
    await talk.post(
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
    await talk.post(pods, pod('path', {}, { volumes: [{ name: 'v', hostPath: { path: '/' } }] }))
  },
  'pod-security-details': async (talk) => {
    const pods = await secured(talk, { enforce: 'restricted' })
    await talk.post(
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
    await talk.post(
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
  'pod-security-warns': async (talk) => {
    const pods = await secured(talk, { warn: 'restricted' })
    await talk.post(pods, pod('plain'), { show: shownName })
    await talk.post(pods.replace('/api/v1', '/apis/apps/v1').replace(/pods$/, 'deployments'), deployment('plain'), {
      show: shownName,
    })
  },
  'one-default-priority': async ({ name, post }) => {
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses'
    const priority = (called: string): object => ({ metadata: { name: called }, value: 5, globalDefault: true })
    await post(path, priority(name), { show: shownName })
    await post(path, priority(`${name}-2`))
  },
})
