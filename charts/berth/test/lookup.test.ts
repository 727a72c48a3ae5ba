import { systemClock } from '@berth/clock'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbeddedCluster, type EmbeddedCluster } from '@berth/simulator'
import { callJson } from '@berth/simulator/testing'
import type { ApiHandler } from '@berth/types'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { find, type ChartObject } from './chart-object.ts'
import { helmOnChart, refusal, render, type HelmOptions } from './render.ts'

describe('objects that already exist in the cluster', () => {
  let cluster: EmbeddedCluster | undefined
  let dir = ''
  beforeAll(async () => {
    cluster = await startEmbeddedCluster({ nodes: 0, clock: systemClock(), random: Math.random })
    dir = await mkdtemp(join(tmpdir(), 'berth-chart-cluster-'))
    await writeFile(join(dir, 'kubeconfig'), cluster.served?.kubeconfig() ?? '')
  })
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]()
    await rm(dir, { recursive: true })
  })
  const handle: ApiHandler = (request) => cluster?.handle(request) ?? Promise.reject(new Error('no cluster'))
  const create = async (path: string, object: ChartObject): Promise<void> => {
    const { status, body } = await callJson(handle, 'POST', path, { body: object })
    expect([status, body]).toEqual([201, body])
  }
  const onCluster = (namespace: string): HelmOptions => ({
    profile: 'full',
    namespace,
    flags: ['--dry-run=server', '--kubeconfig', join(dir, 'kubeconfig')],
  })
  // The marks that Helm puts on the objects it installs.
  const released = (object: ChartObject, release = 'berth', namespace = 'kept'): ChartObject => ({
    ...object,
    metadata: {
      ...object.metadata,
      annotations: {
        ...object.metadata.annotations,
        'meta.helm.sh/release-name': release,
        'meta.helm.sh/release-namespace': namespace,
      },
    },
  })
  test.for(['baseline', 'restricted'])(
    'refuses the device plugin in a namespace that enforces %s and prints the label to set',
    async (level) => {
      const name = `pss-${level}`
      const labels = { 'pod-security.kubernetes.io/enforce': level }
      await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })
      expect(await refusal(onCluster(name))).toContain(
        `kubectl label namespace ${name} pod-security.kubernetes.io/enforce=privileged`,
      )
      const without = { ...onCluster(name), profile: 'scheduler-only' as const }
      expect(await helmOnChart(['template', 'berth'], without)).toMatchObject({ code: 0 })
    },
  )

  test('refuses a second advertiser, because the two would undo each other’s writes', async () => {
    const there = find(
      await render({ profile: 'full', namespace: 'elsewhere', release: 'first-berth' }),
      'ClusterRoleBinding',
      'elsewhere:first-berth-advertiser',
    )
    await create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', released(there, 'first-berth', 'elsewhere'))
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'second' } })
    expect(await refusal(onCluster('second'))).toContain(
      'release first-berth already advertises in this cluster (elsewhere:first-berth-advertiser)',
    )
    const own = await helmOnChart(['template', 'first-berth'], onCluster('elsewhere'))
    expect([own.code, own.stderr]).toEqual([0, ''])
  })

  test('refuses a second scheduler for the same pods and accepts one with its own schedulerName', async () => {
    const first = await render({ profile: 'full', namespace: 'busy', release: 'busy-berth' })
    for (const app of ['scheduler', 'extender']) {
      const there = find(first, 'ClusterRoleBinding', `busy:busy-berth-${app}`)
      await create('/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', released(there, 'busy-berth', 'busy'))
    }
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'third' } })
    const off = { enabled: false }
    const on = (schedulerName: string) => ({ schedulerName })
    const third = (values: object): HelmOptions => ({
      ...onCluster('third'),
      values: { advertiser: off, devicePlugin: off, ...values },
    })
    const text = await refusal(third({ scheduler: on('berth-scheduler'), extender: on('berth-kube-scheduler') }))
    expect(text).toContain(
      'release busy-berth already schedules the pods of berth-scheduler (busy:busy-berth-scheduler)',
    )
    expect(text).toContain('release busy-berth already schedules the pods of berth-kube-scheduler')
    const other = third({ scheduler: on('third-scheduler'), extender: on('third-kube-scheduler') })
    expect(await helmOnChart(['template', 'berth'], other)).toMatchObject({ code: 0, stderr: '' })
    const own = { ...third({ scheduler: on('berth-scheduler'), extender: off }), namespace: 'busy' }
    expect(await helmOnChart(['template', 'busy-berth'], own)).toMatchObject({ code: 0, stderr: '' })
  })

  test('refuses a resource that another release serves on the same nodes and accepts it on other nodes or without a release', async () => {
    const resources = ['example.com/dongle', 'example.com/probe'].map((name) => ({
      name,
      source: 'count',
      args: { count: 1 },
    }))
    const devicePlugin = { config: { resources }, nodeSelector: { pool: 'a' } }
    const there = await render({ profile: 'device-plugin-only', namespace: 'pool-a', values: { devicePlugin } })
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'pool-a' } })
    const daemonSet = find(there, 'DaemonSet', 'berth-device-plugin')
    await create('/apis/apps/v1/namespaces/pool-a/daemonsets', released(daemonSet, 'berth', 'pool-a'))
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'pool-b' } })
    const inNamespace = (namespace: string, names: readonly unknown[], nodeSelector: object): HelmOptions => ({
      ...onCluster(namespace),
      profile: 'device-plugin-only',
      values: { devicePlugin: { config: { resources: names }, nodeSelector } },
    })
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'tenant' } })
    // Its labels and the annotation of the chart are Berth's, but no release of Helm owns it.
    const forged = { ...daemonSet, metadata: { ...daemonSet.metadata, name: 'mine', namespace: 'tenant' } }
    await create('/apis/apps/v1/namespaces/tenant/daemonsets', released(forged, 'berth', 'pool-a'))
    const text = await refusal(inNamespace('pool-b', resources, { disk: 'ssd' }))
    expect(text).not.toContain('tenant/mine')
    expect(text).toContain('release berth already serves example.com/dongle (pool-a/berth-device-plugin)')
    expect(text).toContain('release berth already serves example.com/probe')
    const template = (options: HelmOptions) => helmOnChart(['template', 'berth'], options)
    const other = [{ ...resources[0], name: 'example.com/other' }]
    expect(await template(inNamespace('pool-b', resources, { pool: 'b' }))).toMatchObject({ code: 0, stderr: '' })
    expect(await template(inNamespace('pool-b', other, { pool: 'a' }))).toMatchObject({ code: 0, stderr: '' })
    expect(await template(inNamespace('pool-a', resources, { pool: 'a' }))).toMatchObject({ code: 0, stderr: '' })
  })

  test.for([
    { has: 'no annotations', annotations: {} },
    { has: 'the annotation of the chart only', annotations: { 'berth.dev/resources': 'example.com/labelled' } },
  ])('a DaemonSet of a tenant with the two labels and $has does not block an upgrade', async ({ annotations }) => {
    const resources = [{ name: 'example.com/labelled', source: 'count', args: { count: 1 } }]
    const values = { devicePlugin: { config: { resources } } }
    const upgrade: HelmOptions = { ...onCluster('upgraded'), profile: 'device-plugin-only', values }
    const own = find(await render({ ...upgrade, flags: [] }), 'DaemonSet', 'berth-device-plugin')
    const name = `labelled-${Object.keys(annotations).length}`
    const labels = { 'app.kubernetes.io/part-of': 'berth', 'app.kubernetes.io/component': 'device-plugin' }
    expect(own.metadata).toMatchObject({ labels, annotations })
    await create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    const metadata = { name, namespace: name, labels, annotations }
    await create(`/apis/apps/v1/namespaces/${name}/daemonsets`, { ...own, metadata })
    const upgraded = await helmOnChart(['template', 'berth', '--is-upgrade'], upgrade)
    expect([upgraded.code, upgraded.stderr]).toEqual([0, ''])
  })
})
