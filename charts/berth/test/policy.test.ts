import { beforeAll, describe, expect, test } from 'vitest'
import { find, type ChartObject } from './chart-object.ts'
import { matchesUser, policyRefusal, type Policy } from './evaluate-policy.ts'
import { checkParameter } from './check-parameter.ts'
import { render } from './render.ts'

interface TestNode {
  readonly metadata: Readonly<Record<string, unknown>>
  readonly status: Readonly<Record<string, unknown>>
}

const refusal = (
  policy: Policy,
  oldObject: TestNode,
  object: TestNode,
  { fieldManager = 'berth-advertiser', params }: { readonly fieldManager?: string; readonly params?: object } = {},
): string | undefined => policyRefusal(policy, { oldObject, object, request: { options: { fieldManager } }, params })

const before: TestNode = {
  metadata: {
    name: 'node-1',
    labels: { zone: 'a' },
    annotations: { 'berth.dev/advertised': '{"example.com/old":"3"}', 'team.example/note': 'x' },
  },
  status: {
    capacity: { cpu: '2', 'example.com/old': '3', 'vendor.io/fpga': '1' },
    allocatable: { cpu: '2', 'example.com/old': '3', 'vendor.io/fpga': '1' },
    conditions: [{ type: 'Ready', status: 'True' }],
    nodeInfo: { kernelVersion: '6' },
  },
}
const withStatus = (change: Readonly<Record<string, unknown>>): TestNode => ({
  ...before,
  status: { ...before.status, ...change },
})
const withMetadata = (change: Readonly<Record<string, unknown>>): TestNode => ({
  ...before,
  metadata: { ...before.metadata, ...change },
})
/** Returns the node with this ownership annotation, or without one if undefined. */
const withRecord = (record: string | undefined, node = before): TestNode => {
  const { 'berth.dev/advertised': _, ...others } = (node.metadata['annotations'] ?? {}) as Readonly<
    Record<string, string>
  >
  const annotations = { ...others, ...(record !== undefined && { 'berth.dev/advertised': record }) }
  return { ...node, metadata: { ...node.metadata, annotations } }
}
const amounts = { cpu: '2', 'example.com/old': '3', 'vendor.io/fpga': '1' }
const annotations = before.metadata['annotations'] as Readonly<Record<string, string>>

const ownedBy = (owner: string) => `{"owner":"${owner}","since":"2026-11-01T00:00:00.000Z"}`
/** Returns the node with this owner of its record. */
const withOwner = (owner: string | undefined, node = before): TestNode => ({
  ...node,
  metadata: {
    ...node.metadata,
    annotations: {
      ...(node.metadata['annotations'] as Readonly<Record<string, string>>),
      ...(owner !== undefined && { 'berth.dev/advertised-by': ownedBy(owner) }),
    },
  },
})

