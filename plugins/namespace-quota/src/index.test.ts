import type { ClusterEvent } from '@berth/plugin-api'
import { createHooks, decideOnce, runSchedulingPlugin, samplePod } from '@berth/plugin-api/testing'
import { describe, expect, test } from 'vitest'
import { samples } from '../test/sample.ts'
import { plugin } from './index.ts'

const DONGLE = 'example.com/dongle'
const LABEL = 'example.com/dongle-quota'
const args = { resources: [{ name: DONGLE, label: LABEL }] }

const podWith = (units: number, namespace = 'red', name = 'web') =>
  samplePod({ [DONGLE]: units }, { namespace, name, uid: `${namespace}/${name}` })

const nodes = [
  { name: 'node-a', allocatable: { [DONGLE]: 8 }, pods: [podWith(2, 'red', 'first'), podWith(5, 'blue', 'other')] },
  { name: 'node-b', allocatable: { [DONGLE]: 8 }, pods: [podWith(1, 'red', 'second')] },
]

/** Decides a pod of the namespace red, which holds 3 units, with a value of the label. */
function decide(units: number, quota: string | undefined, given: object = args) {
  const namespaces = [{ name: 'red', labels: quota === undefined ? {} : { [LABEL]: quota } }]
  return decideOnce(plugin, { args: given, nodes, namespaces, pod: podWith(units) }).preFilter
}

test('namespace-quota keeps the contract', () => {
  expect(runSchedulingPlugin(plugin, samples['namespace-quota']).length).toBeGreaterThan(0)
})

describe('namespace-quota', () => {
  test.for([
    { it: 'up to the quota', units: 2, quota: '5' },
    { it: 'without the label and a default', units: 100, quota: undefined },
    { it: 'that requests no unit, whatever the quota', units: 0, quota: '0' },
  ])('admits a pod $it', ({ units, quota }) => {
    expect(decide(units, quota)).toBeUndefined()
  })

  test.for([
    {
      it: 'above the quota',
      units: 3,
      quota: '5',
      says: 'namespace red may hold 5 example.com/dongle: it holds 3, and the pod requests 3',
    },
    {
      it: 'in a namespace whose label is not a number',
      units: 1,
      quota: 'many',
      says: 'label example.com/dongle-quota of namespace red is "many", not a number of example.com/dongle',
    },
  ])('rejects a pod $it, and says why', ({ units, quota, says }) => {
    expect(decide(units, quota)).toMatchObject({ kind: 'reject', reasons: [says] })
  })

  test('applies the default to namespaces without the label', () => {
    const withDefault = { resources: [{ name: DONGLE, label: LABEL, default: 4 }] }
    expect(decide(1, undefined, withDefault)).toBeUndefined()
    expect(decide(2, undefined, withDefault)).toMatchObject({ kind: 'reject' })
  })

  test('rejects a pod whose namespace is not known', () => {
    expect(decideOnce(plugin, { args, nodes, pod: podWith(1) }).preFilter).toMatchObject({
      reasons: ['namespace red is not known yet, so its quota of example.com/dongle is not'],
    })
  })
})

