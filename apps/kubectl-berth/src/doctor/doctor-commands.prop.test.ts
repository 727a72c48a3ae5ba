import type { Node, Pod } from '@berth/types'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostile, runSuggestions } from '../../test/hostile-names.ts'
import { type Facts, noFacts } from '../facts/facts.ts'
import { checks } from './checks.ts'

const names = fc.record({ name: hostile, namespace: hostile, other: hostile, resourceName: hostile })
type Names = typeof names extends fc.Arbitrary<infer T> ? T : never

const TIME_MS = 1_000_000
const ready = [{ type: 'Ready', status: 'True' }]

/** A cluster in which each check finds something, and every name is a given one. */
function brokenCluster({ name, namespace, other, resourceName }: Names): Facts {
  const metadata = { name, namespace }
  const nodes: readonly Node[] = [
    { metadata: { name }, status: { capacity: { [resourceName]: '0' }, allocatable: { [resourceName]: '0' } } },
    { metadata: { name: other }, status: { capacity: { 'a.b/c': '1' }, allocatable: { 'a.b/c': '0' } } },
  ]
  const hostPath = { path: '/var/lib/kubelet/device-plugins' }
  const spec = { containers: [{ name: other }], volumes: [{ name: other, hostPath }], nodeName: name }
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: other, uid: other, controller: true }
  const plugin: Pod = { metadata, spec }
  const scheduler: Pod = {
    metadata: { name: `${name}-scheduler`, namespace, ownerReferences: [owner] },
    spec: { containers: [] },
    status: { conditions: ready },
  }
  const settings = {
    namespace,
    pod: `${name}-scheduler`,
    source: `ConfigMap ${namespace}/${other}`,
    schedulerNames: [other],
    extenders: [{ urlPrefix: 'https://127.0.0.1:1', isIgnorable: false, managedResources: [], caPem: undefined }],
    isElected: true,
    qps: 1,
  }
  const waiting = Array.from({ length: 40 }, (_, index): Pod => ({
    metadata: { name: `waiting-${index}`, namespace },
    spec: { containers: [], schedulerName: other },
  }))
  const level = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  return {
    ...noFacts,
    nodes,
    namespaces: [{ metadata: { name: namespace, labels: level } }],
    pods: [plugin, scheduler, ...waiting],
    daemonSets: [{ metadata, spec: { template: { spec } } }],
    schedulingEvents: [
      {
        metadata: { creationTimestamp: new Date(TIME_MS).toISOString() },
        reason: 'FailedScheduling',
        message: 'Post "https://127.0.0.1:1/filter": refused',
      },
    ],
    schedulerSettings: [
      { ...settings, lease: 'a/a' },
      { ...settings, lease: 'a/b' },
    ],
    certificates: [
      {
        namespace,
        secret: other,
        pods: [],
        certificatePem: 'none',
        authorityPem: undefined,
        certManagerName: undefined,
        labels: {},
      },
    ],
  }
}

function commandsOf(given: Names): readonly string[] {
  const context = { nowMs: TIME_MS, unread: new Set<never>() }
  return checks.flatMap((check) => check.run(brokenCluster(given), context).findings.flatMap(({ fix }) => fix.commands))
}

test('a real shell runs nothing but kubectl for the commands that doctor suggests', () => {
  expect(runSuggestions(names, commandsOf).flat().length).toBeGreaterThan(75)
})

test('valid names give a command for each check', () => {
  const commands = commandsOf({ name: 'web', namespace: 'shop', other: 'ctr', resourceName: 'example.com/dongle' })
  for (const words of [
    'logs web -n shop',
    'label namespace shop',
    'patch node web',
    'get pods -A',
    'logs web-scheduler -n shop',
    'get secret ctr -n shop',
    'scale deployment ctr -n shop',
    'get configmap ctr -n shop',
  ])
    expect(commands.join('\n')).toContain(`kubectl ${words}`)
})
