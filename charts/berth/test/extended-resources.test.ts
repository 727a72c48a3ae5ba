import { extendedResourceDefinition } from '@berth/testing'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { find, podTemplates, type ChartObject } from './chart-object.ts'
import { checkParameter } from './check-parameter.ts'
import { policyRefusal, type Policy } from './evaluate-policy.ts'
import { refusal, render } from './render.ts'

const watching = { advertiser: { config: { watchObjects: true } } }
const NAMES = 'berth-advertiser-names'
const DEFINITION = 'extendedresources.berth.dev'

const rendered = (values: object = {}): Promise<readonly ChartObject[]> =>
  render({ profile: 'advertiser-only', values: { ...watching, ...values } })
const withPolicy = (policy: object): Promise<readonly ChartObject[]> =>
  rendered({ advertiser: { ...watching.advertiser, policy } })
const commandOf = (objects: readonly ChartObject[], job: string): readonly string[] =>
  podTemplates([find(objects, 'Job', job)])[0]?.spec.containers[0]?.command ?? []

describe('ExtendedResource objects in the chart', () => {
  let objects: readonly ChartObject[] = []
  beforeAll(async () => {
    objects = await rendered()
  })

  test('the definition is the generated one, and is kept at an uninstall', () => {
    const definition = find(objects, 'CustomResourceDefinition', DEFINITION)
    expect(definition.spec).toEqual((extendedResourceDefinition() as unknown as ChartObject).spec)
    expect(definition.metadata.annotations).toEqual({ 'helm.sh/resource-policy': 'keep' })
  })

  test('the definition can be deleted with the release, whose uninstall then asks for the objects to be deleted', async () => {
    const dropped = await rendered({ crds: { keep: false } })
    expect(find(dropped, 'CustomResourceDefinition', DEFINITION).metadata.annotations).toBeUndefined()
    expect(commandOf(dropped, 'berth-uninstall-check')).toContain('--refuse-objects')
    expect(commandOf(objects, 'berth-uninstall-check')).not.toContain('--refuse-objects')
  })

  test('the definition can come from elsewhere', async () => {
    const without = await rendered({ crds: { enabled: false } })
    expect(without.filter(({ kind }) => kind === 'CustomResourceDefinition')).toEqual([])
  })

  test('nothing of them is installed unless the advertiser watches objects', async () => {
    const without = await render({ profile: 'full' })
    expect(
      without.filter(({ kind, metadata }) => kind === 'CustomResourceDefinition' || metadata.name === NAMES),
    ).toEqual([])
    const groups = without.flatMap(({ rules = [] }) => rules.flatMap(({ apiGroups }) => apiGroups))
    expect(groups).not.toContain('berth.dev')
  })

  test('the advertiser reads the ConfigMap with the allowed names, and cannot write it', () => {
    const config = find(objects, 'ConfigMap', 'berth-advertiser').data?.['config.yaml'] ?? ''
    expect(parse(config)).toMatchObject({ watchObjects: true, allowedNames: `berth-system/${NAMES}` })
    const rules = objects
      .flatMap(({ rules: own = [] }) => own)
      .filter(({ resources }) => resources.includes('configmaps'))
    expect(rules).toEqual([
      { apiGroups: [''], resources: ['configmaps'], resourceNames: [NAMES], verbs: ['get', 'list', 'watch'] },
    ])
    expect(find(objects, 'Role', NAMES).metadata.namespace).toBe('berth-system')
    expect(find(objects, 'RoleBinding', NAMES).subjects).toEqual([
      { kind: 'ServiceAccount', name: 'berth-advertiser', namespace: 'berth-system' },
    ])
  })

  test('it may patch objects and their status, and the cleanup may release them', () => {
    const grantedTo = (name: string) =>
      (find(objects, 'ClusterRole', name).rules ?? []).filter(({ apiGroups }) => apiGroups.includes('berth.dev'))
    const group = { apiGroups: ['berth.dev'] }
    expect(grantedTo('berth-system:berth-advertiser')).toEqual([
      { ...group, resources: ['extendedresources'], verbs: ['get', 'list', 'watch', 'patch'] },
      { ...group, resources: ['extendedresources/status'], verbs: ['patch'] },
    ])
    expect(grantedTo('berth-system:berth-uninstall')).toEqual([
      { ...group, resources: ['extendedresources'], verbs: ['get', 'list', 'patch'] },
      { ...group, resources: ['extendedresources/status'], verbs: ['patch'] },
    ])
    expect(commandOf(objects, 'berth-uninstall-prune')).toContain('--watch-objects')
  })

  test('the ConfigMap has no keys by default, so that an upgrade keeps what an administrator wrote', async () => {
    expect(find(objects, 'ConfigMap', NAMES).data).toBeUndefined()
    const own = await withPolicy({
      names: ['example.com/seat'],
      domains: ['lab.example.com', 'b.example.com'],
      teams: [{ group: 'team-a', resource: 'lab.example.com/*', nodes: 'team=a' }],
    })
    expect(find(own, 'ConfigMap', NAMES).data).toEqual({
      names: 'example.com/seat\n',
      domains: 'lab.example.com\nb.example.com\n',
      teams: 'team-a lab.example.com/* team=a\n',
    })
  })

  test('without policies every name is allowed', async () => {
    const open = await withPolicy({ enabled: false })
    expect(open.filter(({ kind, metadata }) => kind.startsWith('Validating') || metadata.name === NAMES)).toEqual([])
    expect(find(open, 'ConfigMap', 'berth-advertiser').data?.['config.yaml']).not.toContain('allowedNames')
  })

  test.for([
    { it: 'a group with a space', policy: { teams: [{ group: 'team a', resource: 'a.b/*', nodes: '*' }] } },
    { it: 'a resource without a domain', policy: { teams: [{ group: 'team-a', resource: 'dongle', nodes: '*' }] } },
    { it: 'a domain with a path', policy: { domains: ['a.b/c'] } },
    { it: 'a name of Kubernetes', policy: { names: ['kubernetes.io/x'] } },
  ])('Helm refuses $it', async ({ policy }) => {
    const values = { advertiser: { ...watching.advertiser, policy } }
    expect(await refusal({ profile: 'advertiser-only', values })).toContain('advertiser')
  })
})

