import { beforeAll, describe, expect, test } from 'vitest'
import { find, podTemplates, type ChartObject, type PodTemplate } from './chart-object.ts'
import { matchesUser, policyRefusal, type Policy } from './evaluate-policy.ts'
import { refusal, render } from './render.ts'

const scratch = {
  name: 'example.com/scratch-gib',
  source: { plugin: 'disk-capacity', args: { fileSystem: '/var/scratch/a' } },
  nodes: { selector: {} },
}
const nodeMode = (more: object = {}) => ({
  advertiser: { mode: 'node', node: { hostPaths: ['/var/scratch'] }, config: { resources: [scratch] }, ...more },
})
const CLAIM = 'authentication.kubernetes.io/node-name'

/** Returns a request of a caller whose token says this beside its name. */
const requestOf = (fieldManager: string, extra?: Readonly<Record<string, readonly string[]>>): object => ({
  options: { fieldManager },
  userInfo: extra === undefined ? {} : { extra },
})

describe('the advertiser in mode node', () => {
  let objects: readonly ChartObject[] = []
  let pod: PodTemplate
  beforeAll(async () => {
    objects = await render({ profile: 'advertiser-only', values: nodeMode() })
    const [only] = podTemplates(objects.filter(({ kind }) => kind === 'DaemonSet'))
    if (only === undefined) throw new Error('there is no DaemonSet')
    pod = only
  })

  test('is a DaemonSet in place of the Deployment and its disruption budget', () => {
    const kinds = new Set(objects.map(({ kind }) => kind))
    expect([kinds.has('DaemonSet'), kinds.has('Deployment'), kinds.has('PodDisruptionBudget')]).toEqual([
      true,
      false,
      false,
    ])
  })

  test('knows its node, reads the host without writing, and has its own memory limit', () => {
    const [container] = pod.spec.containers
    expect(container).toMatchObject({
      args: expect.arrayContaining(['--mode=node']),
      env: [{ name: 'BERTH_ADVERTISER_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
      resources: { limits: { memory: '160Mi' } },
      securityContext: { readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      volumeMounts: [
        { name: 'config', mountPath: '/etc/berth', readOnly: true },
        { name: 'sys', mountPath: '/host/sys', readOnly: true, recursiveReadOnly: 'IfPossible' },
        { name: 'host-0', mountPath: '/host/var/scratch', readOnly: true, recursiveReadOnly: 'IfPossible' },
      ],
    })
    expect(pod.spec).toMatchObject({ securityContext: { runAsNonRoot: true, runAsUser: 65_532 } })
    expect(pod.spec.volumes).toMatchObject([
      { name: 'config' },
      { name: 'sys', hostPath: { path: '/sys', type: 'Directory' } },
      { name: 'host-0', hostPath: { path: '/var/scratch', type: 'Directory' } },
    ])
  })

  test('may use the Leases of nodes, and the policy limits it to the one of its own node', () => {
    const { rules } = find(objects, 'Role', 'berth-advertiser')
    expect(rules).toEqual([
      { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create', 'get', 'update'] },
    ])
    const policy = find(objects, 'ValidatingAdmissionPolicy', 'berth-advertiser-leases.berth-system').spec as Policy
    expect(matchesUser(policy, 'system:serviceaccount:berth-system:berth-advertiser')).toBe(true)
    const write = (name: string, extra?: Readonly<Record<string, readonly string[]>>): string | undefined => {
      const object = { metadata: { name } }
      return policyRefusal({ ...policy }, { oldObject: object, object, request: requestOf('berth', extra) })
    }
    const own = { [CLAIM]: ['node-1'] }
    expect(write('berth-advertiser.node.node-1', own)).toBeUndefined()
    for (const name of ['berth-advertiser.node.node-2', 'berth-advertiser', 'berth-scheduler'])
      expect([name, write(name, own)]).toEqual([name, expect.stringContaining('only the Lease of the node')])
    expect(write('berth-advertiser.node.', {})).toContain('only the Lease of the node')
    expect(write('berth-advertiser.node.node-1')).toContain('only the Lease of the node')
  })

  test('writes only the node that its token names, and the uninstall writes every node', () => {
    const policyOf = (name: string) => find(objects, 'ValidatingAdmissionPolicy', name).spec as Policy
    const write = (name: string, extra?: Readonly<Record<string, readonly string[]>>): string | undefined => {
      const node = { metadata: { name: 'node-1' }, status: {} }
      return policyRefusal(policyOf(name), {
        oldObject: node,
        object: node,
        request: requestOf('berth-advertiser', extra),
      })
    }
    expect(write('berth-advertiser.berth-system', { [CLAIM]: ['node-1'] })).toBeUndefined()
    for (const extra of [{ [CLAIM]: ['node-2'] }, {}, undefined])
      expect(write('berth-advertiser.berth-system', extra)).toContain('only the node of its own pod')
    expect(write('berth-uninstall.berth-system')).toBeUndefined()
  })

  test('in mode central has none of these rules', async () => {
    const central = await render({ profile: 'advertiser-only' })
    const policies = central.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
    expect(policies.map(({ metadata }) => metadata.name)).toEqual([
      'berth-advertiser.berth-system',
      'berth-uninstall.berth-system',
    ])
    expect(JSON.stringify(policies)).not.toContain(CLAIM)
  })

  test('refuses ExtendedResource objects', async () => {
    const values = nodeMode({ config: { resources: [], watchObjects: true } })
    expect(await refusal({ profile: 'advertiser-only', values })).toContain('set advertiser.mode=central')
  })

  test('refuses a file system of the node that is not mounted', async () => {
    const values = nodeMode({ node: { hostPaths: ['/var/scratch-2'] } })
    expect(await refusal({ profile: 'advertiser-only', values })).toContain(
      'example.com/scratch-gib reads the file system of /var/scratch/a, which is not mounted',
    )
  })

  test('sources that read the node are refused in mode central', async () => {
    expect(await refusal({ profile: 'advertiser-only', values: nodeMode({ mode: 'central' }) })).toContain(
      'example.com/scratch-gib has the source disk-capacity, which reads the node that it runs on: set advertiser.mode=node',
    )
  })
})
