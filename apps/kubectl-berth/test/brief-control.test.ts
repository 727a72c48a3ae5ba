import { resourceRefs, type ResourceRef } from '@berth/k8s-client'
import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { readServerState } from '../src/facts/reported-state.ts'
import { addObject } from './extensions/surveyed-objects.ts'
import { testCluster } from './test-cluster.ts'
import { webShop } from './web-shop.ts'

const secrets: ResourceRef = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }

describe('brief --control', () => {
  test('names the failing checks of the API server', async () => {
    const cluster = testCluster()
    cluster.serve('/readyz', {})
    expect(await cluster.run('brief', '--control')).toContain('CONTROL PANEL: API SERVER\nready\n')
    const { failing } = (await readServerState(
      {
        raw: async () => ({
          status: 500,
          headers: {},
          body: Readable.from(['[+]ping ok\n[-]etcd failed: reason withheld\n']),
        }),
      },
      { signal: new AbortController().signal, deadline: { clock: cluster.terminal.clock, ms: 1_000 } },
    )) ?? { failing: [] }
    expect(failing).toEqual(['etcd'])
  })

  test('shows the control panel: controllers, pods, registry secrets by name alone, and the settings of the DNS', async () => {
    const cluster = await webShop()
    await cluster.addPod('dns-1', {}, { metadata: { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } } })
    await cluster.addPod('coredns-lookalike', {}, { metadata: { namespace: 'kube-system' } })
    await cluster.addPod('own-scheduler-x', {}, { metadata: { namespace: 'kube-system' } })
    const renewTime = (secondsAgo: number): string =>
      new Date(cluster.terminal.clock.now() - secondsAgo * 1000).toISOString().replace('Z', '000Z')
    for (const [name, holderIdentity, seconds] of [
      ['own-scheduler', 'own-scheduler-x_1', 3],
      ['gone', 'nobody', 600],
    ] as const) {
      await cluster.create(resourceRefs.leases, {
        metadata: { name, namespace: 'kube-system' },
        spec: { holderIdentity, leaseDurationSeconds: 15, renewTime: renewTime(seconds) },
      } as never)
    }
    await cluster.create(resourceRefs.configMaps, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'coredns', namespace: 'kube-system' },
      data: { Corefile: '.:53 {\n  errors\n}\n' },
    } as never)
    await cluster.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'tcr', namespace: 'default' },
      type: 'kubernetes.io/dockerconfigjson',
      data: { '.dockerconfigjson': Buffer.from('{"auths":{}}').toString('base64') },
    } as never)
    const text = await cluster.run('brief', '--control')
    expect(text).toContain('CONTROL PANEL: API SERVER\nready\n')
    expect(text).toMatch(
      /kube-system +gone +expired +nobody +renewed 10m ago\nkube-system +own-scheduler +held +own-scheduler-x_1 +renewed 3s ago\n/,
    )
    expect(text).toMatch(/CONTROL PANEL: PODS\nkube-system +dns-1 [^\n]*\nkube-system +own-scheduler-x /)
    expect(text).not.toContain('lookalike')
    expect(await cluster.run('brief', '--control', '--control-match', 'lookalike')).toContain('coredns-lookalike')
    expect(text).toMatch(/CONTROL PANEL: REGISTRY SECRETS\ndefault +tcr /)
    expect(text).toContain('Corefile:\n  .:53 {\n    errors\n  }\n')
    const { controlPanel } = JSON.parse(await cluster.run('brief', '--control', '-o', 'json'))
    expect(JSON.stringify(controlPanel)).not.toContain('eyJhdXRocyI6')
  })

  test('shows controllers in the control panel by their labels, their Lease, or their right to write a status', async () => {
    const cluster = await webShop()
    const addDeployment = async (
      name: string,
      namespace: string,
      given: { labels?: object; account?: string } = {},
    ) => {
      const { labels = {}, account } = given
      const podLabels = { app: name, 'pod-template-hash': '5d' }
      const containers = [{ name: 'ctr', image: 'nginx' }]
      const spec = { containers, ...(account !== undefined && { serviceAccountName: account }) }
      await cluster.create(resourceRefs.deployments, {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name, namespace, labels },
        spec: {
          replicas: 1,
          selector: { matchLabels: { app: name } },
          template: { metadata: { labels: podLabels }, spec },
        },
      } as never)
      const ownerReferences = [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${name}-5d`, uid: `uid-${name}`, controller: true },
      ]
      await cluster.addPod(`${name}-5d-x`, {}, { ...spec, metadata: { namespace, labels: podLabels, ownerReferences } })
    }
    for (const name of ['kruise-system', 'ops']) await cluster.create(resourceRefs.namespaces, { metadata: { name } })
    await addDeployment('kruise-controller', 'kruise-system', { labels: { 'control-plane': 'controller-manager' } })
    await addDeployment('coredns', 'kube-system', { labels: { 'k8s-app': 'kube-dns' } })
    await addDeployment('elects', 'ops')
    // Its name is the beginning of the name of a leader.
    await addDeployment('ele', 'ops')
    const accounts = { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true }
    await cluster.create(accounts, { metadata: { name: 'fleet', namespace: 'ops' } })
    await addDeployment('fleet-operator', 'ops', { account: 'fleet' })
    await cluster.create(resourceRefs.leases, {
      metadata: { name: 'a-lease', namespace: 'ops' },
      spec: {
        holderIdentity: 'elects-5d-x_1',
        leaseDurationSeconds: 15,
        renewTime: new Date(cluster.terminal.clock.now()).toISOString().replace('Z', '000Z'),
      },
    } as never)
    await addObject(cluster, 'customResourceDefinitions', 'fleets.tem.example', {
      spec: {
        group: 'tem.example',
        scope: 'Namespaced',
        names: { plural: 'fleets', singular: 'fleet', kind: 'Fleet', listKind: 'FleetList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
      },
    })
    await addObject(cluster, 'clusterRoles', 'fleet', {
      rules: [{ apiGroups: ['tem.example'], resources: ['fleets/status'], verbs: ['patch'] }],
    })
    await addObject(cluster, 'clusterRoleBindings', 'fleet', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'fleet' },
      subjects: ['fleet', 'default'].map((name) => ({ kind: 'ServiceAccount', namespace: 'ops', name })),
    })
    const namesIn = (text: string, section: string): readonly string[] =>
      (text.split(`CONTROL PANEL: ${section}\n`)[1]?.split('\n\n')[0] ?? '')
        .split('\n')
        .map((line) => line.split(/ +/).slice(0, 2).join('/'))
        .toSorted()
    const text = await cluster.run('brief', '--control')
    const deployments = ['kruise-system/kruise-controller', 'kube-system/coredns', 'ops/elects', 'ops/fleet-operator']
    expect(namesIn(text, 'DEPLOYMENTS')).toEqual(deployments)
    expect(namesIn(text, 'PODS')).toEqual(['ops/elects-5d-x', 'ops/fleet-operator-5d-x'])
    cluster.forbid('clusterroles')
    const without = await cluster.run('brief', '--control')
    expect(namesIn(without, 'DEPLOYMENTS')).toEqual(deployments.slice(0, 3))
    expect(cluster.terminal.notes()).toContain(
      'Controllers of custom resources may be missing: clusterroles are unknown: grant the verb "list"',
    )
  })

  test('says in each section of the control panel what this user may not read, not that there is none', async () => {
    const cluster = await webShop()
    cluster.forbid('leases', 'deployments', 'secrets', 'coredns')
    cluster.forbidClusterWide('pods')
    const text = await cluster.run('brief', '--control')
    const sections = { LEADERS: 'leases', DEPLOYMENTS: 'deployments', PODS: 'pods', 'REGISTRY SECRETS': 'secrets' }
    for (const [section, plural] of Object.entries(sections))
      expect(text).toContain(`CONTROL PANEL: ${section}\nunknown: this user may not list ${plural}\n`)
    expect(text).toContain('CONTROL PANEL: DNS\nunknown: this user may not read configmap kube-system/coredns\n')
    const { controlPanel } = JSON.parse(await cluster.run('brief', '--control', '-o', 'json'))
    expect(controlPanel).toEqual({ apiServer: expect.anything() })
  })
})
