import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { find, podTemplates, type ChartObject } from './chart-object.ts'
import { matchesUser, policyRefusal, type Policy } from './evaluate-policy.ts'
import { granted, permissionsInTable } from './granted.ts'
import { chartDir, refusal, render } from './render.ts'

const [CA, SERVER, CLIENT] = ['berth-authority-ca', 'berth-authority-server', 'berth-authority-client'] as const

describe('the authority', () => {
  let objects: readonly ChartObject[] = []
  beforeAll(async () => {
    objects = await render({ profile: 'extender-only' })
  })

  test('leaves no Secret in the release, and with another mode there is no authority', async () => {
    expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([])
    const tls = { mode: 'existing', serverSecretName: 'a', clientSecretName: 'b' }
    const others = await render({ profile: 'extender-only', values: { extender: { tls } } })
    expect(JSON.stringify(others)).not.toContain('authority')
  })

  test('has exactly the permissions that its README lists, for its own objects', () => {
    const { rules = [] } = find(objects, 'Role', 'berth-authority')
    const listed = permissionsInTable(readFileSync(join(chartDir, '../../apps/authority/README.md'), 'utf8'))
    expect(listed).toHaveLength(8)
    expect(granted(rules)).toEqual(listed)
    const named = rules.filter(({ resourceNames }) => resourceNames !== undefined)
    expect(named.map(({ resources, resourceNames, verbs }) => [resources, resourceNames, verbs])).toEqual([
      [['secrets'], [CA, SERVER, CLIENT], ['get', 'update']],
      [['configmaps'], ['berth-authority'], ['get']],
      [['leases'], ['berth-authority'], ['get', 'update']],
    ])
    const unnamed = granted(rules.filter(({ resourceNames }) => resourceNames === undefined))
    expect(unnamed).toEqual(['/pods list', '/secrets create', 'coordination.k8s.io/leases create'])
    expect(
      objects.filter(({ metadata, kind }) => kind.startsWith('Cluster') && metadata.name.includes('authority')),
    ).toEqual([])
  })

  test('alone may read Secrets, and no pod mounts the key of the authority', () => {
    const readers = objects.filter(({ rules = [] }) => rules.some(({ resources }) => resources.includes('secrets')))
    expect(readers.map(({ metadata }) => metadata.name)).toEqual(['berth-authority'])
    expect(find(objects, 'RoleBinding', 'berth-authority').subjects).toEqual([
      { kind: 'ServiceAccount', name: 'berth-authority', namespace: 'berth-system' },
    ])
    const mounted = podTemplates(objects).flatMap(({ owner, spec }) =>
      (spec.volumes ?? []).flatMap(({ name, secret }) =>
        secret === undefined ? [] : [`${owner.metadata.name} ${name} ${(secret as { secretName: string }).secretName}`],
      ),
    )
    expect(mounted).toEqual([`berth-extender server-tls ${SERVER}`, `berth-extender client-tls ${CLIENT}`])
  })

  test('knows the kube-schedulers beside the extender by their labels', async () => {
    const configOf = (all: readonly ChartObject[]) => find(all, 'ConfigMap', 'berth-authority').data?.['config.yaml']
    expect(configOf(objects)).toContain('clientUsesHostFiles: false')
    const [, selector = ''] = /schedulerPods: (.*)/.exec(configOf(objects) ?? '') ?? []
    const [pod] = podTemplates([find(objects, 'Deployment', 'berth-extender')])
    for (const label of selector.split(',')) {
      const [key = '', value] = label.split('=')
      expect(pod?.metadata.labels?.[key]).toBe(value)
    }
    expect(selector.split(',')).toHaveLength(3)
    const own = { kubeScheduler: { enabled: false }, service: { enabled: true } }
    const other = await render({ profile: 'extender-only', values: { extender: own } })
    expect(configOf(other)).toContain('clientUsesHostFiles: true')
    expect(configOf(other)).not.toContain('schedulerPods')
    expect(granted(find(other, 'Role', 'berth-authority').rules ?? [])).not.toContain('/pods list')
  })

  test.for([
    { config: { rollHours: 1_500 }, says: 'authority.config.rollHours is more than a sixth of authorityLifetimeHours' },
    { config: { serverLifetimeHours: 4_400 }, says: 'authority.config.serverLifetimeHours is more than half' },
    { config: { authorityLifetimeHours: 1_000 }, says: 'authority.config.clientLifetimeHours is more than half' },
    { config: { clientName: 'x' }, says: "additional properties 'clientName' not allowed" },
  ])('refuses $config', async ({ config, says }) => {
    expect(await refusal({ profile: 'extender-only', values: { authority: { config } } })).toContain(says)
  })

  test('with a PodMonitor, its network policy must admit Prometheus', async () => {
    const flags = ['--api-versions', 'monitoring.coreos.com/v1']
    const from = [{ podSelector: {} }]
    const extender = { networkPolicy: { from } }
    const values = { podMonitor: { enabled: true }, extender }
    expect(await refusal({ profile: 'extender-only', values, flags })).toContain("at '/authority/networkPolicy/from'")
    const open = { ...values, authority: { networkPolicy: { from } } }
    const admitted = await render({ profile: 'extender-only', values: open, flags })
    expect(find(admitted, 'NetworkPolicy', 'berth-authority').spec).toMatchObject({ ingress: [{ from }] })
  })

  describe('its policy', () => {
    let policy: Policy = { matchConditions: [], variables: [], validations: [] }
    beforeAll(() => {
      policy = find(objects, 'ValidatingAdmissionPolicy', 'berth-authority.berth-system').spec as Policy
    })
    const refused = (name: string, type?: string) =>
      policyRefusal(policy, {
        oldObject: null,
        object: { apiVersion: 'v1', kind: 'Secret', metadata: { name }, ...(type !== undefined && { type }) },
        request: {},
      })

    test('applies to each Secret that the authority creates, and fails closed', () => {
      expect(policy).toMatchObject({
        failurePolicy: 'Fail',
        matchConstraints: { resourceRules: [{ resources: ['secrets'], operations: ['CREATE'] }] },
      })
      expect(matchesUser(policy, 'system:serviceaccount:berth-system:berth-authority')).toBe(true)
      expect(matchesUser(policy, 'system:serviceaccount:berth-system:berth-extender')).toBe(false)
    })

    test('lets it create its own Secrets', () => {
      expect([refused(CA, 'Opaque'), refused(CA)]).toEqual([undefined, undefined])
      expect([refused(SERVER, 'kubernetes.io/tls'), refused(CLIENT, 'kubernetes.io/tls')]).toEqual([
        undefined,
        undefined,
      ])
    })

    test.for([
      { name: 'other', type: 'Opaque' },
      { name: 'other', type: 'kubernetes.io/tls' },
      { name: CA, type: 'kubernetes.io/service-account-token' },
      { name: SERVER, type: 'kubernetes.io/service-account-token' },
      { name: CLIENT, type: undefined },
    ])('refuses the Secret $name of the type $type', ({ name, type }) => {
      expect(refused(name, type)).toContain('the authority may create only its own Secrets')
    })
  })
})