describe('a quota from a ConfigMap', () => {
  const CONFIG_MAP = 'policies/dongles'
  const given = { resources: [{ name: DONGLE, configMap: CONFIG_MAP }] }
  const decideWith = (data: Readonly<Record<string, string>> | undefined, args: object = given) =>
    decideOnce(plugin, {
      args,
      nodes,
      configMaps: data === undefined ? [] : [{ name: CONFIG_MAP, data }],
      pod: podWith(1),
    }).preFilter

  test('is the value of the key with the name of the namespace', () => {
    expect(decideWith({ red: '4' })).toBeUndefined()
    expect(decideWith({ red: '3', blue: '9' })).toMatchObject({
      reasons: ['namespace red may hold 3 example.com/dongle: it holds 3, and the pod requests 1'],
    })
  })

  test('is the default for a namespace without a key, and without a default there is no limit', () => {
    expect(decideWith({ blue: '9' })).toBeUndefined()
    const withDefault = { resources: [{ name: DONGLE, configMap: CONFIG_MAP, default: 3 }] }
    expect(decideWith({ blue: '9' }, withDefault)).toMatchObject({ kind: 'reject' })
  })

  test.for([
    {
      it: 'does not exist',
      data: undefined,
      says: 'ConfigMap policies/dongles with the quotas of example.com/dongle does not exist: create it with a key for each namespace',
    },
    {
      it: 'has a value that is not a number',
      data: { red: 'many' },
      says: 'key red of ConfigMap policies/dongles is "many", not a number of example.com/dongle',
    },
    {
      it: 'has a value with a line break, as a block of YAML has',
      data: { red: '4\n\n' },
      says: 'key red of ConfigMap policies/dongles is "4\\n\\n", not a number of example.com/dongle',
    },
  ])('rejects the pods when the ConfigMap $it, and says why', ({ data, says }) => {
    expect(decideWith(data)).toMatchObject({ kind: 'reject', reasons: [says] })
  })

  test('has no limit for a namespace whose name JavaScript objects know, but the ConfigMap does not', () => {
    const pod = podWith(1, 'constructor')
    const configMaps = [{ name: CONFIG_MAP, data: {} }]
    expect(decideOnce(plugin, { args: given, nodes, configMaps, pod }).preFilter).toBeUndefined()
  })

  test('holds no pod that requests none of the resource while the ConfigMap is missing', () => {
    const { preFilter } = decideOnce(plugin, { args: given, nodes, pod: podWith(0) })
    expect(preFilter).toBeUndefined()
  })

  test('is read from the ConfigMaps that the plugin declares', () => {
    const both = { resources: [...args.resources, { name: 'example.com/seat', configMap: CONFIG_MAP }] }
    expect(plugin.configMaps?.(plugin.argsSchema.parse(both))).toEqual([CONFIG_MAP])
    expect(plugin.configMaps?.(plugin.argsSchema.parse(args))).toEqual([])
  })
})

describe('the queueing hint', () => {
  const hooks = createHooks(plugin, args)
  const namespaceEvent = (name: string): ClusterEvent => ({
    kind: 'object',
    resource: 'namespaces',
    metadata: { name },
    object: { metadata: { name } },
    isDeleted: false,
  })

  test.for<{ readonly it: string; readonly event: ClusterEvent; readonly wakes: boolean }>([
    { it: 'a pod of the namespace ended', event: { kind: 'pod-left', pod: podWith(1) }, wakes: true },
    { it: 'a pod of another namespace ended', event: { kind: 'pod-left', pod: podWith(1, 'blue') }, wakes: false },
    { it: 'its namespace changed', event: namespaceEvent('red'), wakes: true },
    { it: 'another namespace changed', event: namespaceEvent('blue'), wakes: false },
    { it: 'a node was added', event: { kind: 'node-added', node: { metadata: { name: 'n' } } }, wakes: false },
  ])('answers $wakes when $it', ({ event, wakes }) => {
    expect(hooks.queueingHint?.(podWith(1), event)).toBe(wakes)
  })
})

describe('arguments', () => {
  test.for([
    { it: 'no resource', args: {}, says: 'args.resources: ' },
    {
      it: 'a native resource',
      args: { resources: [{ name: 'cpu', label: LABEL }] },
      says: 'args.resources[0].name: "cpu" is not an extended resource: it has no domain',
    },
    {
      it: 'neither a label nor a ConfigMap',
      args: { resources: [{ name: DONGLE }] },
      says: 'args.resources[0].label: set either label or configMap',
    },
    {
      it: 'a label and a ConfigMap',
      args: { resources: [{ name: DONGLE, label: LABEL, configMap: 'policies/dongles' }] },
      says: 'args.resources[0].label: set either label or configMap',
    },
    {
      it: 'a text that cannot be a label',
      args: { resources: [{ name: DONGLE, label: 'my label' }] },
      says: 'args.resources[0].label: "my label" cannot name a label or an annotation',
    },
    {
      it: 'a ConfigMap without its namespace',
      args: { resources: [{ name: DONGLE, configMap: 'dongles' }] },
      says: 'args.resources[0].configMap: expected NAMESPACE/NAME',
    },
    {
      it: 'a negative default',
      args: { resources: [{ name: DONGLE, label: LABEL, default: -1 }] },
      says: 'args.resources[0].default: ',
    },
  ])('are refused with $it', ({ args, says }) => {
    expect(() => createHooks(plugin, args)).toThrow(says)
  })
})