interface Spec {
  readonly resourceName: string
  readonly nodes: object
}
/** Metadata before and after a write. */
interface MetadataChange {
  readonly before: object
  readonly after: object
}
/** A write of a user who is in team-a. */
interface Write {
  readonly old?: Spec
  readonly now?: Spec
  readonly metadata?: MetadataChange
  readonly username?: string
  readonly isAdministrator?: boolean
  /** The user may write the status of objects. Default: false. */
  readonly isOtherAdvertiser?: boolean
}

describe('the policy of objects', () => {
  const name = 'berth-advertiser-objects.berth-system'
  const teams = [
    'team-a lab.example.com/* team=a',
    'team-a example.com/seat *',
    '  team-a   example.com/dongle   node-1  ',
    'team-a example.com/dongle node-2',
    'team-b example.com/fpga *',
    'team-a example.com/fpga',
    '',
  ].join('\n')
  let policy: Policy = { matchConditions: [], variables: [], validations: [] }
  beforeAll(async () => {
    const objects = await rendered()
    const { spec } = find(objects, 'ValidatingAdmissionPolicy', name)
    policy = spec as Policy
    checkParameter(objects, name)
  })

  /** Returns the answer of the API server to a write. */
  function answer({
    old,
    now,
    metadata,
    username = 'ann',
    isAdministrator = false,
    isOtherAdvertiser = false,
  }: Write): string {
    const operation = old === undefined ? 'CREATE' : now === undefined ? 'DELETE' : 'UPDATE'
    const input = {
      object: now === undefined ? null : { metadata: metadata?.after ?? {}, spec: now },
      oldObject: old === undefined ? null : { metadata: metadata?.before ?? {}, spec: old },
      request: { operation, userInfo: { username, groups: ['team-a', 'system:authenticated'] } },
      params: { data: { teams } },
    }
    // A real API server evaluates the authorizer: e2e/scenarios/api-server/extended-resources.test.ts.
    return policyRefusal(policy, input, { isAdministrator, isOtherAdvertiser }) ?? 'allowed'
  }

  const on = (resourceName: string, nodes: object): Spec => ({ resourceName, nodes })
  const label = (labels: object): object => ({ selector: { matchLabels: labels } })
  const own = on('example.com/seat', { selector: {} })
  const foreign = on('example.com/fpga', { selector: {} })

  test.for([
    {
      it: 'a resource of its domain on its nodes',
      now: on('lab.example.com/x', label({ team: 'a', zone: 'b' })),
      is: true,
    },
    {
      it: 'a resource of its domain on the nodes of others',
      now: on('lab.example.com/x', label({ team: 'b' })),
      is: false,
    },
    { it: 'a resource of its domain on every node', now: on('lab.example.com/x', { selector: {} }), is: false },
    {
      it: 'a resource of its domain on a node by name',
      now: on('lab.example.com/x', { names: ['node-1'] }),
      is: false,
    },
    { it: 'a resource of a subdomain', now: on('x.lab.example.com/x', label({ team: 'a' })), is: false },
    { it: 'a resource on every node', now: own, is: true },
    { it: 'a resource on the named nodes', now: on('example.com/dongle', { names: ['node-1', 'node-2'] }), is: true },
    { it: 'a resource on one more node', now: on('example.com/dongle', { names: ['node-1', 'node-3'] }), is: false },
    { it: 'a resource by a selector, where it has names', now: on('example.com/dongle', { selector: {} }), is: false },
    { it: 'a resource of another team', now: foreign, is: false },
    { it: 'a resource of another team in the place of its own', old: own, now: foreign, is: false },
    { it: 'its own in the place of that of another team', old: foreign, now: own, is: false },
    { it: 'the same again', old: own, now: own, is: true },
    { it: 'the same again for another team', old: foreign, now: foreign, is: false },
    { it: 'nothing any more', old: own, is: true },
    { it: 'nothing any more for another team', old: foreign, is: false },
  ])('a team declares $it: $is', ({ is, old, now }) => {
    const refused = 'the groups of ann may not declare this resource on these nodes'
    const write = { ...(old !== undefined && { old }), ...(now !== undefined && { now }) }
    expect(answer(write)).toContain(is ? 'allowed' : refused)
  })

  test('administrators declare everything', () => {
    expect(answer({ now: foreign, isAdministrator: true })).toBe('allowed')
    expect(answer({ old: foreign, isAdministrator: true })).toBe('allowed')
  })

  test('the advertiser of another release keeps the spec of an object, and creates and deletes none', () => {
    const refused = 'the groups of ann may not declare this resource on these nodes'
    expect(answer({ old: foreign, now: foreign, isOtherAdvertiser: true })).toBe('allowed')
    for (const write of [{ old: foreign, now: own }, { now: foreign }, { old: foreign }]) {
      expect(answer({ ...write, isOtherAdvertiser: true })).toContain(refused)
    }
  })

  const base = { name: 'dongles', finalizers: ['a/b'], annotations: { note: 'x' } }
  const claimed = {
    ...base,
    finalizers: ['a/b', 'berth.dev/withdraw'],
    annotations: { note: 'x', 'berth.dev/advertised-by': '{}' },
    managedFields: [],
  }
  test.for<{ it: string; is: boolean } & MetadataChange>([
    { it: 'claims an object', before: base, after: claimed, is: true },
    {
      it: 'claims an object without metadata of others',
      before: {},
      after: { finalizers: ['berth.dev/withdraw'] },
      is: true,
    },
    { it: 'releases an object', before: claimed, after: base, is: true },
    // The garbage collector would delete the object.
    { it: 'gives an object an owner', before: base, after: { ...base, ownerReferences: [{ uid: 'gone' }] }, is: false },
    { it: 'labels an object', before: base, after: { ...base, labels: { team: 'b' } }, is: false },
    { it: 'removes the finalizer of others', before: claimed, after: { ...claimed, finalizers: [] }, is: false },
    { it: 'adds another finalizer', before: base, after: { ...base, finalizers: ['a/b', 'c/d'] }, is: false },
    { it: 'changes the annotation of others', before: base, after: { ...base, annotations: { note: 'y' } }, is: false },
    { it: 'removes the annotation of others', before: base, after: { ...base, annotations: {} }, is: false },
  ])('an advertiser $it: $is', ({ is, before, after }) => {
    const write = { old: foreign, now: foreign, metadata: { before, after } }
    const username = 'system:serviceaccount:berth-system:berth-advertiser'
    expect([
      answer({ ...write, username }) === 'allowed',
      answer({ ...write, isOtherAdvertiser: true }) === 'allowed',
      answer({ ...write, isAdministrator: true }) === 'allowed',
    ]).toEqual([is, is, true])
  })

  test.for(['berth-advertiser', 'berth-uninstall'])(
    '%s keeps the spec of an object, and creates and deletes none',
    (account) => {
      const username = `system:serviceaccount:berth-system:${account}`
      const refused = 'the advertiser may change only its own finalizer and its own annotation of an object'
      expect(answer({ username, old: foreign, now: foreign })).toBe('allowed')
      expect(answer({ username, old: foreign, now: own })).toBe(refused)
      expect(answer({ username, now: own })).toBe(refused)
      expect(answer({ username, old: own })).toBe(refused)
    },
  )
})
