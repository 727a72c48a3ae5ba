import { expectThat, pausePod, printingPod } from '../cluster/test-cluster.ts'
import type { Check } from './check.ts'

const ANNOTATED = 'example.com/annotated'
const ANNOTATION = 'berth-e2e/units'
/** A resource whose devices a packed plugin reads from a file. */
export const PACKED_SEAT = 'example.com/packed-seat'

/** Volumes that contain the packed example plugins. */
export interface PackedVolumes {
  readonly scheduling: unknown
  readonly deviceSource: unknown
  readonly resourceSource: unknown
  /** Name of a ConfigMap with a file `seats`. */
  readonly seats: string
}

/** Returns the chart values of a scheduler that runs the plugin `example-rack`. `plugins` is the value of `scheduler.plugins`. */
export function rackValues(plugins: unknown): { readonly scheduler: unknown } {
  const name = 'example-rack'
  const profile = {
    schedulerName: 'rack-scheduler',
    plugins: { filter: { enabled: [{ name }] }, score: { enabled: [{ name, weight: 1 }] } },
    pluginConfig: [{ name, args: { apartBy: 'berth-e2e-app' } }],
  }
  return { scheduler: { plugins, config: { profiles: [profile] } } }
}

/** Returns the chart values that mount and use contributed plugins that are not in the image. */
export function packedPluginValues(workers: readonly string[], packed: PackedVolumes): unknown {
  return {
    ...rackValues({ volume: packed.scheduling }),
    advertiser: {
      plugins: { volume: packed.resourceSource },
      config: {
        resources: [
          {
            name: ANNOTATED,
            source: { plugin: 'example-annotation', args: { annotation: ANNOTATION }, everySeconds: 1 },
            nodes: { names: [workers[0]] },
          },
        ],
      },
    },
    devicePlugin: {
      plugins: { volume: packed.deviceSource },
      config: {
        resources: [
          { name: PACKED_SEAT, source: 'example-seat-file', args: { file: '/seats/seats', periodSeconds: 1 } },
        ],
      },
      extraVolumes: [{ name: 'seats', configMap: { name: packed.seats } }],
      extraVolumeMounts: [{ name: 'seats', mountPath: '/seats', readOnly: true }],
    },
  }
}

/** Checks the scheduling plugin of {@link rackValues}. */
export const rackCheck: Check = {
  name: 'a packed scheduling plugin keeps the pods of an app on different nodes',
  component: 'scheduler',
  failureText: 'rack-1',
  async run(testCluster) {
    const labels = { 'berth-e2e-app': testCluster.uniqueName('app') }
    const rackPod = (name: string): ReturnType<typeof pausePod> => {
      const pod = pausePod(name, {}, { schedulerName: 'rack-scheduler' })
      return { ...pod, metadata: { ...pod.metadata, labels } }
    }
    const places = new Set<string>()
    const names = testCluster.workers.map((_, i) => testCluster.uniqueName(`rack-${i + 1}`))
    for (const name of names) {
      await testCluster.createPod(rackPod(name))
      places.add((await testCluster.untilRunning(name)).spec?.nodeName ?? '')
    }
    expectThat(places.size === testCluster.workers.length, `the pods share nodes: ${[...places].join(', ')}`)
    const oneMore = testCluster.uniqueName('rack-more')
    await testCluster.createPod(rackPod(oneMore))
    await testCluster.untilEvent(oneMore, 'FailedScheduling', /already runs there/)
  },
}

/** Checks of the packed example plugins. `component` is the app that runs each plugin. */
export const packedPluginChecks: readonly Check[] = [
  rackCheck,
  {
    name: 'a packed resource source computes the units that the advertiser writes',
    component: 'advertiser',
    failureText: `7/7 units of ${ANNOTATED}`,
    async run(testCluster) {
      const node = testCluster.workers[0] ?? ''
      const annotate = (value: string): Promise<string> =>
        testCluster.kubectl('annotate', 'node', node, '--overwrite', `${ANNOTATION}${value}`)
      testCluster.addCleanup(async () => void (await annotate('-')))
      await annotate('=7')
      await testCluster.untilUnits(node, ANNOTATED, '7/7')
      await annotate('=5')
      await testCluster.untilUnits(node, ANNOTATED, '5/5')
    },
  },
  {
    name: 'a packed device source hands out the seats listed in a file',
    component: 'devicePlugin',
    failureText: `3/3 units of ${PACKED_SEAT}`,
    async run(testCluster) {
      const node = testCluster.workers[0] ?? ''
      const name = testCluster.uniqueName('seat-user')
      await testCluster.untilUnits(node, PACKED_SEAT, '3/3')
      await testCluster.createPod(printingPod(name, { [PACKED_SEAT]: '1' }, '`seats ${process.env.SEATS}`'))
      await testCluster.until(`a seat in ${name}`, async () =>
        /^seats (?:alice|bob|carol)$/m.test(await testCluster.kubectl('logs', name)) ? true : undefined,
      )
    },
  },
]