describe('the policy of the advertiser', () => {
  const name = 'berth-advertiser.berth-system'
  let rendered: readonly ChartObject[] = []
  let policyObject: ChartObject | undefined
  let binding: ChartObject | undefined
  let policy: Policy = { matchConditions: [], variables: [], validations: [] }
  beforeAll(async () => {
    const seats = ['example.com/seat', 'example.com/seat'].map((resource) => ({
      name: resource,
      units: 1,
      nodes: { selector: {} },
    }))
    const values = {
      advertiser: { config: { resources: seats, clearStaleZeros: ['vendor.io/fpga', 'vendor.io/gone'] } },
    }
    rendered = await render({ profile: 'advertiser-only', values })
    policyObject = find(rendered, 'ValidatingAdmissionPolicy', name)
    binding = find(rendered, 'ValidatingAdmissionPolicyBinding', name)
    policy = policyObject.spec as Policy
  })

  test('applies to every write to the status of a node and fails closed', () => {
    expect(policyObject?.spec).toMatchObject({
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [{ resources: ['nodes/status'], operations: ['UPDATE'] }] },
    })
    expect(binding?.spec).toEqual({ policyName: name, validationActions: ['Deny'] })
  })

  test('applies only to the advertiser', () => {
    expect(matchesUser(policy, 'system:serviceaccount:berth-system:berth-advertiser')).toBe(true)
    expect(matchesUser(policy, 'system:node:node-1')).toBe(false)
  })

  test('the account of the uninstall has the same rules, which exist while its hooks run', () => {
    const own = find(rendered, 'ValidatingAdmissionPolicy', 'berth-uninstall.berth-system')
    const ownBinding = find(rendered, 'ValidatingAdmissionPolicyBinding', 'berth-uninstall.berth-system')
    const { matchConditions, ...rules } = own.spec as Policy
    const { matchConditions: _, ...others } = policy
    expect(rules).toEqual(others)
    expect(matchesUser({ ...rules, matchConditions }, 'system:serviceaccount:berth-system:berth-uninstall')).toBe(true)
    expect(ownBinding.spec).toEqual({ policyName: 'berth-uninstall.berth-system', validationActions: ['Deny'] })
    const role = find(rendered, 'ClusterRole', 'berth-system:berth-uninstall')
    for (const object of [own, ownBinding]) {
      const { 'helm.sh/hook-weight': weight, ...hook } = object.metadata.annotations ?? {}
      const { 'helm.sh/hook-weight': laterWeight, ...roleHook } = role.metadata.annotations ?? {}
      expect(hook).toEqual(roleHook)
      expect(Number(weight)).toBeLessThan(Number(laterWeight))
    }
  })

  test('the advertiser writes only under its own name as field manager', () => {
    expect(refusal(policy, before, before, { fieldManager: 'kubelet' })).toContain(
      'only as the field manager berth-advertiser',
    )
    expect(refusal(policy, before, before, { fieldManager: '' })).toContain(
      'only as the field manager berth-advertiser',
    )
  })

  test.for([
    {
      it: 'add a declared name to a node, with its annotation',
      after: {
        metadata: { ...before.metadata, annotations: { ...annotations, 'berth.dev/advertised': '{}' } },
        status: {
          ...before.status,
          capacity: { ...amounts, 'example.com/seat': '2' },
          allocatable: { ...amounts, 'example.com/seat': '2' },
        },
      },
    },
    {
      it: 'remove a name that it recorded earlier',
      after: withStatus({
        capacity: { cpu: '2', 'vendor.io/fpga': '1' },
        allocatable: { cpu: '2', 'vendor.io/fpga': '1' },
      }),
    },
    { it: 'send an update without a change', after: before },
    { it: 'remove its annotation', after: withRecord(undefined) },
    {
      it: 'add a declared name to its record',
      after: withRecord('{"example.com/old":"3","example.com/seat":"1"}'),
    },
    { it: 'change the amount of a recorded name', after: withRecord('{"example.com/old":"0"}') },
  ])('lets the advertiser $it', ({ after }) => {
    expect(refusal(policy, before, after)).toBeUndefined()
  })

  test('allows a write to a node without annotations and capacity', () => {
    const bare = { metadata: { name: 'node-2' }, status: {} }
    const after = {
      metadata: { name: 'node-2', annotations: { 'berth.dev/advertised': '{"example.com/seat":"1"}' } },
      status: { capacity: { 'example.com/seat': '1' }, allocatable: { 'example.com/seat': '1' } },
    }
    expect(refusal(policy, bare, after)).toBeUndefined()
    expect(refusal(policy, bare, { ...bare, status: { capacity: { cpu: '9' } } })).toContain(
      'add to capacity, or change in it, only resources',
    )
  })

  test.for([
    {
      it: 'add a name that is not declared',
      after: withStatus({ capacity: { ...amounts, 'example.com/new': '1' } }),
      says: 'add to capacity, or change in it, only resources that its configuration declares',
    },
    {
      it: 'raise the amount of a recorded name that it no longer declares',
      after: withStatus({ allocatable: { ...amounts, 'example.com/old': '9' } }),
      says: 'add to allocatable, or change in it, only resources that its configuration declares',
    },
    {
      it: 'change the amount of cpu',
      after: withStatus({ allocatable: { ...amounts, cpu: '64' } }),
      says: 'add to allocatable, or change in it, only resources that its configuration declares',
    },
    {
      it: 'remove a name of another owner',
      after: withStatus({ capacity: { cpu: '2', 'example.com/old': '3' } }),
      says: 'remove from capacity only resources that it',
    },
    {
      it: 'remove cpu',
      after: withStatus({ allocatable: { 'example.com/old': '3', 'vendor.io/fpga': '1' } }),
      says: 'remove from allocatable only resources that it',
    },
    {
      it: 'change another annotation',
      after: withMetadata({ annotations: { ...annotations, 'team.example/note': 'y' } }),
      says: 'change only the annotation',
    },
    {
      it: 'remove another annotation',
      after: withMetadata({ annotations: { 'berth.dev/advertised': '{}' } }),
      says: 'change only the annotation',
    },
    {
      it: 'add cpu to its record',
      after: withRecord('{"example.com/old":"3","cpu":"2"}'),
      says: 'record in berth.dev/advertised only',
    },
    {
      it: 'add a device of another owner to its record',
      after: withRecord('{"example.com/old":"3","vendor.io/fpga":"1"}'),
      says: 'record in berth.dev/advertised only',
    },
    {
      it: 'add an escaped name to its record',
      after: withRecord(String.raw`{"vendor.io\u002ffpga":"1"}`),
      says: 'record in berth.dev/advertised only',
    },
    {
      it: 'hide a name in its record inside the value of another',
      after: withRecord('{"example.com/old":{"vendor.io/fpga":"1"}}'),
      says: 'record in berth.dev/advertised only',
    },
    {
      it: 'change a label',
      after: withMetadata({ labels: { zone: 'b' } }),
      says: 'change only its own annotations of the metadata',
    },
    {
      it: 'add a finalizer',
      after: withMetadata({ finalizers: ['a.b/c'] }),
      says: 'change only its own annotations of the metadata',
    },
    {
      it: 'change the spec',
      after: { ...before, spec: { unschedulable: true } },
      says: 'change only the status and the metadata',
    },
    {
      it: 'remove a field of the status',
      after: { ...before, status: { capacity: amounts, allocatable: amounts } },
      says: 'change only capacity and allocatable of the status',
    },
    {
      it: 'change the conditions',
      after: withStatus({ conditions: [] }),
      says: 'change only capacity and allocatable of the status',
    },
    {
      it: 'change the kernel version',
      after: withStatus({ nodeInfo: { kernelVersion: '7' } }),
      says: 'change only capacity and allocatable of the status',
    },
    {
      it: 'add an attached volume',
      after: withStatus({ volumesAttached: [{ name: 'v' }] }),
      says: 'change only capacity and allocatable of the status',
    },
  ])('does not let the advertiser $it', ({ after, says }) => {
    expect(refusal(policy, before, after)).toContain(says)
  })

  test.for([
    { it: 'a device of another owner', name: 'vendor.io/fpga' },
    { it: 'cpu', name: 'cpu' },
  ])('refuses both writes of an attempt to record $it first and then remove it', ({ name }) => {
    const { [name as keyof typeof amounts]: _, ...less } = amounts
    const forged = withRecord(`{"${name}":"1"}`)
    expect(refusal(policy, before, forged)).toContain('record in berth.dev/advertised only')
    const away = { ...forged, status: { ...forged.status, capacity: less } }
    expect(refusal(policy, before, away)).toContain('remove from capacity only resources that it')
  })

  test.for([
    { record: '{"example.com/old": 3}', isAllowed: true },
    { record: '{ "example.com/other": "1", "example.com/old": "3" }', isAllowed: true },
    { record: '{"note":"example.com/old"}', isAllowed: false },
    { record: String.raw`{"a.b/c":"\"example.com/old\""}`, isAllowed: false },
    { record: '{"example.com/older":"3"}', isAllowed: false },
  ])('with the record $record, removing example.com/old is allowed: $isAllowed', ({ record, isAllowed }) => {
    const old = withRecord(record)
    const { 'example.com/old': _, ...less } = amounts
    const after = { ...withRecord(undefined), status: { ...old.status, capacity: less, allocatable: less } }
    expect(refusal(policy, old, after) === undefined).toBe(isAllowed)
  })

  // The fields of NodeStatus (v1.36) without capacity and allocatable, and one that a later version may add.
  test.for([
    'phase',
    'conditions',
    'addresses',
    'daemonEndpoints',
    'nodeInfo',
    'images',
    'volumesInUse',
    'volumesAttached',
    'config',
    'runtimeHandlers',
    'features',
    'declaredFeatures',
    'fieldOfALaterVersion',
  ])('does not let the advertiser change status.%s', (field) => {
    expect(refusal(policy, before, withStatus({ [field]: 'changed' }))).toContain(
      'change only capacity and allocatable of the status',
    )
  })

  const own = 'berth-system/berth-advertiser'
  test.for([
    { it: 'become the owner of an older record', old: undefined, now: own, says: 'allowed' },
    { it: 'release its node', old: own, now: undefined, says: 'allowed' },
    { it: 'record another installation', old: own, now: 'lab/berth-advertiser', says: 'record only itself' },
    { it: 'record one with a longer name', old: own, now: `${own}-2`, says: 'record only itself' },
    { it: 'record two installations', old: own, now: `${own}","owner":"lab/other`, says: 'record only itself' },
    { it: 'take over a node', old: 'lab/berth-advertiser', now: own, says: 'belong to another installation' },
    { it: 'write to a node of another one', old: `${own}-2`, now: `${own}-2`, says: 'belong to another installation' },
  ])('an attempt to $it is answered with $says', ({ old, now, says }) => {
    expect(refusal(policy, withOwner(old), withOwner(now)) ?? 'allowed').toContain(says)
  })

  test('a listed name can be removed at 0 only', () => {
    const zeros = withStatus({
      capacity: { ...amounts, 'vendor.io/gone': '0', 'vendor.io/kept': '0' },
      allocatable: { ...amounts, 'vendor.io/gone': '0', 'vendor.io/kept': '0' },
    })
    const without = (name: string): TestNode => {
      const { capacity, allocatable } = zeros.status as Record<string, Record<string, string>>
      const drop = (list: Record<string, string> = {}) =>
        Object.fromEntries(Object.entries(list).filter(([key]) => key !== name))
      return withStatus({ capacity: drop(capacity), allocatable: drop(allocatable) })
    }
    expect(refusal(policy, zeros, without('vendor.io/gone'))).toBeUndefined()
    expect(refusal(policy, zeros, without('vendor.io/kept'))).toContain('remove from capacity only')
    expect(refusal(policy, zeros, without('vendor.io/fpga'))).toContain('remove from capacity only')
  })

  test('an owner without a record is replaced', () => {
    const stale = withOwner('lab/berth-advertiser', withRecord(undefined))
    expect(refusal(policy, stale, withOwner(own, withRecord('{"example.com/seat":"2"}')))).toBeUndefined()
  })

  describe('with objects', () => {
    let own: Policy = policy
    beforeAll(async () => {
      const values = { advertiser: { config: { watchObjects: true } } }
      const objects = await render({ profile: 'advertiser-only', values })
      checkParameter(objects, name)
      own = find(objects, 'ValidatingAdmissionPolicy', name).spec as Policy
    })
    const adding = (resource: string): TestNode => ({
      metadata: {
        ...before.metadata,
        annotations: { 'berth.dev/advertised': `{"example.com/old":"3","${resource}":"2"}` },
      },
      status: {
        ...before.status,
        capacity: { ...amounts, [resource]: '2' },
        allocatable: { ...amounts, [resource]: '2' },
      },
    })
    const team = { metadata: before.metadata, status: before.status } as TestNode

    test.for([
      { data: { names: 'a.b/c\n  example.com/seat  \n' }, isAllowed: true },
      { data: { domains: 'example.com' }, isAllowed: true },
      { data: { names: 'example.com/seats', domains: 'ample.com\nsub.example.com' }, isAllowed: false },
      { data: { names: 'example.com', domains: 'example.com/seat' }, isAllowed: false },
      { data: {}, isAllowed: false },
      { data: undefined, isAllowed: false },
    ])('adding example.com/seat is allowed with $data: $isAllowed', ({ data, isAllowed }) => {
      const params = data === undefined ? {} : { data }
      const old = { ...team, metadata: adding('example.com/seat').metadata }
      expect(
        refusal(own, withRecord('{"example.com/old":"3"}', old), adding('example.com/seat'), { params }) === undefined,
      ).toBe(isAllowed)
    })

    test('cpu is not among the allowed names, whatever the list says', () => {
      const params = { data: { names: 'cpu', domains: 'cpu\nmemory' } }
      const after = withStatus({ capacity: { ...amounts, cpu: '64' } })
      expect(refusal(own, before, after, { params })).toContain('add to capacity, or change in it')
    })
  })

  test('can be disabled', async () => {
    const objects = await render({ profile: 'full', values: { advertiser: { policy: { enabled: false } } } })
    const names = objects
      .filter(({ kind }) => kind.startsWith('ValidatingAdmission'))
      .map(({ metadata }) => metadata.name)
    expect(new Set(names)).toEqual(new Set(['berth-authority.berth-system', 'berth-scheduler.berth-system']))
  })
})
