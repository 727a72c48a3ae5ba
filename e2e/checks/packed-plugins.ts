import { check, pausePod } from '../cluster/test-cluster.ts'
import { sessionUnderTest } from '../cluster/test-environment.ts'
import type { BerthPlay } from './check.ts'

const ANNOTATED = 'example.com/annotated'
const ANNOTATION = 'berth-e2e/units'
/** Devices out of a file, by a packed plugin. */
export const PACKED_SEAT = 'example.com/packed-seat'

/** Volumes with the packed examples. */
export interface PackedVolumes {
  readonly scheduling: unknown
  readonly deviceSource: unknown
  readonly resourceSource: unknown
  /** Name of a ConfigMap with a file `seats`. */
  readonly seats: string
}

/** Values that mount contributed plugins, which are not in the image, and use them. */
export function packedPluginValues(workers: readonly string[], packed: PackedVolumes): unknown {
  const name = 'example-rack'
  return {
    scheduler: {
      plugins: { volume: packed.scheduling },
      config: {
        profiles: [
          {
            schedulerName: 'rack-scheduler',
            plugins: { filter: { enabled: [{ name }] }, score: { enabled: [{ name, weight: 1 }] } },
            pluginConfig: [{ name, args: { apartBy: 'berth-e2e-app' } }],
          },
        ],
      },
    },
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

/** What the packed examples promise; `component` is the app that runs them. */
export const packedPluginPlays: readonly BerthPlay[] = [
  {
    name: 'a packed scheduling plugin keeps the pods of one app apart',
    component: 'scheduler',
    missing: 'rack-1',
    async run(scene) {
      const labels = { 'berth-e2e-app': scene.name('app') }
      const rackPod = (name: string): ReturnType<typeof pausePod> => {
        const pod = pausePod(name, {}, { schedulerName: 'rack-scheduler' })
        return { ...pod, metadata: { ...pod.metadata, labels } }
      }
      const places = new Set<string>()
      const names = scene.workers.map((_, i) => scene.name(`rack-${i + 1}`))
      for (const name of names) {
        await scene.createPod(rackPod(name))
        places.add((await scene.untilRunning(name)).spec?.nodeName ?? '')
      }
      check(places.size === scene.workers.length, `the pods share nodes: ${[...places].join(', ')}`)
      const oneMore = scene.name('rack-more')
      await scene.createPod(rackPod(oneMore))
      await scene.untilEvent(oneMore, 'FailedScheduling', /already runs there/)
    },
  },
  {
    name: 'a packed resource source computes what the advertiser writes',
    component: 'advertiser',
    missing: '7/7 of example.com/annotated',
    async run(scene) {
      const node = scene.workers[0] ?? ''
      const annotate = (value: string): Promise<string> =>
        scene.kubectl('annotate', 'node', node, '--overwrite', `${ANNOTATION}${value}`)
      const untilUnits = (units: string): Promise<true> =>
        scene.until(`${units} of ${ANNOTATED} on ${node}`, async () =>
          (await scene.units(node, ANNOTATED)) === units ? true : undefined,
        )
      scene.atEnd(async () => void (await annotate('-')))
      await annotate('=7')
      await untilUnits('7/7')
      await annotate('=5')
      await untilUnits('5/5')
    },
  },
  {
    name: 'a packed device source hands out the seats of a file',
    component: 'devicePlugin',
    missing: '3/3 packed seats on',
    async run(scene) {
      const node = scene.workers[0] ?? ''
      const name = scene.name('seat-user')
      await scene.until(`3/3 packed seats on ${node}`, async () =>
        (await scene.units(node, PACKED_SEAT)) === '3/3' ? true : undefined,
      )
      const units = { [PACKED_SEAT]: '1' }
      const container = {
        name: 'main',
        image: sessionUnderTest().image,
        command: ['node', '--eval', 'console.log(`seats ${process.env.SEATS}`); setInterval(() => {}, 1e6)'],
        resources: { requests: units, limits: units },
      }
      await scene.createPod({ metadata: { name }, spec: { containers: [container], terminationGracePeriodSeconds: 1 } })
      await scene.until(`a seat in ${name}`, async () =>
        /^seats (?:alice|bob|carol)$/m.test(await scene.kubectl('logs', name)) ? true : undefined,
      )
    },
  },
]
