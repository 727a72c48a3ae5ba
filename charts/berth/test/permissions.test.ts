import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { componentOf, find, podTemplates, type ChartObject, type Rule } from './chart-object.ts'
import { granted, groupName, permissionsInTable } from './granted.ts'
import { chartDir, render } from './render.ts'

function readme(app: string): string {
  return readFileSync(join(chartDir, '../../apps', app, 'README.md'), 'utf8')
}

/** Returns the permissions of kube-scheduler's bootstrap ClusterRoles in a file of recorded rules. */
function upstreamRules(name: string): readonly string[] {
  const file = join(chartDir, '../../apps/scheduler/test/kube-scheduler-config', `${name}.yaml`)
  const roles = parse(readFileSync(file, 'utf8')) as Readonly<Record<string, readonly Rule[]>>
  return granted(Object.values(roles).flat())
}

/** Returns the permissions that a README lists as `Permissions: …`: lists of resource names in code, each followed by verbs. */
function permissionsInSentence(text: string): readonly string[] {
  const sentence = /^Permissions: (.*)$/m.exec(text)?.[1] ?? ''
  return sentence
    .split(';')
    .flatMap((part) => {
      const [, name = '', words = ''] = /`([a-z0-9./]+)` ([a-z, ]+)/.exec(part) ?? []
      const resource = name.includes('.k8s.io/') ? name : `/${name}`
      return words.split(',').map((verb) => `${resource} ${verb.trim()}`)
    })
    .toSorted()
}

