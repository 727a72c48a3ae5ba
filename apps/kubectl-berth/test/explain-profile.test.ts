import { resourceRefs } from '@berth/k8s-client'
import { defineSchedulingPlugin, perNode, type SchedulingPlugin } from '@berth/plugin-api'
import type { KubernetesObject } from '@berth/types'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { testCluster, type TestCluster } from './test-cluster.ts'

const onlyPool = {
  addedAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['batch'] }] }],
    },
  },
}

const picky = defineSchedulingPlugin({
  apiVersion: 'berth.dev/v1',
  name: 'picky',
  description: 'Rejects nodes.',
  argsSchema: z.strictObject({}),
  create: () => perNode({ filter: () => 'never' }),
})

/** A pending pod for the scheduler `tiny`, whose pod reads its configuration from a ConfigMap. */
async function tinyCluster(configuration: object | undefined, plugin: SchedulingPlugin = picky): Promise<TestCluster> {
  const cluster = testCluster({}, {}, [plugin])
  await cluster.addNode('node-a')
  await cluster.addPod('web', {}, { schedulerName: 'tiny' })
  await cluster.create(resourceRefs.pods, {
    metadata: { name: 'tiny-0', namespace: 'kube-system', labels: { 'app.kubernetes.io/component': 'scheduler' } },
    spec: {
      containers: [
        {
          name: 'main',
          image: 'tiny:1',
          args: ['--config', '/etc/tiny/config.yaml'],
          volumeMounts: [{ name: 'config', mountPath: '/etc/tiny' }],
        },
      ],
      volumes: [{ name: 'config', configMap: { name: 'tiny', items: [{ key: 'scheduler', path: 'config.yaml' }] } }],
    },
  } as KubernetesObject)
  if (configuration !== undefined) {
    await cluster.create(resourceRefs.configMaps, {
      metadata: { name: 'tiny', namespace: 'kube-system' },
      data: { scheduler: JSON.stringify({ kind: 'KubeSchedulerConfiguration', ...configuration }) },
    } as KubernetesObject)
  }
  return cluster
}

const explained = async (cluster: TestCluster, ...argv: readonly string[]): Promise<string> =>
  (await cluster.run('explain', 'pod', 'web', ...argv)).replaceAll(/\s+/g, ' ')

const configz = '/api/v1/namespaces/kube-system/pods/https%3Atiny-0%3A10259/proxy/configz'
const pluginConfig = [{ name: 'NodeAffinity', args: onlyPool }]

describe('the profile', () => {
  test('comes from the ConfigMap that the scheduler of the pod mounts', async () => {
    const text = await explained(await tinyCluster({ profiles: [{ schedulerName: 'tiny', pluginConfig }] }))
    expect(text).toContain('Decided with the profile tiny of ConfigMap kube-system/tiny.')
    expect(text).toContain(
      "The scheduler's profile allows only nodes with pool in (batch); the node has no label pool.",
    )
  })

  test('brings the ConfigMaps that its plugins read', async () => {
    const quota = defineSchedulingPlugin({
      apiVersion: 'berth.dev/v1',
      name: 'picky',
      description: 'Rejects nodes while a ConfigMap says so.',
      argsSchema: z.strictObject({}),
      configMaps: () => ['ops/limits'],
      create: () => ({
        filter: (_pod, { count }, output, { cluster }) => {
          const says = cluster.objects.get('configMaps', 'ops/limits')?.data?.['says'] ?? 'nothing'
          for (let i = 0; i < count; i++) output.reject(i, 2, `the ConfigMap says ${says}`)
        },
      }),
    })
    const plugins = { filter: { enabled: [{ name: 'picky' }] } }
    const cluster = await tinyCluster({ profiles: [{ schedulerName: 'tiny', plugins }] }, quota)
    await cluster.create(resourceRefs.namespaces, { metadata: { name: 'ops' } })
    await cluster.create(resourceRefs.configMaps, {
      metadata: { name: 'limits', namespace: 'ops' },
      data: { says: 'no' },
    } as KubernetesObject)
    expect(await explained(cluster, '--plugin-dir', 'plugins')).toContain('the ConfigMap says no')
  })

  test('is not that of another scheduler', async () => {
    const text = await explained(await tinyCluster({ profiles: [{ schedulerName: 'huge', pluginConfig }] }))
    expect(text).toContain('fits on 1 of 1 node')
    expect(text).toContain(
      "Decided with kube-scheduler's default profile, which is assumed: no configuration of scheduler tiny was found. Its extenders, contributed plugins and arguments are not known here; give them with --scheduler-config and --plugin-dir.",
    )
  })

  test('with a contributed plugin needs --plugin-dir, and says so', async () => {
    const plugins = { filter: { enabled: [{ name: 'picky' }] } }
    const cluster = await tinyCluster({ profiles: [{ schedulerName: 'tiny', plugins }] })
    expect(await explained(cluster)).toMatch(
      /was found \(ConfigMap kube-system\/tiny cannot be used here: .*plugin picky is neither built in nor in --plugin-dir.*\)/,
    )
    expect(await explained(cluster, '--plugin-dir', 'plugins')).toContain('0/1 nodes are available: 1 never.')
  })

  test('says which ConfigMap may not be read', async () => {
    const cluster = await tinyCluster({ profiles: [{ schedulerName: 'tiny', pluginConfig }] })
    cluster.forbid('tiny')
    expect(await explained(cluster)).toContain(
      '(ConfigMap kube-system/tiny, which pod kube-system/tiny-0 mounts, could not be read: this user may not get it)',
    )
  })

  test.for([
    { it: "Berth's scheduler", page: { profiles: [{ schedulerName: 'tiny', pluginConfig }] } },
    {
      it: 'kube-scheduler, whose keys begin with capitals',
      page: {
        Parallelism: 16,
        Profiles: [
          {
            SchedulerName: 'tiny',
            PercentageOfNodesToScore: null,
            Plugins: {
              MultiPoint: { Enabled: [{ Name: 'NodeAffinity', Weight: 2 }], Disabled: null },
              Score: { Enabled: null, Disabled: null },
            },
            PluginConfig: [{ Name: 'NodeAffinity', Args: { AddedAffinity: onlyPool.addedAffinity } }],
          },
        ],
        Extenders: null,
      },
    },
  ])('comes from /configz of $it when no ConfigMap can be read', async ({ page }) => {
    const cluster = await tinyCluster(undefined)
    cluster.serve(configz, { componentconfig: page })
    const text = await explained(cluster)
    expect(text).toContain('Decided with the profile tiny of /configz of pod kube-system/tiny-0.')
    expect(text).toContain("The scheduler's profile allows only nodes with pool in (batch)")
  })

  test('of --scheduler-config wins, and its source is in JSON', async () => {
    const files = { 'mine.yaml': 'profiles: [{ schedulerName: tiny }]' }
    const cluster = testCluster(files)
    await cluster.addNode('node-a')
    await cluster.addPod('web', {}, { schedulerName: 'tiny' })
    const answer = JSON.parse(
      await cluster.run('explain', 'pod', 'web', '--scheduler-config', 'mine.yaml', '-o', 'json'),
    )
    expect(answer.profile).toEqual({ source: 'file', sentence: 'Decided with the profile tiny of mine.yaml.' })
  })
})