/** Returns the permissions that a README lists as kinds to list and watch: group, then names in code. */
function permissionsToWatch(text: string): readonly string[] {
  const [, list = ''] = /^Permissions, all list and watch: ([\s\S]*?)\. The extender writes nothing/m.exec(text) ?? []
  return list
    .replaceAll('\n', ' ')
    .split(';')
    .flatMap((part) => {
      const [group = '', ...names] = part.trim().split(/\s+/)
      return names.flatMap((name) => {
        const resource = name.replaceAll(/[`,]/g, '')
        return [`${groupName(group)}/${resource} list`, `${groupName(group)}/${resource} watch`]
      })
    })
    .toSorted()
}

describe('permissions', () => {
  let objects: readonly ChartObject[] = []
  beforeAll(async () => {
    const eviction = { enabled: true, config: { resources: ['example.com/dongle'] } }
    const cli = { subjects: [{ kind: 'Group', name: 'operators' }] }
    objects = await render({ profile: 'full', values: { cli, eviction } })
  })
  const clusterRules = (app: string): readonly Rule[] =>
    find(objects, 'ClusterRole', `berth-system:berth-${app}`).rules ?? []

  test.for([
    { app: 'advertiser', read: permissionsInSentence, count: 6 },
    { app: 'advertiser', role: 'eviction', read: permissionsInTable, count: 6 },
    { app: 'extender', read: permissionsToWatch, count: 32 },
    { app: 'scheduler', read: permissionsInTable, count: 46 },
    { app: 'kubectl-berth', role: 'cli', read: permissionsInTable, count: 33 },
  ])('$app ($role) has exactly the permissions that its README lists', ({ app, role = app, read, count }) => {
    const listed = read(readme(app))
    expect(listed).toHaveLength(count)
    expect(granted(clusterRules(role))).toEqual(listed)
  })

  test('the scheduler has no permission that kube-scheduler lacks, apart from reading the PodGroup of scheduler-plugins', () => {
    const upstream = new Set([...upstreamRules('cluster-roles'), ...upstreamRules('pod-group-rules')])
    expect(upstream.size).toBeGreaterThan(90)
    expect(granted(clusterRules('scheduler')).filter((permission) => !upstream.has(permission))).toEqual([
      'scheduling.x-k8s.io/podgroups list',
      'scheduling.x-k8s.io/podgroups watch',
    ])
  })

  test.for([
    { app: 'advertiser', when: undefined },
    { app: 'uninstall', when: 'pre-delete,post-delete' },
  ])('the $app may write events only in the namespace of events about nodes', ({ app, when }) => {
    expect(granted(clusterRules(app)).filter((permission) => permission.includes('events'))).toEqual([])
    const name = `berth-system:berth-${app}`
    for (const kind of ['Role', 'RoleBinding'])
      expect(find(objects, kind, name).metadata).toMatchObject({ namespace: 'default' })
    expect(find(objects, 'Role', name).metadata.annotations?.['helm.sh/hook']).toBe(when)
    expect(granted(find(objects, 'Role', name).rules ?? [])).toEqual([
      'events.k8s.io/events create',
      'events.k8s.io/events patch',
    ])
    const { roleRef, subjects } = find(objects, 'RoleBinding', name)
    expect([roleRef?.kind, roleRef?.name, subjects]).toEqual([
      'Role',
      name,
      [{ kind: 'ServiceAccount', name: `berth-${app}`, namespace: 'berth-system' }],
    ])
  })

  test.for([
    { name: 'berth-scheduler', lease: 'berth-scheduler' },
    { name: 'berth-kube-scheduler', lease: 'berth-extender' },
    // It looks for Leases of advertisers in node mode.
    { name: 'berth-advertiser', lease: 'berth-advertiser', more: ['list'] },
    { name: 'berth-eviction', lease: 'berth-eviction' },
  ])('$name may create a Lease in its namespace, and read and renew its own', ({ name, lease, more }) => {
    const role = find(objects, 'Role', name)
    expect(role.metadata.namespace).toBe('berth-system')
    const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] }
    expect(role.rules).toEqual([
      { ...leases, verbs: ['create'] },
      { ...leases, resourceNames: [lease], verbs: ['get', 'update'] },
      ...(more === undefined ? [] : [{ ...leases, verbs: more }]),
    ])
  })

  test('the extender may read and bind pods and use its Lease only with bind', async () => {
    expect(objects.some(({ metadata }) => metadata.name === 'berth-extender-bind')).toBe(false)
    const before = granted(clusterRules('extender'))
    const bound = await render({ profile: 'extender-only', values: { extender: { config: { bind: true } } } })
    const after = granted(find(bound, 'ClusterRole', 'berth-system:berth-extender').rules ?? [])
    expect(after.filter((permission) => !before.includes(permission))).toEqual(['/pods get', '/pods/binding create'])
    const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] }
    expect(find(bound, 'Role', 'berth-extender-bind').rules).toEqual([
      { ...leases, verbs: ['create'] },
      { ...leases, resourceNames: ['berth-extender-bind'], verbs: ['get', 'update'] },
    ])
  })

  test('the extender may change the object that makes kube-scheduler retry, and no other', () => {
    const name = 'berth-extender-retry'
    expect(find(objects, 'CSIStorageCapacity', name)).toMatchObject({
      metadata: { namespace: 'berth-system' },
      storageClassName: name,
    })
    expect(find(objects, 'Role', name).rules).toEqual([
      { apiGroups: ['storage.k8s.io'], resources: ['csistoragecapacities'], resourceNames: [name], verbs: ['patch'] },
    ])
  })

  test.for(['scheduler', 'extender'] as const)(
    'the %s may list and watch the named ConfigMaps of plugins, in their namespaces, and no others',
    async (app) => {
      const isOfApp = (object: ChartObject): boolean => componentOf(object) === app
      const own = objects.filter(isOfApp).flatMap(({ rules = [] }) => rules.flatMap(({ resources }) => resources))
      expect(own).not.toContain('configmaps')
      const configMaps = ['policies/dongles', 'team-a/limits', 'policies/seats']
      const rendered = await render({ profile: `${app}-only`, values: { [app]: { plugins: { configMaps } } } })
      const granting = rendered
        .filter(isOfApp)
        .filter(({ rules = [] }) => rules.some(({ resources }) => resources.includes('configmaps')))
      expect(granting.map(({ kind, metadata, rules }) => [kind, metadata.namespace, rules])).toEqual(
        [
          { namespace: 'policies', resourceNames: ['dongles', 'seats'] },
          { namespace: 'team-a', resourceNames: ['limits'] },
        ].map(({ namespace, resourceNames }) => [
          'Role',
          namespace,
          [{ apiGroups: [''], resources: ['configmaps'], resourceNames, verbs: ['list', 'watch'] }],
        ]),
      )
      for (const { metadata } of granting) {
        const bindings = rendered.filter(
          ({ kind, metadata: own }) =>
            kind === 'RoleBinding' && own.namespace === metadata.namespace && own.name === metadata.name,
        )
        expect(bindings.map(({ roleRef, subjects }) => [roleRef?.kind, roleRef?.name, subjects])).toEqual([
          ['Role', metadata.name, [{ kind: 'ServiceAccount', name: `berth-${app}`, namespace: 'berth-system' }]],
        ])
      }
    },
  )

  test('the device plugin has no permissions', () => {
    const bound = objects.flatMap(({ subjects = [] }) => subjects.map(({ name }) => name))
    expect(bound).not.toContain('berth-device-plugin')
  })

  test('only the eviction may evict pods, and it cannot delete or change them', () => {
    const holders = objects.filter(({ rules: own = [] }) => granted(own).includes('/pods/eviction create'))
    expect(holders.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'ClusterRole berth-system:berth-eviction',
    ])
    expect(granted(clusterRules('eviction')).filter((permission) => permission.startsWith('/pods'))).toEqual([
      '/pods get',
      '/pods list',
      '/pods watch',
      '/pods/eviction create',
    ])
  })

  test('no role has wildcards or permissions to grant permissions, and none but that of the authority has Secrets', () => {
    const readers = objects.filter(({ rules: own = [] }) => own.some(({ resources }) => resources.includes('secrets')))
    expect(readers.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual([
      'Role berth-system/berth-authority',
    ])
    const rules = objects.flatMap(({ rules: own = [] }) => own)
    expect(rules.length).toBeGreaterThan(10)
    const words = rules.flatMap(({ apiGroups, resources, verbs }) => [...apiGroups, ...resources, ...verbs])
    for (const word of ['*', 'bind', 'escalate', 'impersonate']) expect(words).not.toContain(word)
  })

  test('the role of the command line is read-only and bound only to the listed subjects', async () => {
    const verbs = new Set(clusterRules('cli').flatMap((rule) => rule.verbs))
    expect([...verbs].toSorted()).toEqual(['get', 'list'])
    expect(find(objects, 'ClusterRoleBinding', 'berth-system:berth-cli').subjects).toEqual([
      { kind: 'Group', name: 'operators' },
    ])
    const alone = await render({ profile: 'full' })
    const surveyed = await render({ profile: 'full', values: { cli: { survey: true } } })
    const listsRoles = (all: readonly ChartObject[]): boolean =>
      JSON.stringify(find(all, 'ClusterRole', 'berth-system:berth-cli')).includes('clusterrolebindings')
    expect([listsRoles(alone), listsRoles(surveyed)]).toEqual([false, true])
    expect(alone.filter(({ roleRef }) => roleRef?.name === 'berth-system:berth-cli')).toEqual([])
  })

  test('two releases with one name in two namespaces share no cluster-scoped object and no directory on nodes', async () => {
    const other = await render({ profile: 'full', namespace: 'lab' })
    const clusterWide = (all: readonly ChartObject[]): readonly string[] =>
      all
        .filter(
          ({ metadata }) => metadata.namespace === undefined || ['default', 'kube-system'].includes(metadata.namespace),
        )
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`)
    const first = new Set(clusterWide(objects))
    expect(first.size).toBeGreaterThan(8)
    expect(clusterWide(other).filter((name) => first.has(name))).toEqual([])
    const socketsOf = (all: readonly ChartObject[]): unknown =>
      podTemplates([find(all, 'DaemonSet', 'berth-device-plugin')])[0]?.spec.volumes?.find(
        ({ name }) => name === 'sockets',
      )
    expect(socketsOf(other)).toMatchObject({
      hostPath: { path: expect.stringMatching(/plugins_registry\/berth-[0-9a-f]{8}$/) },
    })
    expect(socketsOf(other)).not.toEqual(socketsOf(objects))
  })
})
